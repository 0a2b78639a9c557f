/** The WSS family, WebSockets at a stop, by topic. */
export { wss1, wss5 } from './wss-bound.ts';
export { wss2, wss3, wss7 } from './wss-close.ts';
export { wss4 } from './wss-flush.ts';
export { wss6 } from './wss-upgrade.ts';
