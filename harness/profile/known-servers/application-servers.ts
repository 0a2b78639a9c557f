import type { AcceptedStatus } from '../../model/clause.ts';
import type { ProcessFact } from '../../model/observation.ts';
import { commandLineOf, runs } from './command-line.ts';
import type { KnownServer } from './known-server.ts';

const hooks = 'runs the shutdown hooks, then the JVM ends with 128 + the number of the signal';
const JVM_SIGNALS: KnownServer['signals'] = {
  TERM: { meaning: 'fast', says: hooks },
  INT: { meaning: 'fast', says: hooks },
  HUP: { meaning: 'fast', says: hooks },
  QUIT: { meaning: 'dump', says: 'prints the stacks of all threads' },
};
const JVM_STATUSES: readonly AcceptedStatus[] = [
  { status: 143, reason: 'a JVM that SIGTERM ended in order, its shutdown hooks run, ends with 143' },
  { status: 130, reason: 'a JVM that SIGINT ended in order, its shutdown hooks run, ends with 130' },
  { status: 129, reason: 'a JVM that SIGHUP ended in order, its shutdown hooks run, ends with 129' },
];
const JVM = 'Java HotSpot documentation: Handle Signals and Exceptions';

/** Servers that run somebody's application: what that does at a stop is not for them to say. */
export const applicationServers: readonly KnownServer[] = [
  {
    name: 'gunicorn',
    title: 'Gunicorn',
    matches: runs('gunicorn', 'gunicorn3'),
    signals: {
      TERM: {
        meaning: 'graceful',
        says: 'is its graceful shutdown and waits graceful_timeout (30 s by default) for workers',
      },
      INT: { meaning: 'fast', says: 'is its quick shutdown and cuts requests in flight' },
      QUIT: { meaning: 'fast', says: 'is its quick shutdown and cuts requests in flight' },
      HUP: { meaning: 'reload', says: 'reads the configuration again and replaces the workers' },
      USR1: { meaning: 'reopen', says: 'opens the log files again' },
      USR2: { meaning: 'upgrade', says: 'starts a new executable beside it' },
      WINCH: { meaning: 'workers', says: 'lets the workers finish and end, where it runs as a daemon' },
    },
    documentation: 'Gunicorn documentation: Signal Handling',
  },
  {
    name: 'uvicorn',
    title: 'Uvicorn',
    matches: isUvicorn,
    signals: {
      TERM: {
        meaning: 'graceful',
        says: 'is its graceful shutdown, without a bound unless --timeout-graceful-shutdown is set',
      },
      INT: {
        meaning: 'graceful',
        says: 'is its graceful shutdown; another one after any first signal cuts what is left',
      },
    },
    accepts: [
      {
        status: 143,
        reason: 'Uvicorn since 0.29 raises SIGTERM again when it has shut down; behind an init that gives 143',
      },
      {
        status: 130,
        reason: 'Uvicorn since 0.29 raises SIGINT again when it has shut down; behind an init that gives 130',
      },
    ],
    documentation: 'Uvicorn documentation: Server Behavior, Graceful Process Shutdown; release notes of 0.29',
  },
  {
    name: 'hypercorn',
    title: 'Hypercorn',
    matches: runs('hypercorn'),
    signals: {
      TERM: { meaning: 'graceful', says: 'lets requests in flight finish for graceful_timeout (3 s by default)' },
      INT: { meaning: 'graceful', says: 'lets requests in flight finish for graceful_timeout (3 s by default)' },
    },
    documentation: 'Hypercorn documentation: Configuring, graceful_timeout',
  },
  {
    name: 'uwsgi',
    title: 'uWSGI',
    matches: (process) => /^uwsgi(?:-core|_python\d*)?$/i.test(commandLineOf(process).program),
    signals: {
      TERM: { meaning: 'reload', says: 'reloads it brutally and does not end it, unless die-on-term is set' },
      INT: { meaning: 'immediate', says: 'kills it with all its workers at once' },
      QUIT: { meaning: 'immediate', says: 'kills it with all its workers at once' },
      HUP: { meaning: 'reload', says: 'reloads it gracefully' },
      USR1: { meaning: 'dump', says: 'prints statistics' },
      USR2: { meaning: 'dump', says: 'prints the status of the workers' },
    },
    documentation: 'uWSGI documentation: Managing the uWSGI server',
  },
  {
    name: 'php-fpm',
    title: 'PHP-FPM',
    matches: (process) => /^php-fpm(?:\d+(?:\.\d+)?)?$/.test(commandLineOf(process).program),
    signals: {
      TERM: { meaning: 'fast', says: 'ends it at once and cuts requests in flight' },
      INT: { meaning: 'fast', says: 'ends it at once and cuts requests in flight' },
      QUIT: {
        meaning: 'graceful',
        says: 'is its graceful stop, bounded by process_control_timeout (0 by default: no wait)',
      },
      USR1: { meaning: 'reopen', says: 'opens the log files again' },
      USR2: { meaning: 'reload', says: 'reloads all workers with the configuration and the executable' },
    },
    documentation: 'php-fpm(8); PHP Manual: process_control_timeout',
  },
  {
    name: 'tomcat',
    title: 'Apache Tomcat',
    matches: (process) => isJava(process) && hasWord(process, /^org\.apache\.catalina\.startup\.Bootstrap$/),
    signals: JVM_SIGNALS,
    accepts: JVM_STATUSES,
    documentation: `${JVM}; Tomcat documentation: The Lifecycle of its shutdown hook`,
  },
  {
    name: 'jetty',
    title: 'Eclipse Jetty',
    matches: (process) => isJava(process) && hasWord(process, /^(?:-Djetty\.(?:home|base)=|org\.eclipse\.jetty\.)/),
    signals: JVM_SIGNALS,
    accepts: JVM_STATUSES,
    documentation: `${JVM}; Jetty documentation: Graceful Shutdown`,
  },
  {
    name: 'java',
    title: 'a JVM',
    matches: isJava,
    signals: JVM_SIGNALS,
    accepts: JVM_STATUSES,
    documentation: JVM,
  },
  {
    name: 'puma',
    title: 'Puma',
    matches: runs('puma'),
    signals: {
      TERM: { meaning: 'graceful', says: 'lets requests in flight finish, then it raises the signal again' },
      INT: { meaning: 'graceful', says: 'lets requests in flight finish' },
      HUP: { meaning: 'reopen', says: 'opens the log files again; without stdout_redirect it is as SIGINT' },
      USR1: { meaning: 'reload', says: 'replaces the workers one by one' },
      USR2: { meaning: 'reload', says: 'restarts it with its configuration' },
    },
    accepts: [{ status: 143, reason: 'Puma raises SIGTERM again when it has shut down (raise_exception_on_sigterm)' }],
    documentation: 'Puma documentation: Signals; DSL, raise_exception_on_sigterm',
  },
  {
    name: 'unicorn',
    title: 'Unicorn',
    matches: runs('unicorn', 'unicorn_rails'),
    signals: {
      TERM: { meaning: 'fast', says: 'is its quick shutdown and cuts requests in flight' },
      INT: { meaning: 'fast', says: 'is its quick shutdown and cuts requests in flight' },
      QUIT: { meaning: 'graceful', says: 'is its graceful shutdown and waits for workers to finish their request' },
      HUP: { meaning: 'reload', says: 'reads the configuration again and replaces the workers' },
      USR1: { meaning: 'reopen', says: 'opens the log files again' },
      USR2: { meaning: 'upgrade', says: 'starts a new executable beside it' },
      WINCH: { meaning: 'workers', says: 'lets the workers finish and end, where it runs as a daemon' },
    },
    documentation: 'Unicorn documentation: Signal handling',
  },
  {
    name: 'node',
    title: 'Node.js',
    matches: isNode,
    // TERM, INT and HUP mean what the application says; what Node does by itself needs it not to be PID 1.
    signals: { USR1: { meaning: 'other', says: 'starts the inspector' } },
    documentation: 'Node.js documentation: process, Signal events',
  },
];

function hasWord(process: ProcessFact, form: RegExp): boolean {
  return commandLineOf(process).words.some((word) => form.test(word));
}

function isJava(process: ProcessFact): boolean {
  // with -Xrs a JVM handles no signal: what is known of its ends is then not so
  const { program, words } = commandLineOf(process);
  return program === 'java' && !words.includes('-Xrs');
}

/** `fastapi run` is Uvicorn with another command line. */
function isUvicorn(process: ProcessFact): boolean {
  return runs('uvicorn')(process) || (runs('fastapi')(process) && hasWord(process, /^run$/));
}

function isNode(process: ProcessFact): boolean {
  return ['node', 'nodejs'].includes(commandLineOf(process).program);
}
