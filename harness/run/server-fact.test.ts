import { describe, expect, it } from 'vitest';
import { serverFact, serverInWords } from './server-fact.ts';

describe('what the signal of the stop means to a known server', () => {
  it.each([
    [
      'nginx',
      'TERM',
      'nginx: SIGTERM is its fast shutdown and cuts requests in flight; SIGQUIT is its graceful shutdown and lets requests in flight finish (nginx documentation: Controlling nginx)',
    ],
    [
      'nginx',
      'QUIT',
      'nginx: SIGQUIT is its graceful shutdown and lets requests in flight finish (nginx documentation: Controlling nginx)',
    ],
    [
      'apache',
      'INT',
      'Apache httpd: its documentation gives SIGINT no meaning; SIGWINCH is its graceful stop and lets requests in flight finish (Apache HTTP Server 2.4: Stopping and Restarting)',
    ],
    [
      'node',
      'TERM',
      'Node.js: its documentation gives SIGTERM no meaning (Node.js documentation: process, Signal events)',
    ],
    [
      'mysql',
      'INT',
      'MySQL or MariaDB: SIGINT is ignored by design (MySQL Reference Manual: Unix Signal Handling in MySQL)',
    ],
  ])('%s, %s', (name, signal, words) => {
    const fact = serverFact(name, signal);
    expect(fact).toMatchObject({ name, signal });
    expect(fact && serverInWords(fact)).toBe(words);
  });

  it('nothing is said of a server that is none or not known', () => {
    expect(serverFact(undefined, 'TERM')).toBeUndefined();
    expect(serverFact('ngnix', 'TERM')).toBeUndefined();
  });
});
