import type { ProcessFact } from '../../model/observation.ts';
import { commandLineOf, runs } from './command-line.ts';
import type { KnownServer } from './known-server.ts';

/** Servers and proxies that speak HTTP and keep nothing. */
export const webServers: readonly KnownServer[] = [
  {
    name: 'nginx',
    title: 'nginx',
    matches: runs('nginx', 'nginx-debug', 'openresty'),
    signals: {
      TERM: { meaning: 'fast', says: 'is its fast shutdown and cuts requests in flight' },
      INT: { meaning: 'fast', says: 'is its fast shutdown and cuts requests in flight' },
      QUIT: { meaning: 'graceful', says: 'is its graceful shutdown and lets requests in flight finish' },
      HUP: { meaning: 'reload', says: 'reads the configuration again and replaces the workers' },
      USR1: { meaning: 'reopen', says: 'opens the log files again' },
      USR2: { meaning: 'upgrade', says: 'starts a new executable beside it' },
      WINCH: { meaning: 'workers', says: 'lets the workers finish and end, and the master stays' },
    },
    documentation: 'nginx documentation: Controlling nginx',
  },
  {
    name: 'apache',
    title: 'Apache httpd',
    matches: isApache,
    signals: {
      TERM: { meaning: 'fast', says: 'stops it at once and cuts requests in flight' },
      WINCH: { meaning: 'graceful', says: 'is its graceful stop and lets requests in flight finish' },
      USR1: { meaning: 'reload', says: 'is its graceful restart' },
      HUP: { meaning: 'reload', says: 'restarts its children at once and cuts requests in flight' },
    },
    documentation: 'Apache HTTP Server 2.4: Stopping and Restarting',
  },
  {
    name: 'haproxy',
    title: 'HAProxy',
    matches: runs('haproxy'),
    signals: {
      TERM: { meaning: 'immediate', says: 'is its hard stop: it ends at once and cuts every connection' },
      INT: { meaning: 'immediate', says: 'is its hard stop: it ends at once and cuts every connection' },
      USR1: { meaning: 'graceful', says: 'is its soft stop: it stops to listen and lets connections finish' },
      USR2: { meaning: 'reload', says: 'reads the configuration again in master-worker mode' },
      HUP: { meaning: 'dump', says: 'writes the state of its servers to the log (in master-worker mode it reloads)' },
      QUIT: { meaning: 'dump', says: 'writes the state of its memory pools' },
    },
    accepts: [
      {
        status: 143,
        reason:
          'the master of haproxy ends with the status of workers that SIGTERM ended (SuccessExitStatus=143 in its unit file)',
      },
      { status: 130, reason: 'the master of haproxy ends with the status of workers that SIGINT ended' },
    ],
    documentation: 'HAProxy Management Guide: Stopping and restarting HAProxy; haproxy.service',
  },
  {
    name: 'lighttpd',
    title: 'lighttpd',
    matches: runs('lighttpd'),
    signals: {
      TERM: { meaning: 'fast', says: 'shuts it down at once and cuts existing connections' },
      INT: { meaning: 'graceful', says: 'is its graceful shutdown and serves existing connections to their end' },
      USR1: { meaning: 'reload', says: 'serves existing connections to their end and reads the configuration again' },
      HUP: { meaning: 'reopen', says: 'opens the log files again' },
    },
    documentation: 'lighttpd: doc/initscripts.txt',
  },
  {
    name: 'squid',
    title: 'Squid',
    matches: runs('squid', '(squid-1)'),
    signals: {
      TERM: { meaning: 'graceful', says: 'waits shutdown_lifetime (30 s by default) for active clients and ends' },
      INT: { meaning: 'fast', says: 'ends it without waiting for active clients' },
      HUP: { meaning: 'reload', says: 'reads the configuration again' },
      USR1: { meaning: 'reopen', says: 'rotates the log files' },
      USR2: { meaning: 'other', says: 'turns full debugging on or off' },
    },
    documentation: 'squid(8)',
  },
  {
    name: 'caddy',
    title: 'Caddy',
    matches: runs('caddy'),
    signals: {
      TERM: { meaning: 'graceful', says: 'is its graceful exit, bounded by grace_period where that is set' },
      INT: { meaning: 'graceful', says: 'is its graceful exit; a second one ends it at once' },
      QUIT: { meaning: 'fast', says: 'ends it at once and only removes its locks' },
      HUP: { meaning: 'ignored', says: 'is ignored' },
    },
    documentation: 'Caddy documentation: Command Line, Signals',
  },
  {
    name: 'traefik',
    title: 'Traefik',
    matches: runs('traefik'),
    signals: {
      TERM: {
        meaning: 'graceful',
        says: 'lets requests in flight finish for lifeCycle.graceTimeOut (10 s by default)',
      },
      INT: { meaning: 'graceful', says: 'lets requests in flight finish for lifeCycle.graceTimeOut (10 s by default)' },
      USR1: { meaning: 'reopen', says: 'opens the log files again' },
    },
    documentation: 'Traefik documentation: EntryPoints, lifeCycle; Logs, Log Rotation',
  },
  {
    name: 'envoy',
    title: 'Envoy',
    matches: runs('envoy'),
    signals: {
      TERM: { meaning: 'fast', says: 'ends it without a drain, which is asked for at its admin interface before' },
      INT: { meaning: 'fast', says: 'ends it without a drain, which is asked for at its admin interface before' },
      USR1: { meaning: 'reopen', says: 'opens the access logs again' },
      HUP: { meaning: 'ignored', says: 'is ignored' },
    },
    documentation: 'Envoy documentation: Draining; Access logging',
  },
];

/**
 * `apache2`, and `httpd` where it was started as Apache is: the httpd of BusyBox has the same name, knows neither -D nor
 * -k nor -X, and lives in another folder.
 */
function isApache(process: ProcessFact): boolean {
  const { program, words } = commandLineOf(process);
  if (program === 'apache2') return true;
  const [path = '', ...options] = words;
  return program === 'httpd' && (/apache/.test(path) || options.some((word) => /^-[DkX]/.test(word)));
}
