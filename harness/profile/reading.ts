import type { KeyPath } from './profile-document.ts';
import type { ProfileSource } from './profile-source.ts';
import { UnusableValue } from './profile-source.ts';
import type { Tell } from './image-section.ts';

type Env = Readonly<Record<string, string>>;

/** How the values of a profile are read: variables filled in, files looked up, and every mistake told, never thrown. */
export interface Reading {
  readonly source: ProfileSource;
  readonly tell: Tell;
  /** What `use` gives; `instead` where it tells that the value cannot be used. */
  usable<T>(path: KeyPath, instead: T, use: () => T): T;
  filled(text: string, path: KeyPath): string;
  filledEnv(env: Env | undefined, path: KeyPath): Env;
}

/** Where a mistake was told, what was read is not to be used. */
export function readingFrom(source: ProfileSource, tell: Tell): Reading {
  const usable = <T>(path: KeyPath, instead: T, use: () => T): T => {
    try {
      return use();
    } catch (error) {
      if (!(error instanceof UnusableValue)) throw error;
      tell(path, error.message);
      return instead;
    }
  };
  const filled = (text: string, path: KeyPath): string => usable(path, text, () => source.fill(text));
  const filledEnv = (env: Env | undefined, path: KeyPath): Env =>
    Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, filled(value, [...path, name])]));
  return { source, tell, usable, filled, filledEnv };
}
