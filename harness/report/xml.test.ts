import { expect, it } from 'vitest';
import { xmlDocument, xmlText } from './xml.ts';

it.each([
  ['a control character becomes visible', 'a\u001b[31m\u0000', 'a␛[31m␀'],
  ['tab, line feed and carriage return stay', 'a\t\n\rb', 'a\t\n\rb'],
  ['delete and C1 controls go', 'a\u007f\u009bb', 'a␡\ufffdb'],
  ['lone surrogates go, pairs stay', 'a\ud800b\udc00 😀', 'a\ufffdb\ufffd 😀'],
  ['non-characters go, in every plane', '\uffff\ufffe\u{1ffff}', '\ufffd\ufffd\ufffd'],
])('%s', (_, given, expected) => {
  expect(xmlText(given)).toBe(expected);
});

it('markup, section ends and line ends in hostile text stay text', () => {
  const xml = xmlDocument({ name: 'a', attributes: { m: '"\'<&\n\t\r', gone: undefined }, children: [']]>\r<b>&'] });
  expect(xml).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<a m="&quot;&apos;&lt;&amp;&#10;&#9;&#13;">]]&gt;&#13;&lt;b&gt;&amp;</a>\n',
  );
});
