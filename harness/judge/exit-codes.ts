/** The exit codes of the command line, in one place (architecture rule 6). */
export const EXIT = {
  qualified: 0,
  /** A MUST clause failed; with `--strict` a SHOULD clause too. */
  failed: 1,
  /** No failure, but something inconclusive or a required clause not exercised. */
  inconclusive: 2,
  nothingJudged: 3,
  /** Bad option, profile or file named by the user. */
  usage: 64,
  /** The harness or an engine broke, or a planned clause has no verdict. */
  fault: 70,
} as const;
