/** What stands in the place of a secret. */
export const MASK = '***';

/** A secret that is shorter garbles every text in which its characters happen to meet: it is refused, not masked. */
export const SHORTEST_SECRET = 4;
/** A part of a secret is only looked for by itself when it is this long: a line of a key, the inside of its base64. */
const SHORTEST_PART = 8;

/** Replaces declared secrets by `***` (architecture rule 14), in each form in which services and engines print them. */
export interface Mask {
  text(text: string): string;
  /** A text of which the end was cut away: an end that a secret begins with goes too, unless it is too short to be one. */
  cut(text: string): string;
  /** All texts in a value, however deep; what stands under one of `except` stays. Keys stay. */
  value<T>(value: T, except?: ReadonlySet<string>): T;
}

const none: Mask = { text: (text) => text, cut: (text) => text, value: (value) => value };
const nothing: ReadonlySet<string> = new Set();

/**
 * Secrets are found as they are, as JSON and Go quote them, URL-encoded, and in base64 of any text they stand in; of one
 * with line ends each line is looked for, since logs are read by line. Empty ones are none.
 */
export function createMask(secrets: readonly string[]): Mask {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))].toSorted(
    (a, b) => b.length - a.length,
  );
  if (forms.length === 0) return none;
  const longest = forms[0]?.length ?? 0;
  const text = (given: string): string => forms.reduce((left, form) => left.replaceAll(form, MASK), given);
  const value = <T>(given: T, except: ReadonlySet<string>): T => {
    if (typeof given === 'string') return text(given) as T;
    if (Array.isArray(given)) return given.map((item) => value(item, except)) as T;
    if (given === null || typeof given !== 'object') return given;
    const entries = Object.entries(given).map(([key, item]) => [key, except.has(key) ? item : value(item, except)]);
    return Object.fromEntries(entries) as T;
  };
  const begun = (given: string): number => {
    for (let length = Math.min(longest - 1, given.length); length >= SHORTEST_SECRET; length -= 1) {
      const end = given.slice(-length);
      if (forms.some((form) => form.length > length && form.startsWith(end))) return length;
    }
    return 0;
  };
  return {
    text,
    cut: (given) => {
      const masked = text(given);
      return masked.slice(0, masked.length - begun(masked));
    },
    value: (given, except = nothing) => value(given, except),
  };
}

function formsOf(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/).filter((line) => line.length >= SHORTEST_PART);
  return [secret, ...(lines.length > 1 ? lines : [])].flatMap((part) => [
    part,
    Buffer.from(part).toString('latin1'), // as the value of a header is read
    ...quoted(part),
    ...percentEncoded(part),
    ...insideBase64(part),
  ]);
}

/** As JSON.stringify writes it, and with the characters that Go's encoder adds. */
function quoted(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const go = json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  return [json, go];
}

function percentEncoded(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const all = encoded.replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return [encoded, all].flatMap((form) => [
    form,
    form.replaceAll('%20', '+'),
    form.replace(/%[0-9A-F]{2}/g, (triple) => triple.toLowerCase()),
  ]);
}

/** Base64 of a longer text depends on where in it the secret begins, of three ways; its first and last sign on the rest. */
function insideBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const alone = bytes.toString('base64').replace(/=+$/, '');
  const inside = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const unsure = (before + bytes.length) % 3 === 0 ? 0 : 1;
    const within = encoded.slice(before === 0 ? 0 : before + 1, encoded.length - unsure);
    return within.length < SHORTEST_PART ? [] : [within];
  });
  return [alone, ...inside].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
