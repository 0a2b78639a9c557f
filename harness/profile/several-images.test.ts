import { describe, expect, it } from 'vitest';
import { parseProfile, parseProfileSet } from './load-profile.ts';

const parse = (text: string, clauses?: readonly string[]) =>
  parseProfileSet(`version: 1\n${text}`, 'p.yaml', {
    environment: { SET: 'set', TOKEN: 's3cret' },
    ...(clauses === undefined ? {} : { clauses }),
  });

const file = `
preset: light-fabric
engines: [docker]
port: 80
grace: 2s
tolerance: 60
env: { A: top, B: top, N: 1.10 }
secrets: [A]
require: [SIG]
ready: { http: /health }
terms: { stopBound: 3s, floor: 1s }
images:
  - image: a:1
  - image: b
    name: b-small
    port: 81
    memory: 64MiB
    env: { B: entry, C: 0x1f }
    secrets: [B, C]
    require: []
    terms: { tolerance: 70, stopGoal: 900 }
    registry: { urlEnv: URL, env: { T: 1.0 } }
    dependencies: { db: { image: x, env: { P: 0777 }, ready: { tcp: 1 } } }
`;

describe('several images in one file', () => {
  it('what stands outside holds for each', () => {
    const [a] = parse(file).entries;
    expect(a).toMatchObject({
      image: 'a:1',
      preset: 'light-fabric',
      engines: ['docker'],
      env: { A: 'top', B: 'top', N: '1.10' },
      secrets: ['top'],
      ready: { port: 80 },
      toleranceMs: 60,
      terms: { stopBoundMs: 3000, floorMs: 1000 },
      require: ['SIG'],
    });
    expect(a).not.toHaveProperty('name');
  });

  it('a key of an entry replaces that as a whole, lists too; env is merged by name', () => {
    const [, b] = parse(file).entries;
    expect(b).toMatchObject({
      image: 'b',
      name: 'b-small',
      memoryBytes: 67_108_864,
      env: { A: 'top', B: 'entry', C: '0x1f', N: '1.10' },
      secrets: ['entry', '0x1f'],
      // the check asks the port of the entry
      ready: { port: 81 },
      graceMs: 2000,
      toleranceMs: 70,
      require: [],
      registry: { env: { T: '1.0' } },
      dependencies: [{ env: { P: '0777' } }],
    });
    expect(b?.terms).toEqual({ stopGoalMs: 900 });
    expect(b?.declared).toEqual(expect.arrayContaining(['port', 'env', 'memory', 'tolerance', 'terms', 'grace']));
    expect(b?.declared).not.toContain('images');
  });

  it('the top alone holds for an image that the file does not name', () => {
    expect(parse(file).defaults()).toMatchObject({ port: 80, env: { A: 'top', B: 'top' }, toleranceMs: 60 });
    expect(parse(file).defaults()).not.toHaveProperty('image');
  });

  it('what only an entry completes is a mistake for other images alone', () => {
    const set = parse('ready: { http: /health }\nimages: [{ image: a, port: 80 }]');
    expect(set.entries[0]?.ready).toMatchObject({ port: 80 });
    expect(() => set.defaults()).toThrow(/^p\.yaml:2: ready\.http: expected a port to ask, found none/);
  });

  it('a file without images names one or none', () => {
    expect(parse('image: a').entries).toMatchObject([{ image: 'a' }]);
    expect(parse('port: 80').entries).toEqual([]);
    expect(parse('port: 80').defaults()).toMatchObject({ port: 80 });
  });

  it.each([
    ['images: []', 2, 'images: expected at least one image, found a list'],
    ['images: a', 2, 'images: expected a list of { image: name:tag }, found a string (not shown)'],
    [
      'images:\n  - a',
      3,
      'images[0]: expected { image: name:tag } and what is different for it, found a string (not shown)',
    ],
    ['images:\n  - port: 80', 3, 'images[0].image: expected text, found nothing'],
    [
      'images:\n  - image: a\n    grase: 1s',
      4,
      /^images\[0\]\.grase: unknown key \(did you mean "grace"\?\); expected one of image, name, preset/,
    ],
    [
      'images:\n  - image: a\n    engines: [docker]',
      4,
      /^images\[0\]\.engines: unknown key \(it belongs to the top level\); /,
    ],
    ['images:\n  - image: a\n    grace: soon', 4, /^images\[0\]\.grace: expected a duration .*, found "soon"$/],
    ['images:\n  - image: a\n    env: { A: [hush] }', 4, 'images[0].env.A: expected text, found a list'],
    [
      `images:\n  - image: a\n    env:\n      A: "\${NONE}"`,
      5,
      /^images\[0\]\.env\.A: expected the environment variable NONE, found it unset/,
    ],
    [
      `env: { A: "\${NONE}" }\nimages:\n  - image: a\n  - image: b`,
      2,
      /^env\.A: expected the environment variable NONE, found it unset/,
    ],
    [
      'images:\n  - image: a\n    name: a b',
      4,
      'images[0].name: expected a name of letters, digits and any of . _ : / @ + -, found "a b"',
    ],
    [
      'images:\n  - image: a\n  - image: a',
      4,
      'images[1].image: expected another name than that of an image before, found "a"; give each a name: of its own',
    ],
    [
      'images:\n  - image: a\n  - image: b\n    name: a',
      5,
      'images[1].name: expected another name than that of an image before, found "a"; give each a name: of its own',
    ],
    [
      'image: a\nimages: [{ image: b }]',
      2,
      'image: expected it in one place, found image and images; leave one of them out',
    ],
    [
      'images:\n  - image: a\n    require: [XXX]',
      4,
      'images[0].require[0]: expected a clause of the contract, found "XXX"',
    ],
    [
      'require: [XXX]\nimages:\n  - image: a\n  - image: b',
      2,
      'require[0]: expected a clause of the contract, found "XXX"',
    ],
    [
      `env:\n  A: "\${NONE}"\nimages:\n  - image: a\n    env: { B: b }`,
      3,
      /^env\.A: expected the environment variable NONE, found it unset/,
    ],
  ])('a mistake is told once, where it stands: %j', (text, line, message) => {
    const said = (() => {
      try {
        parse(text, ['SIG-1']);
      } catch (error) {
        return (error as Error).message;
      }
      return 'no error';
    })();
    const [, at, rest] = /^p\.yaml:(\d+): (.*)$/.exec(said) ?? [];
    expect([Number(at), rest]).toEqual([line, typeof message === 'string' ? message : expect.stringMatching(message)]);
    expect(said).not.toContain('hush');
  });
});

describe('terms', () => {
  const terms = (text: string) => parseProfile(`version: 1\n${text}`, 'p.yaml');

  it('replace numbers and policies of the preset', () => {
    const text =
      'terms: { stopBound: 2s, stopGoal: 1s, floor: 0, listenerClose: 200, afterWork: 1s, afterWorkGoal: 300, idleWatch: 5s, ' +
      'expiredStatus: 3, expiredSaidOnStderr: false, gracefulSignals: [TERM, HUP], primarySignal: HUP, tolerance: 80, ' +
      'allowance: 2s, outerTimeout: 20s, zeroGrace: refuse }';
    expect(terms(text)).toMatchObject({
      terms: {
        stopBoundMs: 2000,
        stopGoalMs: 1000,
        floorMs: 0,
        listenerCloseMs: 200,
        afterWorkMs: 1000,
        afterWorkGoalMs: 300,
        idleWatchMs: 5000,
        expiredStatus: 3,
        expiredSaidOnStderr: false,
        gracefulSignals: ['TERM', 'HUP'],
        primarySignal: 'HUP',
      },
      toleranceMs: 80,
      allowanceMs: 2000,
      outerTimeoutMs: 20_000,
      zeroGrace: 'refuse',
    });
    expect(terms('terms: { expiredStatus: any }').terms).toEqual({ expiredStatus: null });
  });

  const signals = 'expected a signal that can be handled: TERM, INT, HUP, QUIT, USR1, USR2 or WINCH';
  it.each([
    ['terms: 5', 'terms: expected a mapping of terms, found 5'],
    ['terms: { stopBound: 0 }', 'terms.stopBound: expected a duration longer than 0, found 0'],
    [
      'terms: { floor: -1 }',
      'terms.floor: expected a duration (whole milliseconds, or with a unit: 1500ms, 2s, 1m), found -1',
    ],
    [
      'terms: { expiredStatus: 137 }',
      'terms.expiredStatus: expected a status other than 137, which says killed by SIGKILL and is never a good end, found 137',
    ],
    [
      'terms: { expiredStatus: none }',
      'terms.expiredStatus: expected an exit status from 0 to 255, or any, found "none"',
    ],
    ['terms: { gracefulSignals: [KILL] }', `terms.gracefulSignals[0]: ${signals}, found "KILL"`],
    ['terms: { gracefulSignals: [] }', 'terms.gracefulSignals: expected at least one signal, found []'],
    ['terms: { primarySignal: SIGTERM }', `terms.primarySignal: ${signals}, found "SIGTERM"`],
    [
      'terms: { gracefulSignals: [INT], primarySignal: TERM }',
      'terms.primarySignal: expected one of gracefulSignals (INT), found "TERM"',
    ],
    [
      'tolerance: 5\nterms: { tolerance: 6 }',
      'terms.tolerance: expected it in one place, found tolerance at the top level too',
    ],
    ['terms: { grace: 2s }', /^terms\.grace: unknown key \(it belongs to the top level\); expected one of stopBound, /],
    [
      'terms: { stopBond: 2s }',
      /^terms\.stopBond: unknown key \(did you mean "stopBound"\?\); expected one of stopBound, /,
    ],
    [
      'about: { origins: { grase: x } }',
      'about.origins.grase: expected a key of this file or of terms, found "grase" (did you mean "grace"?)',
    ],
  ])('a mistake: %j', (text, message) => {
    const last = text.split('\n').length + 1;
    const said = typeof message === 'string' ? message : expect.stringMatching(message);
    let found = '';
    try {
      terms(text);
    } catch (error) {
      found = (error as Error).message;
    }
    expect([found.slice(0, 10), found.slice(10)]).toEqual([`p.yaml:${last}: `, said]);
  });
});
