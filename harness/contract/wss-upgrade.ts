import type { Clause, Finding } from '../model/clause.ts';
import type { UpgradeObservation } from '../model/websocket.ts';
import type { ObservationOf } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { Stage } from './adm-stage.ts';
import {
  afterSignalMs,
  emptyWindow,
  hangs,
  isCertainlyAfter,
  isProvenAfter,
  late,
  servedForMs,
  stageOf,
} from './adm-stage.ts';
import { ofKind, toMs } from './evidence/queries.ts';
import { longestStallMs, ms } from './evidence/stop-duration.ts';
import type { SocketPiece } from './evidence/web-sockets.ts';
import { socketsOf } from './evidence/web-sockets.ts';
import { endedAt, evidenceOf } from './evidence/work.ts';
import { found } from './finding.ts';

type Upgrade = ObservationOf<'ws.upgrade'>;

/** Closed at once: within this after the 101, ms, however busy the machine. */
const AT_ONCE_MS = 500;

/** WSS-6: what counts is when the request was complete, not when its connection was made. */
export const wss6: Clause = {
  id: 'WSS-6',
  title: 'an upgrade after the gate closed is never served',
  requirement: 'an upgrade after the gate closed is refused or closed at once, never served',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: ['http', 'direct', 'websocket'],
  check: (history, terms) => {
    const { stage, finding } = stageOf(history, terms, [
      'refused, reset, or any answer but 101',
      `101, and closed by the service within ${AT_ONCE_MS} ms with nothing served on it`,
    ]);
    if (finding) return finding;
    const asked = ofKind(history, 'ws.upgrade').filter((o) => o.t >= stage.accepted.begin);
    const certain = asked.filter((o) => isAfterGate(stage, o));
    const closedBefore = socketsOf(history, ['half-upgrade']).filter((piece) => isClosedBefore(stage, piece, asked));
    if (certain.length + closedBefore.length === 0) {
      if (asked.length === 0) return emptyWindow(stage, 'no upgrade was asked for after the signal');
      const seen = `${asked.length} upgrade(s) came too close to the signal to tell; none came certainly after it`;
      return found.inconclusive(seen, { ...details(stage, asked), timing: true });
    }
    const judgement = judged(stage, certain, closedBefore);
    // one that nobody can place is no proof of a service that serves late, but a pass it is not either
    const doubtful = asked.find((o) => o.served === true && !certain.includes(o));
    if (judgement.outcome !== 'pass' || !doubtful) return judgement;
    const seen = `${judgement.seen}; the upgrade ${doubtful.id} (${doubtful.via}) was served, too close to the signal to tell`;
    return found.inconclusive(seen, { ...details(stage, asked), timing: true });
  },
  explain: {
    measured:
      'A new connection asks for an upgrade once the probe has seen the gate closed, and half-sent upgrades are completed then. One that is upgraded all the same is asked to register, or what is declared, and watched for its Close.',
    breaks:
      'An upgrade handler beside the gate (Node: the upgrade event, which no middleware sees); a gate that is asked at the accept, not when the headers are complete.',
    remedy:
      'Ask the gate in the upgrade handler too and answer 503, or send a Close at once where the upgrade has gone through.',
  },
};

function judged(stage: Stage, asked: readonly Upgrade[], closedBefore: readonly SocketPiece[]): Finding {
  const served = asked.filter((o) => o.served === true);
  const proven = served.find((o) => isProvenAfter(stage, o.sentBegin));
  const named = (o: UpgradeObservation): string => `the upgrade ${o.id} (${o.via})`;
  if (proven) {
    const seen = `${named(proven)} was served, which was sent when new work had been turned away already`;
    return found.fail(seen, details(stage, served));
  }
  const [first] = served;
  if (first) return tooLate(stage, first, `${named(first)} was served`);
  const open = asked.filter((o) => o.outcome === 'upgraded' && !closedAtOnce(stage, o));
  const [stays] = open;
  if (stays) {
    const seen = `${named(stays)} was answered 101 and not closed within ${AT_ONCE_MS} ms`;
    // how long a service takes for a Close is a matter of time: beside others it is measured again
    if (!isProvenAfter(stage, stays.sentBegin)) return tooLate(stage, stays, seen);
    return hangs(stage.history, seen, details(stage, open));
  }
  const hung = asked.filter((o) => o.outcome === 'hung');
  if (hung[0]) {
    const seen = `${named(hung[0])} was left hanging, neither refused nor answered`;
    return hangs(stage.history, seen, details(stage, hung));
  }
  const halves = closedBefore.length === 0 ? [] : [`${closedBefore.length} half-sent closed before`];
  const words = [...asked.map(outcomeInWords), ...halves].join(', ');
  const evidence = [...details(stage, asked).evidence, ...evidenceOf(closedBefore)];
  return found.pass(`upgrades after the gate closed: ${words}`, { ...stage.details, evidence });
}

function tooLate(stage: Stage, upgrade: Upgrade, seen: string): Finding {
  const lowMs = afterSignalMs(stage, upgrade.sentBegin ?? upgrade.t);
  const limitMs = servedForMs(stage.terms);
  const words = `${seen}, sent at least ${ms(lowMs)} after the signal`;
  return late(stage.history, words, { lowMs, limitMs }, { ...details(stage, [upgrade]), limitMs });
}

/** A refusal needs no request: it counts from the connect on. */
function isAfterGate(stage: Stage, upgrade: Upgrade): boolean {
  const at = upgrade.sentBegin ?? (upgrade.outcome === 'upgraded' ? undefined : upgrade.begin);
  return isProvenAfter(stage, at) || isCertainlyAfter(stage, at);
}

/** By a Close, or by the end of the connection, be it that of the process. What stood still on our side is not counted. */
function closedAtOnce({ history }: Stage, { answeredAt, end, t }: Upgrade): boolean {
  if (end === undefined || end.by === 'timeout') return false;
  const from = answeredAt ?? t;
  const at = Math.min(end.close?.t ?? Number.POSITIVE_INFINITY, end.t);
  return toMs(at - from) - longestStallMs(history, { begin: from, end: at }) < AT_ONCE_MS;
}

/** Closed by the service after the signal, before we went on and before its own end cut everything. */
function isClosedBefore(stage: Stage, piece: SocketPiece, asked: readonly Upgrade[]): boolean {
  const at = endedAt(piece);
  if (at === undefined || at < stage.accepted.begin || asked.some((o) => o.id === piece.held.id)) return false;
  const end: Nanoseconds | undefined = stage.windows.ended?.interval.begin;
  return end !== undefined && at < end - stage.history.header.uncertainty.hostMs * 1e6;
}

function outcomeInWords({ via, outcome, status, end }: Upgrade): string {
  const how = outcome === 'answered' ? `answered ${status ?? 'what is no HTTP'}` : outcome;
  const then = outcome !== 'upgraded' ? '' : end?.close ? ` and closed with ${end.close.code}` : ' and closed';
  return `${via} ${how}${then}`;
}

function details(stage: Stage, asked: readonly Upgrade[]): Stage['details'] {
  const evidence = [
    ...stage.details.evidence,
    ...(stage.windows.gateClosed?.evidence ?? []),
    ...asked.slice(0, 8).map((o) => o.seq),
  ];
  return { ...stage.details, evidence };
}
