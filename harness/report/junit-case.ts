export type CaseOutcome = 'passed' | 'failure' | 'error' | 'skipped';

/** A test case before it is XML. */
export interface Case {
  readonly classname: string;
  readonly name: string;
  readonly outcome: CaseOutcome;
  readonly message?: string;
  readonly body?: string;
  readonly seconds?: number;
  readonly output?: string;
}
