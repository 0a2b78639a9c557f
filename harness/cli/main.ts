import { UsageError } from '../model/errors.ts';
import { buildProgram } from './program.ts';
import { reportProblem } from './problem.ts';

// A reader that went away (`| head`) is no fault of the run: its report is on disk.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await buildProgram().parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportProblem(error instanceof Error ? error : new UsageError(String(error)));
}
