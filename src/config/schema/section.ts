import { z } from 'zod';
import { suggestion } from '../problems.ts';

type Camel<Key extends string> = Key extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Key;

/** `min_articles` in the file is `minArticles` in the program. */
export type CamelKeys<T> = {
  readonly [Key in keyof T as Key extends string ? Camel<Key> : Key]: T[Key];
};

/**
 * A group of settings. Unknown keys are refused, each with the nearest known one; keys are snake_case in the file and
 * camelCase in the program.
 */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: sectionMessage(Object.keys(shape)) }).transform(camelKeys);
}

function sectionMessage(known: readonly string[]): z.core.$ZodErrorMap {
  return (issue) => {
    if (issue.code === 'unrecognized_keys') {
      const keys = Array.isArray(issue.keys) ? issue.keys.map(String) : [];
      return keys.map((key) => `unknown key \`${key}\`: ${suggestion(key, known)}`).join('\n');
    }
    return groupMessage(issue.input, known);
  };
}

function groupMessage(input: unknown, known: readonly string[]): string {
  const keys = known.slice(0, 6).join(', ');
  if (input === undefined) return `is missing: write it as a group of keys (${keys})`;
  if (input === null) return `is empty: remove it, or write keys below it (${keys})`;
  return `must be a group of keys (${keys}), one per line below it`;
}

function camelKeys<T extends object>(value: T): CamelKeys<T> {
  return Object.fromEntries(
    Object.entries(value).map(([key, setting]) => [camel(key), setting]),
  ) as CamelKeys<T>;
}

export function camel(key: string): string {
  return key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A union of forms; `pick` chooses by shape which one was meant, so that the messages fit that form. */
export function choice<Forms extends Readonly<Record<string, z.ZodType>>>(
  forms: Forms,
  pick: (
    value: unknown,
  ) => Extract<keyof Forms, string> | { readonly message: string; readonly path?: string[] },
): z.ZodType<z.output<Forms[keyof Forms]>, z.input<Forms[keyof Forms]>> {
  const schema = z.unknown().transform((value, context): z.output<Forms[keyof Forms]> => {
    const picked = pick(value);
    if (typeof picked === 'object') {
      context.issues.push({ code: 'custom', input: value, message: picked.message, path: picked.path ?? [] });
      return z.NEVER;
    }
    const result = forms[picked]?.safeParse(value, { reportInput: true });
    if (result?.success) return result.data as z.output<Forms[keyof Forms]>;
    for (const issue of result?.error.issues ?? [])
      context.issues.push({ ...issue, input: issue.input } as z.core.$ZodRawIssue);
    return z.NEVER;
  });
  formsOf.set(schema, Object.values(forms));
  return schema as unknown as z.ZodType<z.output<Forms[keyof Forms]>, z.input<Forms[keyof Forms]>>;
}

/** Forms of each `choice`, for the JSON Schema. */
export const formsOf = new WeakMap<object, readonly z.ZodType[]>();

/** A union discriminated by `kind`. The form `plugin` is for all kinds that are not known here. */
export function byKind<Forms extends Readonly<Record<string, z.ZodType>>>(forms: Forms, noun: string) {
  const kinds = Object.keys(forms).filter((kind) => kind !== PLUGIN_FORM);
  return choice(forms, (value) => {
    if (!isGroup(value))
      return { message: `must be a group of keys that starts with \`kind\` (${kinds.join(', ')})` };
    const kind = value.kind;
    if (typeof kind === 'string' && kinds.includes(kind)) return kind as Extract<keyof Forms, string>;
    if (typeof kind === 'string' && PLUGIN_FORM in forms) return PLUGIN_FORM as Extract<keyof Forms, string>;
    if (kind === undefined)
      return { message: `has no \`kind\`: write \`kind:\` and one of ${kinds.join(', ')}` };
    return {
      message:
        typeof kind === 'string'
          ? `there is no ${noun} of kind \`${kind.slice(0, 40)}\`: ${suggestion(kind, kinds)}`
          : `must be one of ${kinds.join(', ')}`,
      path: ['kind'],
    };
  });
}

const PLUGIN_FORM = 'plugin';

/** An entry whose kind is of a plugin: the settings are as they were written, and checked by the plugin. */
export type PluginEntry<Shape extends z.ZodRawShape> = CamelKeys<z.output<z.ZodObject<Shape>>> & {
  readonly kind: typeof PLUGIN_FORM;
  readonly pluginKind: string;
  readonly settings: Readonly<Record<string, unknown>>;
};

/** A group whose `kind` a plugin brings. The keys of `shape` are ours, all others are settings of the plugin. */
export function pluginEntry<Shape extends z.ZodRawShape>(
  shape: Shape,
  description: string,
  builtInKinds: readonly string[] = [],
): z.ZodType<PluginEntry<Shape>, object> {
  const kind = z
    .string({ error: 'must be the kind of a plugin, a text' })
    .meta({ description, ...(builtInKinds.length > 0 && { not: { enum: [...builtInKinds] } }) });
  return z
    .looseObject({ kind, ...shape }, { error: (issue) => groupMessage(issue.input, ['kind']) })
    .transform((entry) => {
      const { kind: pluginKind, ...rest } = entry as Record<string, unknown>;
      const keys = Object.entries(rest);
      const own = keys.filter(([key]) => Object.hasOwn(shape, key));
      const settings = keys.filter(([key]) => !Object.hasOwn(shape, key));
      return {
        ...camelKeys(Object.fromEntries(own)),
        kind: PLUGIN_FORM,
        pluginKind,
        settings: Object.fromEntries(settings),
      } as PluginEntry<Shape>;
    });
}

/** Names of a section that are Kawaraban's own: a plugin can bring no such kind, and its settings have no such key. */
export interface OwnNames {
  readonly kinds: readonly string[];
  readonly keys: readonly string[];
}

/** A map from user-defined IDs to values; each value gets its ID as a field. */
export function byId<Thing extends z.ZodType<object, unknown>>(thing: Thing, noun: string) {
  return z
    .record(
      z.string().regex(ID, {
        error: `an ID is made of letters, digits, - and _ (at most 64), such as \`my-${noun}\``,
      }),
      thing,
      { error: (issue) => mapMessage(issue.input, noun) },
    )
    .transform(withIds);
}

/** IDs of sources, pipelines and the like. */
export const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

function mapMessage(input: unknown, noun: string): string {
  if (input === undefined) return `is missing: name at least one ${noun}`;
  return `must be a map: below it, one \`id:\` for each ${noun}, and its settings below that`;
}

function withIds<Thing extends object>(things: Readonly<Record<string, Thing>>) {
  return Object.fromEntries(Object.entries(things).map(([id, thing]) => [id, { id, ...thing }])) as Readonly<
    Record<string, Thing & { readonly id: string }>
  >;
}

export function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
