import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Subject } from '../../harness/cli/prepare.ts';
import { select } from '../../harness/cli/selection.ts';
import type { Scenario } from '../../harness/model/scenario.ts';

/** One server under one stop signal, and what must be said about it. */
export interface GallerySubject {
  /** Without SIG. */
  readonly stopSignal: string;
  readonly why: string;
  /** Outcomes by clause; `fail or inconclusive` where what is true lies on the limit of the clause. */
  readonly clauses: Readonly<Record<string, string>>;
  /** Only where an engine differs. */
  readonly engines?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** An `expected.yaml` of the gallery. */
export interface GalleryServer {
  /** Name of its folder. */
  readonly name: string;
  /** The known server that must be found behind PID 1. */
  readonly server: string;
  readonly documentation: string;
  readonly byHand: string;
  /** The Debian packages whose versions tell its own; of npm packages its package.json does. */
  readonly packages?: readonly string[];
  /** Statuses besides 0 that must be accepted, as the known server says. */
  readonly accept?: readonly number[];
  /** First that with the stop signal of the image. */
  readonly subjects: readonly GallerySubject[];
}

/** Every server of the gallery: the folders with an `expected.yaml`. */
export const galleryServers: readonly GalleryServer[] = readdirSync(import.meta.dirname)
  .filter((name) => existsSync(join(import.meta.dirname, name, 'expected.yaml')))
  .sort()
  .map((name) => ({
    name,
    ...(parse(readFileSync(join(import.meta.dirname, name, 'expected.yaml'), 'utf8')) as Omit<GalleryServer, 'name'>),
  }));

/** The name by which reports know a server under a signal. */
export const subjectName = (server: GalleryServer, { stopSignal }: GallerySubject): string =>
  `${server.name} ${stopSignal}`;

/** What must be said about it on one engine. */
export const expectedOn = ({ clauses, engines }: GallerySubject, engine: string): Readonly<Record<string, string>> => ({
  ...clauses,
  ...engines?.[engine],
});

/** What was said of a clause, in the words of the expectation where it is one of those. */
export const inWordsOf = (expected: string | undefined, outcome: string): string =>
  expected?.split(' or ').includes(outcome) ? expected : outcome;

/**
 * Servers as subjects of which nothing is declared. A signal that is not the image's own is given as a user would give it;
 * judged are the clauses that the file speaks of.
 */
export function gallerySubjects(servers: readonly GalleryServer[], scenarios: readonly Scenario[]): readonly Subject[] {
  return servers.flatMap((server) =>
    server.subjects.map((subject, index) => ({
      reference: `lf-qualify/gallery-${server.name}:dev`,
      name: subjectName(server, subject),
      // the first is the image's own
      flags: { env: {}, require: [], ...(index === 0 ? {} : { stopSignal: subject.stopSignal }) },
      selection: select(Object.keys(subject.clauses), [], scenarios),
    })),
  );
}
