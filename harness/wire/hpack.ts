import { huffmanText } from './huffman.ts';

/* RFC 7541, as far as a client needs it that promises a dynamic table of size 0: there is none to keep. */

/** Appendix A; names whose value is empty stand alone. */
const STATIC: readonly (readonly [name: string, value: string])[] = `
:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|:status 206
:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|accept-language|accept-ranges
accept|access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding
content-language|content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host
if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards
proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|strict-transport-security
transfer-encoding|user-agent|vary|via|www-authenticate`
  .trim()
  .split(/[|\n]/)
  .map((entry) => {
    const [name = '', ...value] = entry.split(' ');
    return [name, value.join(' ')];
  });

/** Header fields as literals that nobody indexes, without Huffman code. Names in lower case. */
export function encodeFields(fields: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(fields).flatMap(([name, value]) => [Buffer.of(0), encodeText(name), encodeText(value)]),
  );
}

function encodeText(text: string): Buffer {
  const raw = Buffer.from(text, 'latin1');
  if (raw.length < 0x7f) return Buffer.concat([Buffer.of(raw.length), raw]);
  const length = [0x7f];
  let left = raw.length - 0x7f;
  for (; left >= 0x80; left >>= 7) length.push((left & 0x7f) | 0x80);
  return Buffer.concat([Buffer.of(...length, left), raw]);
}

/** The header fields of one block; a repeated one is joined with a comma. Throws where it is not HPACK with an empty table. */
export function decodeFields(block: Uint8Array): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  const reader = new BlockReader(block);
  while (!reader.done) {
    const first = reader.peek();
    if ((first & 0xe0) === 0x20) {
      reader.integer(5); // a new size of the table: 0, or the peer does not keep to what we allow
      continue;
    }
    const [name, value] = (first & 0x80) !== 0 ? staticEntry(reader.integer(7)) : reader.literal((first & 0x40) !== 0);
    fields[name] = fields[name] === undefined ? value : `${fields[name]}, ${value}`;
  }
  return fields;
}

function staticEntry(index: number): readonly [string, string] {
  const entry = STATIC[index - 1];
  if (entry === undefined) throw new Error(`header index ${index} where the dynamic table has size 0`);
  return entry;
}

class BlockReader {
  readonly #block: Uint8Array;
  #at = 0;

  constructor(block: Uint8Array) {
    this.#block = block;
  }

  get done(): boolean {
    return this.#at >= this.#block.length;
  }

  peek(): number {
    const octet = this.#block[this.#at];
    if (octet === undefined) throw new Error('a header block that ends too early');
    return octet;
  }

  integer(prefixBits: number): number {
    const most = 2 ** prefixBits - 1;
    let value = this.#next() & most;
    if (value < most) return value;
    for (let factor = 1; ; factor *= 0x80) {
      const octet = this.#next();
      value += (octet & 0x7f) * factor;
      if ((octet & 0x80) === 0) return value;
      if (factor > 2 ** 21) throw new Error('a header length of too many bytes');
    }
  }

  literal(indexed: boolean): readonly [string, string] {
    const index = this.integer(indexed ? 6 : 4);
    const name = index === 0 ? this.#text() : staticEntry(index)[0];
    return [name, this.#text()];
  }

  #text(): string {
    const coded = (this.peek() & 0x80) !== 0;
    const length = this.integer(7);
    const raw = this.#block.subarray(this.#at, this.#at + length);
    if (raw.length < length) throw new Error('a header block that ends too early');
    this.#at += length;
    return coded ? huffmanText(raw) : Buffer.from(raw).toString('latin1');
  }

  #next(): number {
    const octet = this.peek();
    this.#at += 1;
    return octet;
  }
}
