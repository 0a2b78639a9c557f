/** The oldest Node that lf-qualify runs on, as `engines` in package.json has it. */
export const oldest = '22.22.0';

/**
 * @param {string} version of the running Node, for example `20.20.2`
 * @returns {boolean} whether lf-qualify cannot run on it
 */
export function tooOld(version) {
  const have = version.split('.').map((part) => Number.parseInt(part, 10));
  const need = oldest.split('.').map(Number);
  const differs = need.findIndex((part, index) => have[index] !== part);
  return differs >= 0 && have[differs] < need[differs];
}

/**
 * @param {string} argument
 * @returns {string} as a POSIX shell takes it
 */
const quoted = (argument) =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replace(/'/g, `'\\''`)}'`;

/**
 * One sentence: what is wrong, and how to go on with the same arguments.
 * @param {string} version of the running Node
 * @param {string[]} args of the user
 * @returns {string}
 */
export function refusal(version, args) {
  const command = ['npx -p node@24 -p lf-qualify lf-qualify', ...args.map(quoted)].join(' ');
  return `lf-qualify: Node ${version} is too old (${oldest} or newer is needed), but npx can bring one along: ${command}`;
}
