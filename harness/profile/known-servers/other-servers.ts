import { runs } from './command-line.ts';
import type { KnownServer } from './known-server.ts';

/** Supervisors, and what fits nowhere else. */
export const otherServers: readonly KnownServer[] = [
  {
    name: 'supervisord',
    title: 'supervisord',
    matches: runs('supervisord'),
    signals: {
      TERM: {
        meaning: 'graceful',
        says: 'stops all its programs, each with its own stopsignal and stopwaitsecs, and ends',
      },
      INT: {
        meaning: 'graceful',
        says: 'stops all its programs, each with its own stopsignal and stopwaitsecs, and ends',
      },
      QUIT: {
        meaning: 'graceful',
        says: 'stops all its programs, each with its own stopsignal and stopwaitsecs, and ends',
      },
      HUP: { meaning: 'reload', says: 'stops all its programs, reads the configuration again and starts them' },
      USR2: { meaning: 'reopen', says: 'opens its log files again' },
    },
    documentation: 'Supervisor documentation: Running Supervisor, Signals',
  },
  {
    name: 's6',
    title: 's6-svscan',
    matches: runs('s6-svscan'),
    signals: {
      TERM: { meaning: 'graceful', says: 'stops every supervised service and ends when they are gone' },
    },
    documentation: 's6: the s6-svscan program, Signals',
  },
  {
    name: 'runit',
    title: 'runsvdir of runit',
    matches: runs('runsvdir'),
    signals: {
      TERM: { meaning: 'immediate', says: 'ends it at once, and it stops none of its services' },
      HUP: { meaning: 'graceful', says: 'has every service stopped, then it ends with 111' },
    },
    accepts: [{ status: 111, reason: 'runsvdir ends with 111 after SIGHUP, the signal that stops its services' }],
    documentation: 'runsvdir(8)',
  },
  {
    name: 'sshd',
    title: 'OpenSSH sshd',
    matches: runs('sshd'),
    signals: {
      TERM: { meaning: 'fast', says: 'ends the listening daemon' },
      HUP: { meaning: 'reload', says: 'executes it again with its configuration' },
    },
    documentation: 'sshd(8)',
  },
  {
    name: 'prometheus',
    title: 'Prometheus',
    matches: runs('prometheus'),
    signals: {
      TERM: { meaning: 'graceful', says: 'shuts it down gracefully' },
      INT: { meaning: 'graceful', says: 'shuts it down gracefully' },
      HUP: { meaning: 'reload', says: 'reads the configuration again' },
    },
    documentation: 'Prometheus documentation: Getting started; Configuration',
    recoveryLines: ['Encountered WAL read error', 'WAL segment .*corrupt'],
  },
];
