/** The known word that is closest to what was written, or undefined where none is close enough to be a slip. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const within = Math.max(1, Math.floor(written.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const word of known) {
    const distance = editDistance(written.toLowerCase(), word.toLowerCase());
    if (distance <= within && (best === undefined || distance < best.distance)) best = { word, distance };
  }
  return best?.word;
}

/** ` (did you mean "x"?)`, or nothing. */
export function suggestion(written: string, known: readonly string[]): string {
  const word = nearest(written, known);
  return word === undefined ? '' : ` (did you mean ${JSON.stringify(word)}?)`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitute, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
