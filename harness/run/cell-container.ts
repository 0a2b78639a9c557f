import type { ContainerSpec } from '../engine/driver.ts';
import type { CellSetting } from './cell-setting.ts';
import type { CellContext } from './execute.ts';
import { hostsOf } from './target-site.ts';

/** The container of a cell: the target as it is declared, under a name that tells which cell it is. */
export function cellContainer(context: CellContext, setting: CellSetting): ContainerSpec {
  const { target, ownership } = context;
  const command = context.scenario.helper ?? target.command;
  return {
    name: `lfq-${context.run}-${context.cell.path.replace(/[^a-zA-Z0-9]+/g, '-')}`.slice(0, 200).replace(/-+$/, ''),
    image: target.image,
    env: target.env,
    files: target.files,
    volumes: target.volumes,
    network: context.network,
    hosts: hostsOf(context.dependencies?.running ?? []),
    outbound: target.outbound,
    ownership,
    ...(target.user === undefined ? {} : { user: target.user }),
    ...(target.memoryBytes === undefined ? {} : { memoryBytes: target.memoryBytes }),
    ...(target.stopSignal === undefined ? {} : { stopSignal: target.stopSignal }),
    ...(setting.init ? { init: true } : {}),
    ...(command === undefined ? {} : { command }),
  };
}
