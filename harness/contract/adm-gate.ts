import type { Clause } from '../model/clause.ts';
import type { Stage } from './adm-stage.ts';
import { listenerOpenAfterServing } from './adm-listener.ts';
import { leftHanging } from './adm-refusal.ts';
import {
  blindness,
  bounded,
  emptyWindow,
  hangs,
  isCertainlyAfter,
  isProvenAfter,
  lateOf,
  lateSamples,
  lengthOf,
  servedForMs,
  stageOf,
  uncertaintyMs,
  withSamples,
} from './adm-stage.ts';
import type { Sample } from './evidence/probe-samples.ts';
import { isApplication, isServed, sentNotBefore } from './evidence/probe-samples.ts';
import { toMs, toNs } from './evidence/queries.ts';
import { sinceSignal } from './evidence/windows.ts';
import { found } from './finding.ts';

/**
 * ADM-3: the order of gate and goodbye. That nothing is served once the goodbye has arrived is a matter of order, not of
 * time; that 503 starts at once is measured.
 */
export const adm3: Clause = {
  id: 'ADM-3',
  title: 'the gate closes before the goodbye is sent',
  requirement:
    'the gate closes before any network I/O of deregistration: with a controller that does not answer, 503 starts at once',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: ['http', 'direct', 'registry'],
  check: (history, terms) => {
    const { stage, finding } = stageOf(history, terms, [
      `the gate closes within ${servedForMs(terms)} ms of the signal, and nothing is served once the goodbye was sent`,
    ]);
    if (finding) return finding;
    const { goodbyeReceived: goodbye, gateClosed: gate } = stage.windows;
    if (!goodbye) {
      const seen = 'the trigger never happened: no goodbye reached the controller after the signal';
      return found.inconclusive(seen, stage.details);
    }
    const details = { ...stage.details, evidence: [...stage.details.evidence, ...goodbye.evidence] };
    const arrived = `the goodbye arrived ${sinceSignal(goodbye.interval, stage.accepted)}`;
    const known = goodbye.interval.end + toNs(history.header.uncertainty.hostMs);
    const served = servedOf(stage);
    // what may still be served has nothing to do with the goodbye
    const judged = terms.serveAfterMs === 0 ? served : served.filter((s) => isCertainlyAfter(stage, sentNotBefore(s)));
    const afterGoodbye = judged.filter((s) => (sentNotBefore(s) ?? Number.NEGATIVE_INFINITY) > known);
    if (afterGoodbye.length > 0) {
      const { evidence } = withSamples(stage, afterGoodbye);
      const seen = `${afterGoodbye.length} requests were served that were sent after the goodbye: ${arrived}`;
      return found.fail(seen, { ...details, evidence: [...details.evidence, ...evidence] });
    }
    if (gate) {
      const measured = lengthOf(stage.accepted, gate.interval, uncertaintyMs(stage, gate.interval.end));
      const base = { ...details, evidence: [...details.evidence, ...gate.evidence] };
      const limitMs = servedForMs(terms);
      return bounded(history, `${arrived}; the gate closed after`, { measured, limitMs }, base);
    }
    const late = lateOf(stage, served);
    if (late.length > 0) return lateSamples(stage, late, `${late.length} requests were served and no 503 came`);
    return found.inconclusive(`no 503 was seen after the signal: ${arrived}`, details);
  },
  explain: {
    measured:
      'A played controller takes the goodbye and never answers. The gate closed between the sending of the last request that was served and the first byte of the first 503; the controller stamps the arrival of the goodbye.',
    breaks:
      'Closing the gate in the step after deregistration: new work is let in as long as the controller takes, up to its own timeout.',
    remedy: 'Close the gate in the signal handler itself, before the first await of the shutdown.',
  },
};

/**
 * ADM-5: a sound rule that no clock enters: the 503 was here when the request was sent, so the gate was closed. New work may
 * be answered 503, refused, or for a declared time served: never left hanging.
 */
export const adm5: Clause = {
  id: 'ADM-5',
  title: 'nothing is served after the gate closed',
  requirement:
    'no application request whose headers were completed after the gate closed gets 2xx, and none is left hanging; control and liveness routes excepted; where new work may be served for a declared time, the listener closes after it',
  levels: { 'light-fabric': 'M', 'openab-cp': 'S', baseline: 'S' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const { stage, finding } = stageOf(history, terms, [
      'once new work has been turned away none is served again',
      `without a 503: nothing is served that was sent more than ${servedForMs(terms)} ms after the signal`,
      'new connections are refused or answered, and never left hanging',
      ...(terms.serveAfterMs > 0 ? [`the listener is closed ${terms.serveAfterMs} ms after the signal`] : []),
    ]);
    if (finding) return finding;
    const { gateClosed: gate, firstRefused } = stage.windows;
    const served = servedOf(stage);
    const proven = served.filter((s) => isProvenAfter(stage, sentNotBefore(s)));
    if (proven.length > 0) {
      const seen = `${proven.length} requests were served (${statusesOf(proven)}) that were sent when a 503 had come already`;
      return found.fail(seen, withSamples(stage, proven));
    }
    const late = lateOf(stage, served);
    if (late.length > 0) {
      const gateWords = gate
        ? `the gate closed ${sinceSignal(gate.interval, stage.accepted)}`
        : 'the gate never closed';
      const said = lateSamples(stage, late, `${gateWords}: ${late.length} requests were served (${statusesOf(late)})`);
      return { ...said, seen: `${said.seen}; where it is meant to serve on, declare ${servesOn(stage, late)}` };
    }
    const { hung, unheard } = leftHanging(stage);
    if (hung.length > 0) {
      const seen = `${hung.length} new connections were left hanging after the signal, neither refused nor answered`;
      return hangs(history, seen, withSamples(stage, hung));
    }
    const open = terms.serveAfterMs > 0 ? listenerOpenAfterServing(stage) : undefined;
    if (open) return open;
    if (unheard.length > 0) {
      const seen = `${unheard.length} connects got no answer of any kind, measured beside others`;
      return found.inconclusive(seen, { ...withSamples(stage, unheard), timing: true });
    }
    const asked = applicationOf(stage).filter((s) => isCertainlyAfter(stage, sentNotBefore(s)));
    if (!gate && !firstRefused && asked.length === 0) {
      return emptyWindow(stage, 'nothing was asked of the service after the signal');
    }
    const details = withSamples(stage, asked);
    const blind = blindness(stage);
    if (blind !== undefined) return found.inconclusive(`nothing was served after the signal, but ${blind}`, details);
    const how = gate
      ? `the gate closed ${sinceSignal(gate.interval, stage.accepted)}`
      : 'no 503 came: new work was refused or dropped';
    return found.pass(`${how}; none of ${asked.length} requests sent later was served`, {
      ...details,
      evidence: [...details.evidence, ...(gate?.evidence ?? []), ...(firstRefused?.evidence ?? [])],
    });
  },
  explain: {
    measured:
      'Every request of the admission probe. One that was written after the first byte of a 503 had come was complete after the gate had closed. Where no 503 ever comes, the signal, the time for which new work may be served (terms: serveAfter) and the tolerance decide.',
    breaks:
      'No gate; a listener that is neither closed nor accepted from, so that new connections wait for nothing; a gate per worker that closes one by one; a flag that only the accept loop reads, so that kept connections are served on.',
    remedy:
      'One flag for the whole service, read once per request after its headers are complete; a service that serves on for a while on purpose says for how long (terms: serveAfter), and closes its listener then.',
  },
};

function applicationOf(stage: Stage): readonly Sample[] {
  return stage.probe.samples.filter((s) => isApplication(stage.probe, s));
}

function servedOf(stage: Stage): readonly Sample[] {
  return applicationOf(stage).filter((s) => isServed(stage.probe, s));
}

/** The line that allows for what was served last, in whole seconds. */
function servesOn({ accepted }: Stage, late: readonly Sample[]): string {
  const latest = Math.max(...late.map((s) => sentNotBefore(s) ?? accepted.end));
  return `terms: { serveAfter: ${Math.max(1, Math.ceil(toMs(latest - accepted.begin) / 1000))}s }`;
}

function statusesOf(samples: readonly Sample[]): string {
  return [...new Set(samples.map((s) => s.status))].join(', ');
}
