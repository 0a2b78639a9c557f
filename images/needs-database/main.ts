// Good: the reference service with a database that it needs. It does not start without it, says how many rows it found,
// leaves one of its own, and is ready only as long as the database is there.
import { consoleLog } from '../reference/log.ts';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';
import { Database } from './database.ts';

const watcher = ShutdownWatcher.install();
const runtime = createRuntime(watcher);

try {
  const database = await Database.open(new URL(process.env['DATABASE_URL'] ?? 'postgres://postgres@db/postgres'));
  const rows = await database.query('SELECT count(*) FROM visits');
  await database.query("INSERT INTO visits (what) VALUES ('start')");
  consoleLog.info('database found', { rows: rows ?? 'unknown' });
  void database.over().then(() => {
    if (runtime.gate.isOpen) consoleLog.err('the database is gone');
    runtime.gate.close();
  });
  await runUntilShutdown(runtime);
} catch (error) {
  consoleLog.err(`light-runtime: start-up failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
