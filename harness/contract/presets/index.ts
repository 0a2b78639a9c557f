import type { Preset, PresetName } from '../../model/clause.ts';
import { baseline } from './baseline.ts';
import { lightFabric } from './light-fabric.ts';
import { openabCp } from './openab-cp.ts';

/** Every preset; a preset is data, never a branch in a scenario. */
export const presets: readonly Preset[] = [lightFabric, openabCp, baseline];

/** The preset of a name, or undefined for a name that is none. */
export function presetByName(name: PresetName): Preset;
export function presetByName(name: string): Preset | undefined;
export function presetByName(name: string): Preset | undefined {
  return presets.find((preset) => preset.name === name);
}
