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
 */
export function expand(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return text.replace(
    /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (match, name?: string, fallback?: string) => {
      if (match === '$$' || name === undefined) return '$';
      const value = environment[name];
      if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
      if (value === undefined) throw new UnsetVariable(name);
      return value;
    },
  );
}
