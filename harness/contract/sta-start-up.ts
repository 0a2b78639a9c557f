import type { Clause } from '../model/clause.ts';
import type { CellValues } from '../model/plan.ts';
import type { StartUpSignal } from './evidence/start-up.ts';
import { disturbedMs, startUpSignal } from './evidence/start-up.ts';
import { ms } from './evidence/stop-duration.ts';
import { failByTime, found, untriggered } from './finding.ts';

/** The deaf window may be as long as this, ms (STA-9). */
const DEAF_LIMIT_MS = 500;

/** Cells that send a signal at an offset from the start. */
const intoStartUp = (cell: CellValues): boolean => cell['offset'] !== undefined;

/** STA-9: what is sent half a second after the start, or later, takes effect. */
export const sta9: Clause = {
  id: 'STA-9',
  title: 'signals are heard soon after the start',
  requirement:
    'the deaf window, from process start to handlers installed, in which PID 1 loses every signal, is measured; under 500 ms',
  levels: { 'light-fabric': 'S', 'openab-cp': 'S', baseline: 'S' },
  needs: [],
  appliesTo: intoStartUp,
  check: (history, terms) => {
    const accepted = [`a signal sent ${DEAF_LIMIT_MS} ms or more after the start of PID 1 takes effect`];
    const signal = startUpSignal(history, terms);
    if (!signal) return untriggered(history, accepted);
    const { fate, offset, evidence } = signal;
    const measured = { by: 'host' as const, valueMs: offset.lowMs, ...offset };
    const shows = fate.how === 'not known' ? undefined : { shows: fate.how };
    const details = {
      accepted,
      evidence,
      measured,
      limitMs: DEAF_LIMIT_MS,
      ...(shows && { swept: { ...offset, ...shows } }),
    };
    const sent = sentInWords(signal);
    if (fate.how === 'not known') return found.inconclusive(`${sent}: ${fate.why}`, details);
    if (fate.how === 'heard') return found.pass(`${sent} took effect: exit ${fate.exitCode}`, details);
    const lost = lostInWords(signal, fate.because);
    // in the window between the engine's answer and the image's own program: the runtime's loss, not the image's
    if (signal.runtime) return found.notExercised(`${lost}: the image's own program had not begun`, details);
    if (offset.highMs < DEAF_LIMIT_MS)
      return found.pass(`${lost}; inside the ${DEAF_LIMIT_MS} ms that are allowed`, details);
    // an early one is allowed to be lost and proves nothing against the image: the later offsets decide
    if (offset.lowMs < DEAF_LIMIT_MS) {
      return found.notExercised(
        `${lost}; whether later than ${DEAF_LIMIT_MS} ms is for a later offset to say`,
        details,
      );
    }
    // how long a start takes depends on what else the machine does: only alone is it the image's own time
    const busyMs = disturbedMs(history, signal);
    if (offset.lowMs - busyMs < DEAF_LIMIT_MS) {
      const seen = `${lost}; up to ${ms(busyMs)} of it was waiting for a processor`;
      return found.inconclusive(seen, { ...details, timing: true });
    }
    if (history.header.cell.lane === 'alone') return failByTime(history, lost, details);
    return found.inconclusive(`${lost}, measured beside others`, { ...details, timing: true });
  },
  explain: {
    measured:
      'A signal is sent at several offsets from the start of the container, ready or not. It was lost where the service comes up all the same, lives on for a second, and ends only on a second signal, whose handler was installed after the first one.',
    breaks:
      'An entrypoint script that works for seconds before it execs the server: a shell as PID 1 drops signals that it has no trap for. Handlers that are installed after slow imports, migrations or connects.',
    remedy:
      'Install the handlers first of all, before anything that takes time. In an entrypoint script set a trap at the top and run what takes long in the background with `wait`; keep the script short, or do its work when the image is built.',
  },
};

/** `SIGTERM 61..131 ms after the start of PID 1 [sh (shell)]`. */
export function sentInWords({ trigger, offset, pid1, readyBefore }: StartUpSignal): string {
  const was = [pid1, readyBefore ? 'ready' : undefined].filter((part) => part !== undefined).join(', ');
  const when = `${Math.floor(offset.lowMs)}..${Math.ceil(offset.highMs)} ms after the start of PID 1`;
  return `SIG${trigger.signal} ${when}${was === '' ? '' : ` [${was}]`}`;
}

export function lostInWords(signal: StartUpSignal, because: string): string {
  const later = signal.later === undefined ? '' : ` as ${signal.later}`;
  return `${sentInWords(signal)} was lost (${because}); once it was ready${later}, a second one ended it`;
}
