import { describe, expect, it } from 'vitest';
import { catchInterrupts } from './interrupts.ts';
import { createMask } from '../model/mask.ts';
import type { Progress } from './progress.ts';
import { createProgress } from './progress.ts';

function stream(isTTY: boolean) {
  let text = '';
  return {
    stream: { isTTY, columns: 80, write: (piece: string) => (text += piece) } as unknown as NodeJS.WriteStream,
    text: () => text,
  };
}

describe('progress', () => {
  it('is whole lines without control characters where nobody looks at a terminal', () => {
    const { stream: out, text } = stream(false);
    const progress = createProgress({ stream: out, verbose: false, total: () => 2 });
    progress.say('docker 1.0');
    progress.begin('cells/a');
    progress.end('cells/a');
    progress.stop();
    expect(text()).toBe('docker 1.0\n1/2 cells/a\n');
  });

  it('says hostile text on lines of its own that are set in, without commands and secrets', () => {
    const { stream: out, text } = stream(false);
    const progress = createProgress({ stream: out, verbose: false, total: () => 1 });
    progress.hide(createMask(['hunter2']));
    progress.say('pulling \u001b[2J::x hunter2\n1/1 forged\n::error::y ##[error]z');
    progress.end('cells/\u001b[2Ja');
    expect(text()).toBe('pulling : :x ***\n  1/1 forged\n  : :error::y # #[error]z\n1/1 cells/a\n');
  });

  it('shows begins only when asked', () => {
    const { stream: out, text } = stream(false);
    createProgress({ stream: out, verbose: true, total: () => 1 }).begin('cells/a');
    expect(text()).toContain('start cells/a\n');
  });

  it('keeps one line on a terminal, and clears it before anything else is said', () => {
    const { stream: out, text } = stream(true);
    const progress = createProgress({ stream: out, verbose: false, total: () => 2 });
    progress.begin('cells/a');
    progress.say('a line');
    progress.stop();
    expect(text().replaceAll('\u001b', 'ESC')).toMatch(/0\/2 · \d+ s · cells\/a.*\rESC\[2Ka line\n/s);
    expect(text().endsWith('\r\u001b[2K')).toBe(true);
  });
});

describe('an interruption', () => {
  const silent = { say: () => undefined } as unknown as Progress;

  it('ends the wait for a transfer at once, names the signal, and passes results on otherwise', async () => {
    const interrupt = catchInterrupts(silent);
    expect(await interrupt.or(Promise.resolve('done'))).toBe('done');
    const pull = interrupt.or(new Promise(() => undefined));
    process.emit('SIGTERM', 'SIGTERM');
    await expect(pull).rejects.toThrow('interrupted by SIGTERM');
    expect(interrupt.signal.reason).toBe('SIGTERM');
    await expect(interrupt.or(new Promise(() => undefined))).rejects.toThrow('interrupted');
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(name);
  });
});
