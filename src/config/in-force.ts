import { configJsonSchema } from './json-schema.ts';
import { DEFAULT_PACE } from './schema/pipelines.ts';
import { isGroup } from './schema/section.ts';

/**
 * A checked document with every default written out: what is in force, in the form of the file itself. Secrets stay
 * what they are in the file, the name of their place.
 */
export function inForce(document: unknown): unknown {
  const whole = filled(configJsonSchema(), document);
  if (!isGroup(whole) || !isGroup(whole.pipelines)) return whole;
  const pipelines = Object.entries(whole.pipelines).map(([id, pipeline]) => [id, withPace(pipeline)]);
  return { ...whole, pipelines: Object.fromEntries(pipelines) };
}

/** Either `every`, or `schedule` with its time zone. */
function withPace(pipeline: unknown): unknown {
  if (!isGroup(pipeline)) return pipeline;
  const usual = DEFAULT_PACE[pipeline.kind as keyof typeof DEFAULT_PACE];
  const paced = 'every' in pipeline || 'schedule' in pipeline ? pipeline : { ...pipeline, ...usual };
  if (!('every' in paced)) return paced;
  const { time_zone: _, ...rest } = paced as Record<string, unknown>;
  return rest;
}

function filled(schema: unknown, value: unknown): unknown {
  if (!isGroup(schema)) return value;
  const form = Array.isArray(schema.anyOf) ? schema.anyOf.find((each) => fits(each, value)) : undefined;
  if (form !== undefined) return filled(form, value);
  if (Array.isArray(value)) return value.map((each) => filled(schema.items, each));
  if (!isGroup(value)) return value;
  const properties = isGroup(schema.properties) ? schema.properties : {};
  const result: Record<string, unknown> = {};
  for (const [key, below] of Object.entries(properties)) {
    const written = value[key] ?? (isGroup(below) ? below.default : undefined);
    if (written !== undefined) result[key] = filled(below, written);
  }
  for (const [key, written] of Object.entries(value))
    if (!(key in properties)) result[key] = filled(schema.additionalProperties, written);
  return result;
}

/** Whether a value has the looks of this form: its type, its `kind`, the keys it cannot be without. */
function fits(form: unknown, value: unknown): boolean {
  if (!isGroup(form)) return false;
  if ('const' in form) return form.const === value;
  if (!isGroup(value)) return form.type === typeof value;
  if (form.type !== 'object' || !isGroup(form.properties)) return false;
  const required = Array.isArray(form.required) ? form.required : [];
  return (
    required.every((key) => String(key) in value) &&
    Object.entries(form.properties).every(
      ([key, below]) =>
        !isGroup(below) || !('const' in below) || !(key in value) || below.const === value[key],
    )
  );
}
