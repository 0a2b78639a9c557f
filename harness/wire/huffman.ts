/*
 * The code of RFC 7541, appendix B. It is canonical: codes of one length follow each other in the order of their bytes, so
 * that the lengths say all. The last one is the end of the string, which never stands in one.
 */
const LENGTHS = `
13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28 28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28
6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6 5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10
13 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6
15 5 6 5 6 5 6 6 6 5 7 7 6 6 6 5 6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28
20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23 24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24
22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23 21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23
26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25 19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27
20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23 26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26
30`
  .trim()
  .split(/\s+/)
  .map(Number);

const END_OF_STRING = 256;

/** Code, with its length in front as a leading one, to byte. */
const bytes = new Map<number, number>();
{
  const inOrder = [...LENGTHS.entries()].toSorted(([a, x], [b, y]) => x - y || a - b);
  let code = 0;
  let length = 0;
  for (const [byte, bits] of inOrder) {
    code *= 2 ** (bits - length);
    length = bits;
    bytes.set(2 ** bits + code, byte);
    code += 1;
  }
}

/** The text behind a string in this code. Throws where it is none. */
export function huffmanText(coded: Uint8Array): string {
  let text = '';
  let code = 1;
  for (const octet of coded) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((octet >> bit) & 1);
      const byte = bytes.get(code);
      if (byte === undefined) continue;
      if (byte === END_OF_STRING) throw new Error('the end of a string inside one');
      text += String.fromCharCode(byte);
      code = 1;
    }
  }
  // what is left is padding: at most seven ones
  const padding = code.toString(2).slice(1);
  if (padding.length > 7 || padding.includes('0')) throw new Error('a string that does not end in padding');
  return text;
}
