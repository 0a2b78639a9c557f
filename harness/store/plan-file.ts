import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import { safeJson } from '../model/safe-json.ts';
import { writeRunFile } from './run-files.ts';
import type { UpgradeSteps } from './upgrade.ts';
import { upgrade } from './upgrade.ts';

/** Version of plan.json that this code writes. */
export const PLAN_FORMAT = 1;
const planFile = 'plan.json';
const steps: UpgradeSteps<Plan> = {};

export async function writePlan(directory: string, plan: Plan): Promise<void> {
  await writeRunFile(directory, planFile, `${safeJson(plan, 2)}\n`);
}

/** The plan of a run directory. Throws StoreError where it is missing, broken or of a newer format. */
export async function readPlan(directory: string): Promise<Plan> {
  const path = join(directory, planFile);
  let plan: Plan;
  try {
    plan = JSON.parse(await readFile(path, 'utf8')) as Plan;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'no such file; name a directory that a run has written' : (error as Error).message;
    throw new StoreError(`plan ${path}: ${why}`, { cause: error });
  }
  const upgraded = upgrade(plan, plan?.format, PLAN_FORMAT, steps, `plan ${path}`);
  for (const key of ['engines', 'notJudged', 'targets', 'instrument'] as const) {
    if (!Array.isArray(upgraded[key])) throw new StoreError(`plan ${path}: ${key} is missing or not a list`);
  }
  return upgraded;
}
