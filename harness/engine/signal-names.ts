/** Linux signal numbers 1 to 31; the engines run Linux whatever the harness runs on. */
const NAMES: readonly string[] = [
  ...['HUP', 'INT', 'QUIT', 'ILL', 'TRAP', 'ABRT', 'BUS', 'FPE', 'KILL', 'USR1', 'SEGV', 'USR2', 'PIPE', 'ALRM'],
  ...['TERM', 'STKFLT', 'CHLD', 'CONT', 'STOP', 'TSTP', 'TTIN', 'TTOU', 'URG', 'XCPU', 'XFSZ', 'VTALRM', 'PROF'],
  ...['WINCH', 'IO', 'PWR', 'SYS'],
];
const RTMIN = 34;
const RTMAX = 64;

/**
 * A signal as a name without `SIG`: `15`, `term` and `SIGTERM` give `TERM`, 37 gives `RTMIN+3`. Podman and Docker's
 * events write numbers as strings (engines.md sections 1 and 5). What is not known is returned in capitals.
 */
export function signalName(value: string | number): string {
  const text = String(value).trim().toUpperCase();
  if (!/^\d+$/.test(text)) return text.startsWith('SIG') ? text.slice(3) : text;
  const number = Number(text);
  if (number >= RTMIN && number <= RTMAX) return number === RTMIN ? 'RTMIN' : `RTMIN+${number - RTMIN}`;
  return NAMES[number - 1] ?? text;
}
