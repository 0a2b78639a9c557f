import { describe, expect, it } from 'vitest';
import type { Finding } from '../model/clause.ts';
import type { ProcessFact } from '../model/observation.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import {
  at,
  exit,
  gracefulStop,
  line,
  outerTimeout,
  processFact as p,
  ready,
  RECEIVED,
  signal,
  SIGNAL_AT,
  tree,
} from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';

function run(id: string, rows: readonly Row[]): void {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      const finding = judgeClause(id, setting, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
    });
  }
}

describe('IMG-1', () => {
  const node = ['node', 'main.js'];
  const trees: readonly (readonly [string, Finding['outcome'], readonly ProcessFact[], RegExp])[] = [
    ['the service as PID 1', 'pass', [p(1, 0, node)], /^PID 1 node$/],
    ['a service with workers', 'pass', [p(1, 0, node), p(2, 1, node), p(3, 1, ['sh', '-c', 'job'])], /^PID 1 node$/],
    ['tini in front', 'pass', [p(1, 0, ['/sbin/tini', '--', 'node']), p(7, 1, node)], /tini \(init\) -> PID 7 node/],
    ['docker-init in front', 'pass', [p(1, 0, ['/sbin/docker-init', '--', 'node']), p(7, 1, node)], /docker-init/],
    [
      's6 with a service',
      'pass',
      [p(1, 0, ['s6-svscan']), p(2, 1, ['s6-supervise', 'x']), p(3, 2, node)],
      /PID 3 node/,
    ],
    ['a script that is the service', 'pass', [p(1, 0, ['/bin/sh', '/serve.sh'])], /^PID 1 sh \(shell\)$/],
    ['a shell whose child is a zombie', 'pass', [p(1, 0, ['sh']), p(2, 1, ['x'], { state: 'Z' })], /^PID 1 sh/],
    ['a shell loop that is the service', 'pass', [p(1, 0, ['sh', '/loop.sh']), p(2, 1, ['sleep', '5'])], /^PID 1 sh/],
    [
      'a shell loop that is the service behind an init',
      'pass',
      [p(1, 0, ['tini']), p(2, 1, ['sh']), p(3, 2, ['busybox', 'sleep', '5'])],
      /-> PID 2 sh/,
    ],
    ['bun that is the service', 'pass', [p(1, 0, ['bun', 'run', 'server.ts']), p(2, 1, ['sh'])], /^PID 1 bun$/],
    ['deno that is the service', 'pass', [p(1, 0, ['deno', 'run', 'main.ts']), p(2, 1, ['deno'])], /^PID 1 deno$/],
    ['dotnet that is the service', 'pass', [p(1, 0, ['dotnet', 'app.dll']), p(2, 1, ['x'])], /^PID 1 dotnet$/],
    ['bun before a script', 'fail', [p(1, 0, ['bun', '--bun', 'run', 'start']), p(2, 1, ['bun'])], /bun \(launcher\)/],
    ['deno before a task', 'fail', [p(1, 0, ['deno', 'task', 'start']), p(2, 1, ['deno'])], /deno \(launcher\)/],
    ['dotnet run', 'fail', [p(1, 0, ['dotnet', 'run']), p(2, 1, ['/app/x'])], /dotnet \(launcher\)/],
    [
      'node with tsx loaded into it',
      'pass',
      [p(1, 0, ['node', '--import', 'tsx', 'x.ts']), p(2, 1, node)],
      /^PID 1 node$/,
    ],
    [
      'node with a file of tsx loaded into it',
      'pass',
      [p(1, 0, ['node', '-r', '/app/node_modules/tsx/dist/preflight.cjs', 'x.ts']), p(2, 1, node)],
      /^PID 1 node$/,
    ],
    ['uv run', 'fail', [p(1, 0, ['uv', 'run', 'app.py']), p(2, 1, ['python3', 'app.py'])], /uv \(launcher\)/],
    ...['tsx', 'ts-node-dev', 'concurrently', 'cross-env', 'dotenv'].map(
      (name) =>
        [
          `${name} in front`,
          'fail',
          [p(1, 0, ['node', `/app/node_modules/.bin/${name}`, 'x']), p(2, 1, node)],
          new RegExp(`PID 1 ${name} \\(launcher\\) stays`),
        ] as const,
    ),
    [
      'tsx in front by its file',
      'fail',
      [p(1, 0, ['node', '/app/node_modules/tsx/dist/cli.mjs', 'x.ts']), p(2, 1, node)],
      /PID 1 tsx \(launcher\)/,
    ],
    ['a launcher that started nothing yet', 'inconclusive', [p(1, 0, ['npm', 'start'])], /npm \(launcher\) .*no child/],
    [
      'a launcher that started nothing yet behind an init',
      'inconclusive',
      [p(1, 0, ['tini']), p(2, 1, ['tsx', 'x.ts'])],
      /PID 2 tsx \(launcher\) .*no child/,
    ],
    [
      'a shell with a daemonised service beside sleep',
      'fail',
      [p(1, 0, ['sh']), p(2, 1, ['sleep', 'infinity']), p(3, 1, node)],
      /PID 1 sh \(shell\) stays in front: .*-> PID 3 node/,
    ],
    [
      'a shell with a daemonised service beside it under an init',
      'fail',
      [p(1, 0, ['tini']), p(2, 1, ['sh']), p(3, 2, ['tail', '-f']), p(4, 1, node)],
      /PID 2 sh \(shell\) stays/,
    ],
    ['a busybox applet that is no shell', 'pass', [p(1, 0, ['busybox', 'httpd']), p(2, 1, ['x'])], /^PID 1 httpd$/],
    ['a shell in front', 'fail', [p(1, 0, ['/bin/sh', '-c', 'a; b']), p(2, 1, node)], /PID 1 sh .*-> PID 2 node/],
    ['a login shell in front', 'fail', [p(1, 0, ['-bash']), p(2, 1, node)], /bash \(shell\) stays/],
    [
      'a shell in front of another platform’s programs',
      'fail',
      [
        p(1, 0, ['/usr/bin/qemu-aarch64-static', '/bin/sh', '-c', 'node x; true']),
        p(2, 1, ['/usr/bin/qemu-aarch64-static', ...node]),
      ],
      /PID 1 sh/,
    ],
    ['busybox sh in front', 'fail', [p(1, 0, ['busybox', 'sh', '/run.sh']), p(2, 1, node)], /PID 1 sh/],
    [
      'npm in front by its title',
      'fail',
      [p(1, 0, ['npm start'], { comm: 'npm start' }), p(2, 1, node)],
      /npm \(launcher\)/,
    ],
    ['npm in front by its script', 'fail', [p(1, 0, ['node', '/lib/npm-cli.js', 'start']), p(2, 1, ['sh'])], /npm/],
    ['yarn in front by its release', 'fail', [p(1, 0, ['node', '/opt/yarn-1.22.js']), p(2, 1, node)], /yarn/],
    [
      'supervisord in front',
      'fail',
      [p(1, 0, ['/usr/bin/python3', '/usr/bin/supervisord']), p(2, 1, node)],
      /supervisord/,
    ],
    ['su in front', 'fail', [p(1, 0, ['su', 'app']), p(2, 1, node)], /su \(launcher\)/],
    [
      'init, then a shell in front',
      'fail',
      [p(1, 0, ['tini']), p(2, 1, ['sh']), p(3, 2, node)],
      /PID 2 sh .*stays.*PID 3/,
    ],
    [
      'tail under an init with the service beside it',
      'fail',
      [p(1, 0, ['tini']), p(7, 1, ['tail', '-f']), p(9, 1, node)],
      /PID 7 tail \(placeholder\) stays in front: PID 1 tini \(init\) -> PID 7 tail/,
    ],
    [
      'a service under an init, with a placeholder that it adopted',
      'pass',
      [p(1, 0, ['tini']), p(7, 1, node), p(9, 1, ['sleep', '5'])],
      /-> PID 7 node$/,
    ],
    ['tail with the service beside it', 'fail', [p(1, 0, ['tail', '-f']), p(2, 1, node)], /tail \(placeholder\) stays/],
  ];
  it.each(trees)('%s: %s', (_, outcome, list, seen) => {
    const finding = judgeClause('IMG-1', {}, [ready(), tree(list)]);
    expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen), evidence: [2] });
    if (outcome === 'fail') expect(finding.seen).toContain('Entrypoint ["/server"]');
  });
  run('IMG-1', [
    ['no snapshot is inconclusive', 'inconclusive', [ready()], /no process tree/],
    ['a snapshot without PID 1 is inconclusive', 'inconclusive', [ready(), tree([p(5, 0, node)])], /no PID 1/],
    ['a snapshot of the stop says nothing', 'inconclusive', [tree([p(1, 0, node)], 'during-stop')], /no process tree/],
  ]);
});

describe('IMG-2', () => {
  const masks = tree([p(1, 0, ['sh'], { caught: '4000', ignored: '2' }), p(2, 1, ['node'])]);
  run('IMG-2', [
    ['a service that ends by itself has received it', 'pass', gracefulStop(), /ended by itself after SIGTERM/],
    ['whatever the status', 'pass', [ready(), ...signal(), ...exit(9, 3)], /exit 3/],
    [
      'survival fails, and the masks explain',
      'fail',
      [ready(), masks, ...signal(), ...outerTimeout()],
      /PID 1 sh .*SigCgt 1, SigIgn 0, SigBlk 0/,
    ],
    [
      'survival fails without a snapshot too',
      'fail',
      [ready(), ...signal(), ...outerTimeout()],
      /no effect: still running/,
    ],
    [
      'a logged receipt is an effect',
      'pass',
      [ready(), ...signal(), line(1, RECEIVED), ...outerTimeout()],
      /logged the receipt/,
    ],
    ['an outside kill is inconclusive', 'inconclusive', [ready(), ...signal(), ...exit(9, 137)], /cannot be told/],
    ['no signal is inconclusive', 'inconclusive', [ready(), ...exit(9, 0)], /trigger never happened/],
  ]);
});

describe('IMG-3', () => {
  const image = (value: string) => ({ image: { stopSignal: { value, origin: 'image' as const } } });
  run('IMG-3', [
    ['SIGTERM passes', 'pass', [], /SIGTERM \(image\)/, image('SIGTERM')],
    ['the number 15 passes', 'pass', [], /SIGTERM/, image('15')],
    ['SIGQUIT fails', 'fail', [], /SIGQUIT \(image\)/, image('SIGQUIT')],
    ['the number 2 fails', 'fail', [], /SIGINT/, image('2')],
  ]);
});

describe('IMG-5', () => {
  const called: Entry = { kind: 'stop.called', t: at(SIGNAL_AT - 8), mode: 'given', timeoutS: 2 };
  const killed: Entry = { kind: 'engine.event', action: 'kill', t: at(SIGNAL_AT), at: at(SIGNAL_AT), signal: '15' };
  const setting = { values: { timeout: 'given' } };
  run('IMG-5', [
    [
      'a stop that ends by itself passes',
      'pass',
      [ready(), called, killed, ...exit(40, 0)],
      /exit 0 after 40 ms/,
      setting,
    ],
    [
      'without a kill event the call is the start',
      'pass',
      [ready(), called, ...exit(40, 0)],
      /after 48 ms \[3\.\.53\]/,
      { ...setting, engine: 'podman' },
    ],
    [
      '137 is the SIGKILL of the engine',
      'fail',
      [ready(), called, killed, ...exit(2003, 137)],
      /engine's stop ended in SIGKILL/,
      setting,
    ],
    ['a wrong status fails', 'fail', [ready(), called, killed, ...exit(40, 1)], /exit 1/, setting],
    ['a slow stop fails', 'fail', [ready(), called, killed, ...exit(1500, 0)], /not below/, setting],
    [
      'a limit inside the dispatch is inconclusive',
      'inconclusive',
      [ready(), called, ...exit(1010, 0)],
      /lies inside/,
      setting,
    ],
    [
      'a hang past the outer timeout fails',
      'fail',
      [ready(), called, ...outerTimeout()],
      /after the engine's stop; the harness/,
      setting,
    ],
    ['a bare signal is no engine stop', 'inconclusive', gracefulStop(), /trigger never happened/, setting],
  ]);
});
