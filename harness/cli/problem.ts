import { CommanderError } from 'commander';
import { EXIT } from '../judge/exit-codes.ts';
import { EngineError, StoreError, UsageError } from '../model/errors.ts';
import { terminalLines } from '../report/terminal-text.ts';

/** Write what went wrong to stderr, without a stack trace for anything foreseen, and give the exit code. */
export function reportProblem(error: Error): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.qualified : EXIT.usage; // commander has said it
  if (error instanceof UsageError || error instanceof StoreError) {
    process.stderr.write(`lf-qualify: ${terminalLines(error.message)}\n`);
    return EXIT.usage;
  }
  if (error instanceof EngineError) {
    process.stderr.write(`lf-qualify: engine: ${terminalLines(error.message)}\n`);
    return EXIT.fault;
  }
  const trace = terminalLines(error.stack ?? error.message);
  process.stderr.write(`lf-qualify: a fault of the harness, please report it: ${trace}\n`);
  return EXIT.fault;
}
