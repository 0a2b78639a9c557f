import type { z } from 'zod';
import { profileSchema } from './schema.ts';

/** The keys that the mapping at this path may have: what an unknown key is compared with. */
export function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  const found = path.reduce<readonly z.core.$ZodType[]>(
    (types, step) => types.flatMap((type) => below(type, step)),
    [profileSchema],
  );
  return found.flatMap(forms).flatMap((type) => ('shape' in type._zod.def ? Object.keys(shapeOf(type)) : []));
}

/** The types that what stands at `step` of a value of this type may have. */
function below(type: z.core.$ZodType, step: PropertyKey): readonly z.core.$ZodType[] {
  return forms(type).flatMap((form) => {
    const def = form._zod.def as z.core.$ZodTypes['_zod']['def'];
    if (def.type === 'array') return typeof step === 'number' ? [def.element] : [];
    if (def.type === 'record') return typeof step === 'number' ? [] : [def.valueType];
    const inner = def.type === 'object' ? def.shape[String(step)] : undefined;
    return inner === undefined ? [] : [inner];
  });
}

/** A type without what is wrapped around it, and each of its alternatives. */
function forms(type: z.core.$ZodType): readonly z.core.$ZodType[] {
  const def = type._zod.def as z.core.$ZodTypes['_zod']['def'];
  if (def.type === 'optional') return forms(def.innerType);
  if (def.type === 'pipe') return forms(def.in);
  if (def.type === 'union') return def.options.flatMap(forms);
  return [type];
}

function shapeOf(type: z.core.$ZodType): object {
  return (type._zod.def as z.core.$ZodObjectDef).shape;
}
