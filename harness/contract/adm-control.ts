import type { Clause, Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Stage } from './adm-stage.ts';
import {
  emptyWindow,
  isCertainlyAfter,
  isProvenAfter,
  lateOf,
  lateSamples,
  stageOf,
  windowEnd,
  withSamples,
} from './adm-stage.ts';
import type { Sample } from './evidence/probe-samples.ts';
import { isApplication, isServed, isTurnedAway, sentNotBefore } from './evidence/probe-samples.ts';
import { found } from './finding.ts';

/** ADM-6: only readiness over HTTP can say anything here; the route may be a control route or not. */
export const adm6: Clause = {
  id: 'ADM-6',
  title: 'readiness says not ready once the gate is closed',
  requirement: 'readiness says not ready as soon as the gate is closed (its 503 counts)',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'r' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const accepted = ['readiness is answered with a status of 400 or more', 'or refused, where the listener is gone'];
    const route = readinessRoute(history);
    if (route === undefined) {
      const declare = 'ready: { http: /health }';
      const seen = `readiness is not asked over HTTP here (${history.header.ready.kind})`;
      return found.notExercised(seen, { accepted, evidence: [], declare });
    }
    const { stage, finding } = stageOf(history, terms, accepted);
    if (finding) return finding;
    const asked = stage.probe.samples.filter((s) => s.purpose === 'readiness' || s.request === route);
    const isReady = (s: Sample): boolean => s.outcome === 'answered' && s.status !== undefined && s.status < 400;
    const proven = asked.filter((s) => isReady(s) && isProvenAfter(stage, sentNotBefore(s)));
    if (proven.length > 0) {
      const seen = `${route} still said ready (${statusesOf(proven)}) ${proven.length} times after the gate had closed`;
      return found.fail(seen, withSamples(stage, proven));
    }
    const late = lateOf(stage, asked.filter(isReady));
    if (late.length > 0) return lateSamples(stage, late, `${route} still said ready (${statusesOf(late)})`);
    const after = asked.filter(
      (s) => isProvenAfter(stage, sentNotBefore(s)) || isCertainlyAfter(stage, sentNotBefore(s)),
    );
    const answered = after.filter((s) => s.outcome === 'answered');
    const refused = after.filter((s) => s.outcome === 'refused');
    if (answered.length > 0) {
      return found.pass(`${route} was answered ${statusesOf(answered)} after the gate had closed`, {
        ...withSamples(stage, answered),
      });
    }
    if (refused.length > 0)
      return found.pass(`${route} was refused: the listener was gone`, withSamples(stage, refused));
    if (after.length > 0) {
      const seen = `${route} got no answer after the gate had closed (${after[0]?.outcome})`;
      return found.inconclusive(seen, withSamples(stage, after));
    }
    return emptyWindow(stage, 'readiness was not asked after the signal');
  },
  explain: {
    measured: 'The readiness route, asked once 503 has been seen, and by the probe where it asks the same route.',
    breaks: 'A health route that only looks at dependencies; one that is served before the gate.',
    remedy: 'Let readiness depend on the same flag as the gate; liveness, if there is one, is another route.',
  },
};

/** ADM-7: every route that was asked is either a declared control route or refused. */
export const adm7: Clause = {
  id: 'ADM-7',
  title: 'only declared control routes pass the closed gate',
  requirement:
    'with no inventory every route, /health too, gets 503; a declared control route (exact method and path) still answers, readiness as not ready; no prefix or wildcard slips through',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const { stage, finding } = stageOf(history, terms, [
      'every route that is not declared as control gets 503, near misses of a control route too',
      'a declared control route is answered itself; one that reports readiness may say not ready (503 without Retry-After)',
    ]);
    if (finding) return finding;
    const inWindow = stage.probe.samples.filter((s) => isProvenAfter(stage, sentNotBefore(s)));
    const application = inWindow.filter((s) => isApplication(stage.probe, s));
    const slipped = application.filter((s) => s.outcome === 'answered' && !isTurnedAway(s));
    if (slipped.length > 0) {
      return found.fail(`not refused after the gate had closed: ${answersOf(slipped)}`, withSamples(stage, slipped));
    }
    const control = inWindow.filter(
      (s) => stage.probe.controls.has(s.request) && s.purpose !== 'near-miss' && (s.begin ?? s.t) < windowEnd(stage),
    );
    const broken = control.filter((s) => isBroken(stage, s));
    if (broken.length > 0) {
      return found.fail(
        `a declared control route was not let through: ${answersOf(broken)}`,
        withSamples(stage, broken),
      );
    }
    const late = lateOf(
      stage,
      stage.probe.samples.filter((s) => isApplication(stage.probe, s) && isServed(stage.probe, s)),
    );
    if (late.length > 0) return lateSamples(stage, late, `not refused: ${answersOf(late)}`);
    return decided(stage, application, control);
  },
  explain: {
    measured:
      'Once the probe has seen a 503: the readiness route, each declared control route, and near misses of it (a longer path, a trailing slash, another method), once each. What a control route does inside is not seen.',
    breaks: 'A gate that matches prefixes or ignores the method; health or metrics served around the gate, undeclared.',
    remedy:
      'Compare method and path exactly, after the same normalisation as the router; declare `endpoints: control`.',
  },
};

/** Nothing is wrong: whether enough was asked to say so. */
function decided(stage: Stage, application: readonly Sample[], control: readonly Sample[]): Finding {
  const routes = application.filter((s) => s.outcome === 'answered');
  const asked = routes.filter((s) => s.purpose !== 'admission');
  const declared = stage.probe.controls.size;
  const base = withSamples(stage, [...asked, ...control]);
  if (routes.length === 0) return emptyWindow(stage, 'no route was asked after the gate had closed');
  if (declared === 0) {
    if (asked.length === 0)
      return found.inconclusive("only the probe's own route was asked after the gate closed", base);
    const seen = `${routesOf(routes)} got 503; no control route is declared, so only that half was judged`;
    return found.pass(seen, base);
  }
  const right = control.filter((s) => isRight(stage, s));
  const unclear = [...stage.probe.controls].filter((request) => !right.some((s) => s.request === request));
  if (unclear.length > 0) {
    const seen = control.filter((s) => !isRight(stage, s));
    const why = seen.length > 0 ? answersOf(seen) : 'not asked while the gate was closed and the listener up';
    return found.inconclusive(`whether ${unclear.join(', ')} is let through cannot be told: ${why}`, base);
  }
  if (!routes.some((s) => s.purpose === 'near-miss')) {
    return found.inconclusive('no near miss of a control route was answered', base);
  }
  return found.pass(`${routesOf(routes)} got 503; control routes answered: ${answersOf(right)}`, base);
}

/** A 4xx may be what the route always says to a stranger: neither right nor wrong. */
function isRight(stage: Stage, s: Sample): boolean {
  if (s.outcome !== 'answered' || s.status === undefined) return false;
  return s.status < 400 || s.request === readinessRoute(stage.history) || saysNotReadyItself(stage, s);
}

/**
 * A control route that reports readiness answers 503 itself in the drain. It is told from the gate's refusal by the
 * header that the refusal carries and it does not (ADM-1): where no refusal carries one, it cannot be told.
 */
function saysNotReadyItself(stage: Stage, s: Sample): boolean {
  if (s.status !== 503 || s.headers?.['retry-after'] !== undefined) return false;
  const refusals = stage.probe.samples.filter((other) => isApplication(stage.probe, other) && other.status === 503);
  return refusals.length > 0 && refusals.every((other) => other.headers?.['retry-after'] !== undefined);
}

/** Refused by the gate, broken, or dropped while the listener was up. */
function isBroken(stage: Stage, s: Sample): boolean {
  if (isRight(stage, s)) return false;
  if (s.outcome === 'answered') {
    const mayBeItsOwn = s.status === 503 && s.headers?.['retry-after'] === undefined;
    return s.status !== undefined && s.status >= 500 && !mayBeItsOwn;
  }
  const closing = stage.windows.listenerClosed?.interval.begin ?? Number.POSITIVE_INFINITY;
  if (s.outcome === 'hung') return true;
  return s.outcome === 'reset' && s.race !== true && s.t < Math.min(windowEnd(stage), closing);
}

function readinessRoute(history: History): string | undefined {
  const { ready } = history.header;
  return ready.kind === 'http' ? `GET ${ready.path}` : undefined;
}

function answersOf(samples: readonly Sample[]): string {
  const each = samples.map((s) => `${s.request} ${s.status ?? s.outcome}`);
  return [...new Set(each)].join(', ');
}

function routesOf(samples: readonly Sample[]): string {
  return [...new Set(samples.map((s) => s.request))].join(', ');
}

function statusesOf(samples: readonly Sample[]): string {
  return [...new Set(samples.map((s) => s.status))].join(', ');
}
