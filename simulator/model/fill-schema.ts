import type { Opinion } from './opinion.ts';

/** The part of JSON Schema (and of Gemini's dialect, with its upper-case types) that structured answers use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An answer of exactly the schema's shape with the content of the opinion. */
export function fill(schema: Schema, opinion: Opinion, name = ''): unknown {
  if (schema.enum) return chooseOf(schema.enum, opinion);
  const branch = schema.anyOf?.find((each) => typeOf(each) !== 'null');
  if (branch) return fill(branch, opinion, name);
  switch (typeOf(schema)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, fill(inner, opinion, key)]),
      );
    case 'array':
      return listOf(schema, opinion, name);
    case 'integer':
    case 'number':
      return Math.min(schema.maximum ?? 100, Math.max(schema.minimum ?? 0, opinion.score));
    case 'boolean':
      return /ready/i.test(name) ? opinion.decision !== 'not_ready' : opinion.decision === 'worth_it';
    case 'null':
      return null;
    default:
      return textOf(schema, opinion, name);
  }
}

function typeOf(schema: Schema): string {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]) as readonly (string | undefined)[];
  const type = types.find((each) => each !== 'null' && each !== 'NULL') ?? types[0];
  return (type ?? (schema.properties ? 'object' : 'string')).toLowerCase();
}

function listOf(schema: Schema, opinion: Opinion, name: string): unknown[] {
  const items = schema.items ?? {};
  const allowed = items.enum;
  if (/topic|interest|tag/i.test(name)) {
    const topics = allowed ? opinion.topics.filter((topic) => allowed.includes(topic)) : [...opinion.topics];
    return topics.slice(0, schema.maxItems);
  }
  return Array.from({ length: schema.minItems ?? 0 }, () => fill(items, opinion, name));
}

function textOf(schema: Schema, opinion: Opinion, name: string): string {
  const text = /reason|why|because|explan/i.test(name) ? opinion.reason : opinion.summary;
  const longest = schema.maxLength ?? 200;
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return cut.padEnd(Math.min(schema.minLength ?? 0, longest), '.');
}

/** Screening words come in many spellings; their meaning is guessed as a model would. */
function chooseOf(values: readonly unknown[], opinion: Opinion): unknown {
  const patterns: Readonly<Record<Opinion['decision'], RegExp>> = {
    not_ready: /ready|later|wait|pending/i,
    not_valuable: /not.?valuable|worthless|not.?worth|skip|reject|ignore|low/i,
    worth_it: /worth|valuable|yes|accept|keep|high/i,
  };
  const fits = (value: unknown): boolean => patterns[opinion.decision].test(String(value));
  const negative = (value: unknown): boolean =>
    patterns.not_valuable.test(String(value)) || patterns.not_ready.test(String(value));
  if (opinion.decision === 'worth_it')
    return values.find((value) => fits(value) && !negative(value)) ?? values[0];
  return values.find(fits) ?? values[0];
}
