import type { ProcessFact } from '../../model/observation.ts';
import { commandLineOf, runs } from './command-line.ts';
import type { KnownServer } from './known-server.ts';

/** Servers that keep data: databases, stores, brokers. */
export const dataServers: readonly KnownServer[] = [
  {
    name: 'postgres',
    title: 'PostgreSQL',
    matches: runs('postgres', 'postmaster'),
    signals: {
      TERM: { meaning: 'graceful', says: 'is its smart shutdown and waits for every client to leave, for ever' },
      INT: { meaning: 'fast', says: 'is its fast shutdown: it rolls back, disconnects clients and checkpoints' },
      QUIT: { meaning: 'immediate', says: 'is its immediate shutdown: no checkpoint, and recovery at the next start' },
      HUP: { meaning: 'reload', says: 'reads the configuration again' },
    },
    documentation: 'PostgreSQL documentation: Shutting Down the Server; postgres(1)',
    recoveryLines: [
      'database system was not properly shut down',
      'database system was interrupted',
      'automatic recovery in progress',
    ],
  },
  {
    name: 'mysql',
    title: 'MySQL or MariaDB',
    matches: runs('mysqld', 'mariadbd'),
    signals: {
      TERM: { meaning: 'fast', says: 'shuts it down as the statement SHUTDOWN does' },
      INT: { meaning: 'ignored', says: 'is ignored by design' },
      HUP: { meaning: 'reload', says: 'reads the grant tables again and flushes tables and logs' },
      USR1: { meaning: 'reopen', says: 'flushes the logs' },
    },
    documentation: 'MySQL Reference Manual: Unix Signal Handling in MySQL',
    recoveryLines: ['Starting (table )?crash recovery', 'Database was not shutdown normally'],
  },
  {
    name: 'mongodb',
    title: 'MongoDB',
    matches: runs('mongod'),
    signals: {
      TERM: { meaning: 'fast', says: 'is its clean shutdown' },
      INT: { meaning: 'fast', says: 'is its clean shutdown' },
      USR1: { meaning: 'reopen', says: 'rotates the log' },
    },
    documentation: 'MongoDB Manual: Manage mongod Processes; Rotate Log Files',
    recoveryLines: ['Detected unclean shutdown'],
  },
  {
    name: 'redis',
    title: 'Redis or Valkey',
    matches: isRedis,
    signals: {
      TERM: { meaning: 'fast', says: 'saves where saving is configured, disconnects clients and ends' },
      INT: { meaning: 'fast', says: 'saves where saving is configured, disconnects clients and ends' },
      HUP: { meaning: 'ignored', says: 'is ignored' },
    },
    documentation: 'Redis documentation: Redis signal handling',
    recoveryLines: [
      'Bad file format reading the append only file',
      'Unexpected end of file reading the append only file',
      'AOF loaded anyway because aof-load-truncated is enabled',
      'Short read or OOM loading DB',
    ],
    state: {
      write: 'SET lf-qualify:state TOKEN\r\n',
      read: 'GET lf-qualify:state\r\n',
      expect: 'TOKEN',
      // without save points nothing is written at the stop, and nothing was promised
      unless: { ask: 'CONFIG GET save\r\n', says: '$4\r\nsave\r\n$0\r\n' },
    },
  },
  {
    name: 'memcached',
    title: 'memcached',
    matches: runs('memcached'),
    signals: {
      TERM: { meaning: 'fast', says: 'ends it, with all that it holds' },
      INT: { meaning: 'fast', says: 'ends it, with all that it holds' },
      USR1: { meaning: 'fast', says: 'ends it and keeps its memory file for a warm restart, where it has one (-e)' },
    },
    documentation: 'memcached documentation: Warm Restart; memcached(1)',
  },
  {
    name: 'etcd',
    title: 'etcd',
    matches: runs('etcd'),
    signals: {
      TERM: { meaning: 'fast', says: 'stops the member and ends; where it is not PID 1 it raises the signal again' },
      INT: { meaning: 'fast', says: 'stops the member and ends; where it is not PID 1 it raises the signal again' },
    },
    accepts: [
      { status: 143, reason: 'etcd behind an init raises SIGTERM again when it has stopped' },
      { status: 130, reason: 'etcd behind an init raises SIGINT again when it has stopped' },
    ],
    documentation: 'etcd: pkg/osutil, interrupt handlers',
  },
  {
    name: 'rabbitmq',
    title: 'RabbitMQ',
    matches: (process) => isErlang(process) && /\brabbit/i.test(commandLineOf(process).words.join(' ')),
    signals: {
      TERM: { meaning: 'fast', says: 'stops the node and its applications in order' },
      INT: { meaning: 'fast', says: 'stops the node where its start script is in front, and is ignored by the node' },
      HUP: { meaning: 'ignored', says: 'is ignored' },
    },
    accepts: [{ status: 130, reason: 'the start script of RabbitMQ ends with 130 after SIGINT' }],
    documentation: 'RabbitMQ: rabbitmq-server(8) and the signal handlers of its start script',
    recoveryLines: ['rebuilding indices from scratch'],
  },
  {
    name: 'erlang',
    title: 'an Erlang node',
    matches: isErlang,
    signals: {
      TERM: { meaning: 'fast', says: 'stops its applications in order (init:stop)' },
      QUIT: { meaning: 'immediate', says: 'halts the node' },
      USR1: { meaning: 'immediate', says: 'halts the node and writes a crash dump' },
    },
    documentation: 'Erlang/OTP: kernel, os:set_signal/2 and erl_signal_server',
  },
  {
    name: 'mosquitto',
    title: 'Mosquitto',
    matches: runs('mosquitto'),
    signals: {
      TERM: { meaning: 'fast', says: 'saves where persistence is configured, disconnects clients and ends' },
      INT: { meaning: 'fast', says: 'saves where persistence is configured, disconnects clients and ends' },
      HUP: { meaning: 'reload', says: 'reads the configuration again' },
      USR1: { meaning: 'other', says: 'writes the persistence database' },
      USR2: { meaning: 'dump', says: 'prints the tree of subscriptions' },
    },
    documentation: 'mosquitto(8)',
    recoveryLines: ['Error: Corrupt persistent database', 'Error restoring persistent database'],
  },
  {
    name: 'nats',
    title: 'NATS server',
    matches: runs('nats-server'),
    signals: {
      TERM: { meaning: 'fast', says: 'stops it and closes the connections of its clients' },
      INT: { meaning: 'fast', says: 'stops it and closes the connections of its clients' },
      USR2: { meaning: 'graceful', says: 'is its lame duck mode: it lets clients move away one by one, then ends' },
      HUP: { meaning: 'reload', says: 'reads the configuration again' },
      USR1: { meaning: 'reopen', says: 'opens the log file again' },
      QUIT: { meaning: 'immediate', says: 'ends it at once with a dump of its stacks' },
    },
    documentation: 'NATS documentation: Signals',
  },
];

/** A sentinel runs the same program and keeps no data. */
function isRedis(process: ProcessFact): boolean {
  const sentinel = commandLineOf(process).words.some((word) => word === '[sentinel]' || word === '--sentinel');
  return !sentinel && runs('redis-server', 'valkey-server')(process);
}

function isErlang(process: ProcessFact): boolean {
  return runs('beam.smp', 'beam')(process);
}
