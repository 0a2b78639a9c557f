import type { History } from '../model/history.ts';
import type { Plan } from '../model/plan.ts';
import type { Effort } from '../model/report.ts';

const NS_PER_MS = 1_000_000n;

/**
 * What a run cost: from the moment it was planned to its last observation, and the containers per engine: one a history
 * that got as far, those that hold the run's networks, and dependencies.
 */
export function effortOf(plan: Plan, histories: readonly History[]): Effort {
  const startMs = Date.parse(plan.startedAt);
  const endsMs = histories.map(({ header, observations }) => {
    const last = observations.reduce((latest, { t }) => Math.max(latest, t), 0);
    return Number((BigInt(header.origin.realtime) + BigInt(Math.round(last))) / NS_PER_MS);
  });
  const holder = plan.harness.helperSha256 === undefined ? 0 : 1;
  return {
    durationMs: Math.max(0, ...endsMs.map((end) => end - startMs)),
    engines: plan.engines.map(({ name }) => {
      const made = histories.filter(
        ({ header, observations }) =>
          header.cell.engine === name && observations.some(({ kind }) => kind === 'container.created'),
      );
      const ownSites = plan.targets
        .filter(({ engine, target }) => engine === name && (target.outbound || target.dependencies.length > 0))
        .reduce((sum, { target }) => sum + target.dependencies.length + holder, 0);
      const repeated = made.filter(({ header }) => header.cell.sample > 1).length;
      return { engine: name, containers: made.length + holder + ownSites, repeated };
    }),
  };
}
