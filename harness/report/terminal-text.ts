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
    .replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ⏎ ')
    .replace(/\t/g, ' ')
    .replace(/[\p{Cc}\p{Bidi_Control}\u200b\u2060-\u2064\ufeff]/gu, '')
    .replace(/##/g, '# #')
    .replace(/(^|\s)::/g, '$1: :')
    .trim();
}
