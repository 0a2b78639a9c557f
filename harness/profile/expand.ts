/** Thrown where a variable has no value; the loader adds file and line. */
export class UnsetVariable extends Error {
  readonly variable: string;
  constructor(variable: string) {
    super(`\${${variable}} is not set`);
    this.variable = variable;
  }
}

/**
 * `${NAME}` replaced by the environment's value and `${NAME:-text}` by `text` where it is unset or empty, as Compose
 * does; `$$` is one dollar sign and any other `$` stays. Throws UnsetVariable: a missing secret must not become "".
 * Without an environment every variable is unset, with a fallback too.
 */
export function expand(text: string, environment: Readonly<Record<string, string | undefined>> | undefined): string {
  return text.replace(
    /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (match, name?: string, fallback?: string) => {
      if (match === '$$' || name === undefined) return '$';
      if (environment === undefined) throw new UnsetVariable(name);
      const value = environment[name];
      if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
      if (value === undefined) throw new UnsetVariable(name);
      return value;
    },
  );
}
