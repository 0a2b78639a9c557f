/** DLN, one topic a file: what happens at the graceful and at the hard deadline. */
export { dln1 } from './dln-cut.ts';
export { dln2 } from './dln-status.ts';
export { dln3 } from './dln-expired.ts';
export { dln4 } from './dln-zero.ts';
export { dln5, dln6 } from './dln-bound.ts';
export { dln7 } from './dln-connections.ts';
