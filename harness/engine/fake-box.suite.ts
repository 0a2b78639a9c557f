import { readFileSync, statSync } from 'node:fs';
import { EngineError } from '../model/errors.ts';
import type { CommandResult, ContainerSpec } from './driver.ts';
import type { FakeProgram } from './fake-behaviour.ts';
import { OUTPUT_LIMIT_BYTES } from './engine-commands.ts';

const done = (output = '', exitCode = 0): CommandResult => ({ output: output.slice(0, OUTPUT_LIMIT_BYTES), exitCode });

/** The image `box` on a fake engine: its shell knows the scripts of container-setup.suite.ts. */
export const boxProgram: FakeProgram = (spec) => {
  const misplaced = (spec.files ?? []).find(({ path }) => path.startsWith('/bin/sh/'));
  if (misplaced) throw new EngineError(`file ${misplaced.path}: /bin/sh is no folder`, { missing: 'file' });
  const made = new Set<string>();
  const start = spec.command?.[2] ?? 'echo ready; sleep 1000';
  const exit = /^exit (\d+)$/.exec(start)?.[1];
  const shown = /^cat (\S+);/.exec(start)?.[1];
  const output = [{ text: `${shown === undefined ? '' : contentOf(spec, shown)}ready\n` }];
  return {
    onStart: exit === undefined ? { output } : { exit: { code: Number(exit) } },
    onCommand: ([program, , script = '']) => (program === '/bin/sh' ? shell(spec, made, script) : undefined),
    health: () => (made.has('/healthy') ? 'healthy' : 'starting'),
  };
};

function shell(spec: ContainerSpec, made: Set<string>, script: string): CommandResult | 'hangs' {
  const [, path = ''] = /(\/\S+)$/.exec(script) ?? [];
  const [, exit] = /exit (\d+)$/.exec(script) ?? [];
  if (script.startsWith('echo $(id')) return done((spec.user ?? '0:0').replace(':', ' '));
  if (script.startsWith('stat')) return done(path === '/kept' ? '0:0 1777' : `0:0 ${modeOf(spec, path).toString(8)}`);
  if (script.startsWith('head')) return filled(spec, Number(/-c (\d+)/.exec(script)?.[1]), path);
  if (script === 'sleep 1000') return 'hangs';
  if (exit !== undefined) return done(script.includes('echo') ? 'one\ntwo' : '', Number(exit));
  for (const [, touched = ''] of script.matchAll(/touch (\S+?)(?:;| |$)/g)) made.add(touched);
  if (script.endsWith(`ls ${path}`)) return done(listing(spec, made, path).join('\n'));
  return done(script === 'echo there' ? 'there' : '');
}

function filled(spec: ContainerSpec, bytes: number, path: string): CommandResult {
  if (!path.startsWith('/') || path === '/dev/zero') return done('x'.repeat(bytes));
  const volume = (spec.volumes ?? []).find((one) => path.startsWith(`${one.path}/`));
  return done('', bytes > (volume?.tmpfs?.sizeBytes ?? Number.POSITIVE_INFINITY) ? 1 : 0);
}

function listing(spec: ContainerSpec, made: Set<string>, folder: string): readonly string[] {
  const fresh = (spec.volumes ?? []).some(({ path }) => path === folder);
  const own = folder === '/kept' && !fresh ? ['/kept/own'] : [];
  const all = [...own, ...made, ...(spec.files ?? []).map(({ path }) => path)];
  return all.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
}

function contentOf(spec: ContainerSpec, path: string): string {
  return readFileSync((spec.files ?? []).find((file) => file.path === path)?.source ?? '', 'utf8');
}

function modeOf(spec: ContainerSpec, path: string): number {
  const file = (spec.files ?? []).find((one) => one.path === path);
  return file?.mode ?? statSync(file?.source ?? '').mode & 0o777;
}
