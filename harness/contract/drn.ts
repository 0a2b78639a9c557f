/** The DRN family, work in flight at the signal, by topic. */
export { drn8 } from './drn-answers.ts';
export { drn9, drn9Fast } from './drn-exit.ts';
export { drn7 } from './drn-http2.ts';
export { drn5 } from './drn-idle.ts';
export { drn6 } from './drn-stalled.ts';
export { drn4 } from './drn-streams.ts';
export { drn1, drn2, drn3 } from './drn-work.ts';
