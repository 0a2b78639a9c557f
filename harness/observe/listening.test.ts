import { describe, expect, it } from 'vitest';
import { standingIn } from './listening.ts';

/** As the helper wrote it of a container in a network of its own on Docker, abbreviated to what differs. */
const REAL = `{"ev":"snapshot","mono":"37044409549366","rt":"1796080775125420833"}
{"ev":"process","pid":18012,"nsPid":7,"ppid":17990,"comm":"nginx","args":["nginx: worker process"],"state":"S","threads":1,"caught":"0000000018016a07","ignored":"0000000040001000","blocked":"0000000000000000"}
{"ev":"process","pid":17990,"nsPid":1,"ppid":17960,"comm":"nginx","args":["nginx: master process nginx -g daemon off;"],"state":"S","threads":1,"caught":"0000000018016a07","ignored":"0000000040001000","blocked":"0000000000000000"}
{"ev":"socket","state":"listening","local":"127.0.0.11","localPort":42137,"remote":"0.0.0.0","remotePort":0}
{"ev":"socket","state":"listening","local":"0.0.0.0","localPort":80,"remote":"0.0.0.0","remotePort":0}
{"ev":"socket","state":"established","local":"172.18.0.2","localPort":80,"remote":"172.18.0.1","remotePort":51234}
{"ev":"socket","state":"established","local":"172.18.0.2","localPort":51999,"remote":"172.18.0.3","remotePort":5432}
{"ev":"socket","state":"listening","local":"::","localPort":80,"remote":"::","remotePort":0}
{"ev":"end","mono":"37044424345402","rt":"1796080775140210519"}
`;

const socket = (local: string, localPort: number): string =>
  `${JSON.stringify({ ev: 'socket', state: 'listening', local, localPort, remote: '::', remotePort: 0 })}\n`;
const end = '{"ev":"end","mono":"3","rt":"4"}\n';

describe('what a container listens on', () => {
  it('is each listening port once, without connections and without the name server of Docker', () => {
    const { listeners, processes } = standingIn(REAL);
    expect(listeners).toEqual([{ port: 80, from: 'reachable' }]);
    expect(processes.map(({ nsPid }) => nsPid)).toEqual([1, 7]);
  });

  it.each([
    ['0.0.0.0', 'reachable'],
    ['::', 'reachable'],
    ['172.18.0.2', 'reachable'],
    ['fd00::2', 'reachable'],
    ['::ffff:172.18.0.2', 'reachable'],
    ['127.0.0.1', 'loopback'],
    ['127.4.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
  ])('on %s is %s', (address, from) => {
    expect(standingIn(socket(address, 8080) + end).listeners).toEqual([{ port: 8080, from }]);
  });

  it('on loopback and on its own address is reachable, whichever is said first', () => {
    const one = standingIn(socket('127.0.0.1', 9000) + socket('10.88.0.5', 9000) + end);
    const other = standingIn(socket('10.88.0.5', 9000) + socket('127.0.0.1', 9000) + end);
    expect([one.listeners, other.listeners]).toEqual([
      [{ port: 9000, from: 'reachable' }],
      [{ port: 9000, from: 'reachable' }],
    ]);
  });

  it('is told beside PID 1 and its descendants, without what the engine put there', () => {
    const process = (pid: number, nsPid: number, ppid: number): string =>
      `${JSON.stringify({ ev: 'process', pid, nsPid, ppid, comm: 'app', args: ['app'], state: 'S' })}\n`;
    const text = process(903, 9, 902) + process(900, 1, 899) + process(902, 8, 900) + process(950, 30, 899) + end;
    expect(standingIn(text).processes.map(({ nsPid }) => nsPid)).toEqual([1, 8, 9]);
  });

  it('is nothing where nothing is', () => {
    expect(standingIn(end)).toEqual({ processes: [], listeners: [] });
  });

  it('cannot be told from a snapshot that broke off', () => {
    expect(() => standingIn(socket('0.0.0.0', 80))).toThrow('broke off');
  });
});
