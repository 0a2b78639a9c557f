import { clauses } from '../contract/index.ts';
import type { Ownership } from '../engine/driver.ts';
import type { Assumption, Discovery } from '../model/discovery.ts';
import type { ImageFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import type { Target } from '../model/target.ts';
import { assumptionsOf, profileOfAssumptions } from '../profile/from-discovery.ts';
import { assumptionsInForce } from '../run/assumed.ts';
import type { PreparedImage } from '../run/carry.ts';
import { discoverImage } from '../run/discover.ts';
import type { Helper } from '../run/helper-image.ts';
import { ensureHelperImage } from '../run/helper-image.ts';
import { Lanes } from '../run/lanes.ts';
import type { Selection } from '../run/plan.ts';
import type { TargetFlags } from '../run/resolve-target.ts';
import { resolveTarget } from '../run/resolve-target.ts';
import type { Said } from '../run/said.ts';
import { choosePreset, gather } from '../run/said.ts';
import type { Vantage } from '../run/vantage.ts';
import { discoveryInWords } from './discovery-text.ts';
import type { Progress } from './progress.ts';
import type { OpenEngine } from './session.ts';

/** An image to look at, with what is said about it. */
export interface LookedAt {
  readonly image: PreparedImage;
  /** Name for messages. */
  readonly label: string;
  readonly flags: TargetFlags;
  readonly profile?: Profile;
  readonly selection: Selection;
}

/** What a look told, and what a run goes by because of it. */
export interface Looked {
  readonly discovery: Discovery;
  /** Of the image on the engine of the look. */
  readonly facts: ImageFacts;
  readonly assumed: readonly Assumption[];
  readonly profile: Profile;
}

/** What the looks of one run have in common. */
export interface LooksOptions {
  readonly engines: readonly OpenEngine[];
  readonly ownership: Ownership;
  readonly helper: Helper | undefined;
  readonly vantage?: Vantage;
  readonly progress: Pick<Progress, 'say'>;
  readonly interrupt: AbortSignal;
  /** @default those of the machine */
  readonly lanes?: Pick<Lanes, 'within'>;
  readonly discover?: typeof discoverImage;
}

/** Whether a look could say something: baseline would apply, and nobody says how readiness is seen or on which port. */
export function isUndeclared(said: Said): boolean {
  const { flags, image, file, label, bundled } = said;
  if (choosePreset(said).preset !== 'baseline') return false;
  if (flags.ready !== undefined || flags.port !== undefined || image.ready !== undefined) return false;
  return [file, label, bundled].every(
    ({ ready, port, tls, tcpPorts }) => (ready ?? port ?? tls ?? tcpPorts) === undefined,
  );
}

/** Looks at images of which nothing is declared: one container each, on one engine. */
export class Looks {
  readonly #options: LooksOptions;
  readonly #under = new Set<Promise<unknown>>();
  #made = 0;

  constructor(options: LooksOptions) {
    this.#options = options;
  }

  /**
   * Look at an image if nothing is declared of it. Undefined where something is, where it needs dependencies that are not
   * there yet, and where the engine does not start it, which the run will say too. Throws EngineError for an engine that is
   * lost, UsageError for a label that cannot be read.
   */
  async at(subject: LookedAt): Promise<Looked | undefined> {
    const engine = this.#engineOf(subject.image);
    const facts = engine && subject.image.facts.get(engine.facts.name);
    if (engine === undefined || facts === undefined) return undefined;
    const { flags, profile, label } = subject;
    const known = clauses.map(({ id }) => id);
    const said = gather(facts, profile, flags, known);
    if (!isUndeclared(said)) return undefined;
    const { progress } = this.#options;
    const target = targetOf(subject, facts);
    if (target.dependencies.length > 0) {
      const names = target.dependencies.map(({ alias }) => alias).join(', ');
      progress.say(`${label}: not looked at: it needs ${names}; declare ready and port`);
      return undefined;
    }
    try {
      const looked = await this.look(engine, { facts, target, label });
      return { ...looked, assumed: assumptionsInForce(said, looked.assumed) };
    } catch (error) {
      if (!(error instanceof EngineError) || error.lost || this.#options.interrupt.aborted) throw error;
      progress.say(`${label}: could not be looked at: ${error.message}`);
      return undefined;
    }
  }

  /** Look, whatever is declared. Throws EngineError. */
  async look(
    engine: OpenEngine,
    subject: { readonly facts: ImageFacts; readonly target: Target; readonly label: string },
  ): Promise<Looked> {
    const under = this.#look(engine, subject);
    this.#under.add(under);
    try {
      return await under;
    } finally {
      this.#under.delete(under);
    }
  }

  /** Resolves when nothing is under way any more: what an interrupted look has made by then is removed. Never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#under);
  }

  /** The first local engine that has the image, else the first. */
  #engineOf({ facts }: PreparedImage): OpenEngine | undefined {
    const there = this.#options.engines.filter((engine) => facts.has(engine.facts.name));
    return there.find((engine) => engine.facts.local) ?? there[0];
  }

  async #look(
    { driver, facts: engine }: OpenEngine,
    { facts, target, label }: { readonly facts: ImageFacts; readonly target: Target; readonly label: string },
  ): Promise<Looked> {
    const { ownership, helper, vantage, progress, interrupt, discover = discoverImage } = this.#options;
    const { lanes = new Lanes() } = this.#options;
    progress.say(`looking at ${label} on ${engine.name}`);
    return await lanes.within('shared', async () => {
      this.#made += 1;
      const name = `lfq-${ownership.run}-look-${this.#made}`;
      const [network, helperImage] = await Promise.all([
        driver.createNetwork(name, { internal: !target.outbound, ownership }),
        helper === undefined ? undefined : ensureHelperImage(driver, helper),
      ]);
      try {
        const discovery = await discover({
          driver,
          engine,
          image: facts,
          target,
          name,
          network,
          ownership,
          interrupt,
          ...(helper === undefined || process.platform !== 'linux' ? {} : { helper: helper.path }),
          ...(helperImage === undefined ? {} : { helperImage }),
          ...(vantage === undefined ? {} : { vantage }),
        });
        progress.say(`${label}: ${discoveryInWords(discovery)}`);
        const assumed = assumptionsOf(discovery, facts);
        return { discovery, facts, assumed, profile: profileOfAssumptions(assumed) };
      } finally {
        await driver.removeNetwork(network).catch(() => undefined); // the clean-up of the run tries again, and tells
      }
    });
  }
}

/** The target as far as it is declared: how its container is set up. */
export function targetOf(
  { flags, profile, selection }: Pick<LookedAt, 'flags' | 'profile' | 'selection'>,
  facts: ImageFacts,
): Target {
  const judgedOn = new Date().toISOString().slice(0, 10);
  return resolveTarget({ facts, flags, selection, judgedOn, ...(profile === undefined ? {} : { profile }) }).target;
}
