/**
 * A writer for the little XML that JUnit needs. Own code since the library tried (xmlbuilder2 4) does not keep hostile
 * text apart: it leaves line ends in attributes, which a parser turns into spaces, and raw carriage returns in text,
 * which a parser drops; it also installs 4 MB.
 */
export interface Element {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  readonly children?: readonly (Element | string)[];
}

/**
 * Any string made fit for XML 1.0 (section 2.2, Char), losing as little as possible: control characters become their
 * visible pictures (U+2400…), so that an ANSI sequence stays readable; lone surrogates and non-characters become U+FFFD.
 */
export function xmlText(text: string): string {
  let safe = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (character === '\t' || character === '\n' || character === '\r') safe += character;
    else if (code < 0x20) safe += String.fromCodePoint(0x2400 + code);
    else if (code === 0x7f) safe += '\u2421';
    else if (code <= 0x9f && code >= 0x80) safe += '\ufffd';
    else if ((code >= 0xd800 && code <= 0xdfff) || (code & 0xfffe) === 0xfffe) safe += '\ufffd';
    else safe += character;
  }
  return safe;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const reference = (character: string): string => `&#${character.codePointAt(0)};`;

/**
 * Escapes for text content. `>` too, so that `]]>` cannot occur; a carriage return survives only as a reference. So do
 * characters that hide or turn a line around, and the markers of workflow commands: a CI service may read what is printed.
 */
function escapeText(text: string): string {
  return xmlText(text)
    .replace(/[&<>]/g, (character) => escapes[character] ?? '')
    .replace(/[\r\u2028\u2029\p{Cf}]/gu, reference)
    .replace(/#(?=#)|(?<=^\s*):(?=:)/gm, reference);
}

function escapeAttribute(text: string): string {
  return escapeText(text)
    .replace(/["']/g, (character) => escapes[character] ?? '')
    .replace(/[\t\n]/g, reference);
}

function write(element: Element, indent: string): string {
  const attributes = Object.entries(element.attributes ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeAttribute(String(value))}"`)
    .join('');
  const children = element.children ?? [];
  if (children.length === 0) return `${indent}<${element.name}${attributes}/>\n`;
  const open = `${indent}<${element.name}${attributes}>`;
  if (children.every((child) => typeof child === 'string')) {
    return `${open}${children.map(escapeText).join('')}</${element.name}>\n`;
  }
  const inner = children.map((child) => (typeof child === 'string' ? escapeText(child) : write(child, `${indent}  `)));
  return `${open}\n${inner.join('')}${indent}</${element.name}>\n`;
}

/** A whole XML 1.0 document in UTF-8. Element and attribute names are the caller's own and are not checked. */
export function xmlDocument(root: Element): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, '')}`;
}
