import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Turns } from './turns.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lfq-turns-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const running = (reset?: readonly string[]) => ({
  running: [{ alias: 'db', reference: 'db:1', container: 'c', log: 'l', ...(reset && { reset }) }],
});
const app = { engine: 'docker', target: 'app:1' };

/** Two pieces of work of two processes, each open until told: the names of those that have begun. */
async function sideBySide(first: Parameters<Turns['within']>[0], second: typeof first): Promise<readonly string[]> {
  const begun: string[] = [];
  const go = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const one = new Turns(directory).within(first, async () => {
    begun.push('first');
    entered.resolve();
    await go.promise;
    begun.push('first over');
  });
  await entered.promise;
  const two = new Turns(directory).within(second, async () => {
    begun.push('second');
    go.resolve();
  });
  // Whoever waits for nobody has begun by now; whoever waits does so until the first is over.
  if (first.dependencies?.running[0]?.reset && first.target === second.target && first.engine === second.engine)
    go.resolve();
  await Promise.all([one, two]);
  return begun;
}

it('the cells of a target whose dependency is reset come one after the other', async () => {
  const of = { ...app, dependencies: running(['reset']) };
  expect(await sideBySide(of, of)).toEqual(['first', 'first over', 'second']);
});

it.each([
  ['without a reset', { ...app, dependencies: running() }, { ...app, dependencies: running() }],
  ['without dependencies', { ...app, dependencies: undefined }, { ...app, dependencies: undefined }],
  [
    'of two targets',
    { ...app, dependencies: running(['reset']) },
    { ...app, target: 'other:1', dependencies: running(['reset']) },
  ],
  [
    'on two engines',
    { ...app, dependencies: running(['reset']) },
    { ...app, engine: 'podman', dependencies: running(['reset']) },
  ],
])('cells %s run side by side', async (_title, first, second) => {
  expect(await sideBySide(first, second)).toEqual(['first', 'second', 'first over']);
});

it('nothing stays in the directory of the run', async () => {
  const turns = new Turns(directory);
  await turns.within({ ...app, dependencies: running(['reset']) }, async () => undefined);
  turns.remove();
  turns.remove();
  expect(existsSync(join(directory, '.turns'))).toBe(false);
});
