/**
 * Breaks one line of plain text (no colours) at spaces so that each line fits `width` columns; a word longer than a line,
 * such as a path or a digest, stays whole. Continuation lines are indented by two more than the first.
 */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = indent;
  let empty = true;
  for (const word of text.split(/ +/)) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}  ${word}`;
    } else {
      line += empty ? word : ` ${word}`;
    }
    empty = false;
  }
  return [...lines, line];
}

/** A labelled value, `  label        value`, wrapped under the value. */
export function field(label: string, value: string, width: number): string[] {
  const gutter = ' '.repeat(15);
  const lines = wrap(value, width - 17).map((line, index) => (index === 0 ? line : line.trimStart()));
  return lines.map((line, index) => (index === 0 ? `  ${label.padEnd(13)}${line}` : `${gutter}${line}`));
}
