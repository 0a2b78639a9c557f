/** The cases that `npm test` takes: one of most kinds, those that a stopwatch would get wrong. */
export const sample: readonly string[] = [
  'PID-04',
  'SH-05-dash-wait',
  'SH-06-accepted',
  'INIT-03',
  'SUP-03-term',
  'OOM-01',
  'LOG-04',
];
