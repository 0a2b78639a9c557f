import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { certificatesIn, isPem } from './certificate.ts';
import { readEnvFile, UnusableEnvFile } from './env-file.ts';
import { expand, UnsetVariable } from './expand.ts';

/** Where a profile was written, and what may be taken from around it. */
export interface ProfileSource {
  /** For what is shown beside a value: `profile`, `image label`, `bundled profile light-agent`. */
  readonly origin: string;
  /** For messages: `lf-qualify.yaml`, or `image x:1, label io.lf-qualify.profile`. */
  readonly name: string;
  /** Absolute path of a file; the name of a label. */
  readonly path: string;
  /** The keys that it cannot have, with what to do instead. */
  readonly refused: Readonly<Record<string, string>>;
  /** The text with its variables filled in. Throws UnusableValue. */
  fill(text: string): string;
  /** The certificates that `tls.ca` stands for. Throws UnusableValue. */
  certificates(written: string): string;
  /** Absolute path of a file beside the profile that can be read. Throws UnusableValue. */
  file(written: string): string;
  /** The variables of an env file beside the profile. Throws UnusableValue. */
  envFile(written: string): Readonly<Record<string, string>>;
}

/** A value that has the right form and cannot be used: `expected …, found …`. The loader adds file, line and key. */
export class UnusableValue extends Error {}

/** A file on disk: variables stand for the environment's values, and a CA may be a file beside it. */
export function profileFile(
  path: string,
  environment: Readonly<Record<string, string | undefined>> = {},
  origin = 'profile',
): ProfileSource {
  const beside = (written: string): string => resolve(dirname(resolve(path)), written);
  return {
    origin,
    name: path,
    path: resolve(path),
    refused: {},
    fill: (text) =>
      filled(text, environment, (name) => {
        const remedy = `set it, or write \${${name}:-default}`;
        return `expected the environment variable ${name}, found it unset; ${remedy}`;
      }),
    certificates: (written) => {
      if (isPem(written)) return certificates(written, 'a text');
      const file = beside(written);
      try {
        return certificates(readFileSync(file, 'utf8'), JSON.stringify(written));
      } catch (error) {
        if (error instanceof UnusableValue) throw error;
        const { code, message } = error as NodeJS.ErrnoException;
        const why = code === 'ENOENT' ? 'no such file' : `one that cannot be read (${code ?? message})`;
        throw new UnusableValue(`expected a PEM text or the path of a PEM file, found ${why}: ${file}`, {
          cause: error,
        });
      }
    },
    file: (written) => readable(beside(written)),
    envFile: (written) => {
      try {
        return readEnvFile(beside(written));
      } catch (error) {
        if (error instanceof UnusableEnvFile) throw new UnusableValue(error.message, { cause: error });
        throw error;
      }
    },
  };
}

function readable(file: string): string {
  let why: string;
  try {
    if (statSync(file).isFile()) {
      accessSync(file, constants.R_OK);
      return file;
    }
    why = 'what is no file';
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    why = code === 'ENOENT' ? 'no such file' : `one that cannot be read (${code ?? message})`;
  }
  throw new UnusableValue(`expected a file that can be read, found ${why}: ${file}`);
}

/** A profile that stands in an image's label: it is taken as it is written, and there is no folder around it. */
export function profileLabel(name: string): ProfileSource {
  return {
    origin: 'image label',
    name,
    path: name,
    refused: {
      image: 'the label belongs to the image that carries it; leave the key out',
      images: 'the label belongs to the image that carries it; leave the key out',
      engines: 'which engines judge is not for the image to say; use --engine, or a profile file with --profile',
      network: 'what a run may reach is not for the image to say; use a profile file with --profile',
    },
    fill: (text) =>
      filled(text, undefined, (variable) => {
        const remedy = 'write the value, or give a profile file with --profile';
        return `expected text without variables, which are not filled in here, found \${${variable}}; ${remedy}`;
      }),
    certificates: (written) => {
      if (isPem(written)) return certificates(written, 'a text');
      throw new UnusableValue(
        `expected the PEM text itself, since a label cannot name a file, found ${JSON.stringify(written.slice(0, 60))}`,
      );
    },
    file: noFile,
    envFile: noFile,
  };
}

function noFile(written: string): never {
  const remedy = 'put it into the image, or give a profile file with --profile';
  throw new UnusableValue(
    `expected no file, since a label cannot name any of this machine, found ${JSON.stringify(written.slice(0, 60))}; ${remedy}`,
  );
}

function filled(
  text: string,
  environment: Readonly<Record<string, string | undefined>> | undefined,
  explain: (variable: string) => string,
): string {
  try {
    return expand(text, environment);
  } catch (error) {
    if (error instanceof UnsetVariable) throw new UnusableValue(explain(error.variable), { cause: error });
    throw error;
  }
}

function certificates(pem: string, what: string): string {
  const found = certificatesIn(pem);
  if (found !== undefined) return found;
  throw new UnusableValue(`expected PEM certificates that can be read, found ${what} without any`);
}
