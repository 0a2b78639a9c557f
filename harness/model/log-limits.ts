/**
 * What is kept of one line of a log, and what patterns are looked for in: one that takes long grows with the length of a
 * line, and a hostile line need not end.
 */
export const LINE_BYTES = 16 * 1024;
