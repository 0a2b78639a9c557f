import { programOf } from '../../contract/evidence/process-tree.ts';
import type { ProcessFact } from '../../model/observation.ts';

/** Programs that run a named script or module: what that is tells which server it is. */
const INTERPRETERS = /^(?:python[\d.]*|ruby[\d.]*|perl|node|nodejs)$/;

/** What a process runs, as far as its command line or the title that it gave itself tells. */
export interface CommandLine {
  /** Name of the program without its folder and without the colon of a set title: `nginx` of `nginx: master process`. */
  readonly program: string;
  /** Name of the script or module that an interpreter was given. */
  readonly script?: string;
  /** All words of the command line. */
  readonly words: readonly string[];
}

/** The command line of a process; where that is empty, the name that the kernel has for it. */
export function commandLineOf(process: ProcessFact): CommandLine {
  const words = process.args.join(' ').split(' ').filter(Boolean);
  const program = programOf(process).replace(/:$/, '');
  const first = nameIn(words[0] ?? process.comm);
  if (!INTERPRETERS.test(first)) return { program, words };
  const script = scriptIn(words.slice(1));
  return script === undefined ? { program, words } : { program, script: nameIn(script), words };
}

/** `-m NAME` names a module; the first word that is no option names a script. */
function scriptIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '-m' || !word.startsWith('-'));
  return words[at] === '-m' ? words[at + 1] : words[at];
}

function nameIn(path: string): string {
  return path.split('/').at(-1) ?? path;
}

/** Whether a process runs one of these programs, directly or as the script of an interpreter. */
export function runs(...names: readonly string[]): (process: ProcessFact) => boolean {
  return (process) => {
    const { program, script } = commandLineOf(process);
    return names.includes(program) || (script !== undefined && names.includes(script));
  };
}
