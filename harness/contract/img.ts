import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { StillStarting } from './evidence/entry-script.ts';
import { stillStarting } from './evidence/entry-script.ts';
import { linesMatching } from './evidence/log-lines.ts';
import { maskInWords, nameOf, standsInFront } from './evidence/process-tree.ts';
import { endingOf, ofKind, signalName, signalNumber, triggerOf } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import { found, untriggered } from './finding.ts';
import { checkStop } from './stop-check.ts';

/** IMG-1: what stands between PID 1 and the service. */
export const img1: Clause = {
  id: 'IMG-1',
  title: 'PID 1 is the service or a forwarding init',
  requirement: 'PID 1 is the service, or an init that forwards signals; a shell or launcher never stays in front of it',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'M' },
  needs: [],
  check: (history) => {
    const accepted = [
      'PID 1 is the service',
      'PID 1 is an init (tini, dumb-init, catatonit, …) and the service follows it',
    ];
    const snapshots = ofKind(history, 'processes');
    const snapshot =
      snapshots.findLast((o) => o.moment === 'ready') ?? snapshots.findLast((o) => o.moment === 'before-signal');
    if (!snapshot) return found.inconclusive('no process tree was taken at readiness', { accepted, evidence: [] });
    const base = { accepted, evidence: [snapshot.seq] };
    const { culprit, undecided, chain } = standsInFront(snapshot.list);
    if (chain.length === 0) return found.inconclusive('the process tree shows no PID 1', base);
    const tree = chain.map(nameOf).join(' -> ');
    if (undecided) {
      const seen = `${nameOf(undecided)} had no child at readiness: whether it leaves or stays in front cannot be told`;
      return found.inconclusive(seen, base);
    }
    if (!culprit) return found.pass(tree, base);
    const starting = culprit.nsPid === 1 ? stillStarting(history) : undefined;
    if (starting) return inconclusiveStart(starting, base.accepted);
    const { entrypoint, command } = history.header.image;
    const from = `Entrypoint ${JSON.stringify(entrypoint)}, Cmd ${JSON.stringify(command)}`;
    return found.fail(`${nameOf(culprit)} stays in front: ${tree}; ${from}`, base);
  },
  explain: {
    measured: 'The process tree at readiness, walked from PID 1 down through inits to the service.',
    breaks:
      'A shell-form CMD or an entry script whose last line lacks `exec`; a pipe to tee; npm, tsx, su or sudo as the command; tail -f as PID 1.',
    remedy:
      'Use the exec form (`CMD ["node", "main.js"]`), end scripts with `exec "$@"`, start the program itself rather than a launcher; replace su by setpriv or gosu with exec.',
  },
};

/** IMG-2: the effect of the signal decides; the masks only explain it. */
export const img2: Clause = {
  id: 'IMG-2',
  title: 'graceful signals can be received',
  requirement: 'at readiness the process that must act on the signal can receive every graceful signal',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: [],
  appliesTo: (cell, terms) => terms.gracefulSignals.includes(String(cell['signal'])),
  check: (history, terms) => {
    const accepted = ['the service acts on the signal: it ends by itself, or logs the receipt'];
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const ending = endingOf(history);
    const base = { accepted, evidence: [trigger.seq, ...ending.evidence] };
    if (ending.how === 'itself') {
      return found.pass(`ended by itself after SIG${trigger.signal} (exit ${ending.exitCode})`, base);
    }
    const receipt = receiptOf(history, terms, trigger.interval.begin);
    if (receipt !== undefined) {
      return found.pass(`did not end by itself, but logged the receipt of SIG${trigger.signal}`, {
        ...base,
        evidence: [...base.evidence, receipt],
      });
    }
    if (ending.how === 'outer-timeout') {
      const survived = `SIG${trigger.signal} had no effect: still running ${ms(ending.survivedMs)} later`;
      return withMasks(history, found.fail(survived, base), trigger.signal);
    }
    return found.inconclusive(`whether SIG${trigger.signal} was received cannot be told: ${ending.why}`, base);
  },
  explain: {
    measured: 'The signal is sent to PID 1 through the engine; ending by itself or logging the receipt is its effect.',
    breaks:
      'As PID 1 a process without a handler ignores TERM and INT; a shell in front never passes them on; a trap waits for the foreground child.',
    remedy:
      'Install handlers for the graceful signals in the service itself, or put an init (tini) in front; in scripts run the service by `exec`.',
  },
};

/** IMG-3: static; the waiver is the judge's business. */
export const img3: Clause = {
  id: 'IMG-3',
  title: 'the stop signal is SIGTERM',
  requirement: 'the effective stop signal is SIGTERM; another one needs a dated waiver',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: [],
  check: (history) => {
    const { value, origin } = history.header.image.stopSignal;
    const name = signalName(value);
    const base = { accepted: ['SIGTERM', 'another signal, with a waiver that has an expiry date'], evidence: [] };
    const seen = `the effective stop signal is SIG${name} (${origin})`;
    return name === 'TERM' ? found.pass(seen, base) : found.fail(seen, base);
  },
  explain: {
    measured: "The image's STOPSIGNAL, else the engine's default.",
    breaks: 'A STOPSIGNAL inherited from a base image (SIGQUIT of php-fpm and nginx) that the own PID 1 does not know.',
    remedy: 'Set `STOPSIGNAL SIGTERM`, or declare a waiver with reason and expiry date in the profile.',
  },
};

/** IMG-5: `docker stop` and `podman stop` must do what the bare signal does. */
export const img5: Clause = {
  id: 'IMG-5',
  title: "the engine's own stop is graceful",
  requirement: "the engine's own stop (default and given timeout) behaves as the bare signal does",
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'M' },
  needs: [],
  appliesTo: (cell) => cell['timeout'] === 'default' || cell['timeout'] === 'given',
  check: (history, terms) => {
    const accepted = [`ends by itself in less than ${terms.stopBoundMs} ms`];
    if (triggerOf(history)?.by !== 'stop') return untriggered(history, accepted);
    return checkStop(history, terms, terms.stopBoundMs);
  },
  explain: {
    measured: "The engine's stop call; from its kill event (podman: the call) to the end; exit status by inspect.",
    breaks:
      'A service that ignores the stop signal until the engine sends SIGKILL (137), or drains longer than the timeout.',
    remedy: 'React to the stop signal as to SIGTERM, and finish within the stop timeout of the engine (10 s).',
  },
};

function inconclusiveStart({ seen, ...details }: StillStarting, accepted: readonly string[]): Finding {
  return found.inconclusive(seen, { accepted, ...details });
}

function receiptOf(history: History, terms: Terms, since: number): number | undefined {
  const pattern = terms.patterns.signalReceived;
  return pattern === undefined ? undefined : linesMatching(history, pattern, since)[0]?.line.seq;
}

function withMasks(history: History, finding: Finding, signal: string): Finding {
  const number = signalNumber(signal);
  const snapshot = ofKind(history, 'processes').findLast((o) => o.moment !== 'during-stop');
  const first = snapshot?.list.find((process) => process.nsPid === 1);
  if (!snapshot || !first || number === undefined) return finding;
  const seen = `${finding.seen}; ${nameOf(first)}: ${maskInWords(first, number)}`;
  return { ...finding, seen, evidence: [...finding.evidence, snapshot.seq] };
}
