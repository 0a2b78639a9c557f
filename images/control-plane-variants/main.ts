// The control plane, wrong in exactly the one way that FAULT names.
import { runUntilStopped } from '../control-plane/run-until-stopped.ts';
import { faults } from './faults.ts';

const name = process.env['FAULT'] ?? '';
const fault = Object.hasOwn(faults, name) ? faults[name] : undefined;
if (!fault) {
  const names = Object.keys(faults).join(', ');
  console.error(`control plane: ${name === '' ? 'FAULT is not set' : `FAULT=${name} is unknown`}; use one of ${names}`);
  process.exit(64);
}
await runUntilStopped(fault());
