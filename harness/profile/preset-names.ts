import type { PresetName } from '../model/clause.ts';

/** The presets a profile or an image label may name. */
export const presetNames: readonly PresetName[] = ['light-fabric', 'openab-cp', 'baseline'];
