/**
 * Escape sequences as a whole, so that no `[31m` is left behind: CSI, and OSC and other strings with their terminator. One
 * that is not terminated only loses its escape character, or it would hide the text after it.
 */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g;

/**
 * Hostile text made safe for a terminal and for the logs of CI services, on one line. Escape sequences and control,
 * bidirectional and invisible characters go; line breaks become `⏎`. The markers of workflow commands (`::name` of
 * GitHub, `##[` and `##vso[` of Azure, `##teamcity[`) are broken up, as a log line may be read as a command.
 */
export function terminalText(text: string): string {
  return text
    .toWellFormed()
    .replace(sequences, '')
    .replace(/\s*[\r\n\v\f\u0085\u2028\u2029]+\s*/g, ' ⏎ ')
    .replace(/\t/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .replace(/#(?=#)/g, '# ')
    .replace(/(?<=^|\s):{2,}/g, (colons) => colons.split('').join(' '))
    .trim();
}

/** As `terminalText`, of a line of ours that is set in. */
export function terminalLine(text: string): string {
  return `${/^ */.exec(text)?.[0] ?? ''}${terminalText(text)}`;
}

/**
 * As `terminalText`, but a message of ours that has several lines keeps them. What follows the first is set in, so that no
 * line of somebody else's can pass for one of ours.
 */
export function terminalLines(text: string): string {
  const [first = '', ...more] = text.split('\n').map(terminalText);
  return [first, ...more.map((line) => `  ${line}`)].join('\n');
}
