/** Control, bidirectional and invisible characters that JSON.stringify leaves as they are, and what breaks lines elsewhere. */
const raw = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

/**
 * JSON whose text can be shown anywhere: no character in it moves a cursor, turns a line around or hides, and `##`, which
 * begins a command in the logs of CI services wherever it stands, does not occur. Parsing gives back every character.
 */
export function safeJson(value: unknown, space?: number): string {
  const text = JSON.stringify(value, null, space);
  // The two can only stand in strings, where any character may be written as its number.
  return text.replace(raw, escaped).replace(/#(?=#)/g, escaped);
}

function escaped(characters: string): string {
  return Array.from({ length: characters.length }, (_, index) => {
    return `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
