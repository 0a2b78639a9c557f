import type { Report } from '../model/report.ts';

/** One report format. `render` is pure: a finished report in, text out; it decides no verdict and no exit code. */
export interface Renderer {
  /** What `--format` calls it. */
  readonly name: string;
  /** File name inside the run directory. */
  readonly file: string;
  render(report: Report): string;
}
