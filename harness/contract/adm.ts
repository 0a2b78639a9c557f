/** ADM, one topic a file: what becomes of new work between signal and exit. */
export { adm1, adm2 } from './adm-refusal.ts';
export { adm3, adm5 } from './adm-gate.ts';
export { adm4, adm8 } from './adm-listener.ts';
export { adm6, adm7 } from './adm-control.ts';
export { adm6Live } from './adm-live.ts';
export { adm9 } from './adm-half-headers.ts';
