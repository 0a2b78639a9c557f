type Paint = (text: string) => string;

/** Colour functions, passed in, so that renderers stay pure and NO_COLOR is decided by the caller. */
export interface Colours {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly dim: Paint;
  readonly bold: Paint;
}

const same: Paint = (text) => text;

/** No colours at all: files, pipes, NO_COLOR. */
export const plain: Colours = { good: same, bad: same, warn: same, dim: same, bold: same };
