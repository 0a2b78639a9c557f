import type { ContainerSpec } from '../engine/driver.ts';
import type { Volume } from '../model/target.ts';
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
    volumes: volumesOf(context, setting),
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

/** Where the config server is played, the declared cache is a volume: empty at first, and there after the end. */
function volumesOf({ target }: CellContext, setting: CellSetting): readonly Volume[] {
  const path = setting.bootstrap && target.bootstrap?.cache;
  const there = path === undefined || target.volumes.some((volume) => volume.path === path);
  return there ? target.volumes : [...target.volumes, { path }];
}
