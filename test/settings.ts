import type { Config } from '../src/config/config.ts';
import { configJsonSchema } from '../src/config/schema/document.ts';
import { camel, isGroup } from '../src/config/schema/section.ts';

/** Settings that a newsroom on the embedded engine does not read: `distributed.test.ts` checks these. */
export const DISTRIBUTED_SETTINGS: readonly RegExp[] = [
  /^engine<distributed>/,
  /^timelines\.(redis\.|stream\.connectionTtl$)/,
  /^stories\.environment$/,
];

/** Settings of TLS and Sentinel: `tls.test.ts` and `redis-access.test.ts` test the effect of each. */
export const SECURE_SETTINGS: readonly RegExp[] = [
  /^server\.(grpc\.)?tls\./,
  /^timelines\.serviceTls\./,
  /\bredis\.(tls|sentinel)\./,
];

/** A configuration that records which of its settings were read; copying a whole group does not count. */
export function recordReads(config: Config): { readonly config: Config; readonly read: ReadonlySet<string> } {
  const read = new Set<string>();
  return { config: recordingProxy(config, '', read) as Config, read };
}

/** Every setting that a file can have, as the program calls it: `pipelines.*<curate>.maxArticles`. */
export function allSettings(): readonly string[] {
  return [...new Set(leavesOf(configJsonSchema(), ''))];
}

function recordingProxy(value: unknown, path: string, read: Set<string>): unknown {
  // Classes, such as a secret, are leaves: their content is private.
  const isPlain =
    Array.isArray(value) || (isGroup(value) && Object.getPrototypeOf(value) === Object.prototype);
  if (!isPlain) return value;
  const here = `${path}${formOf(value)}`;
  const copied = new Set<PropertyKey>();
  // A copy: a proxy must return the actual values of a frozen object.
  return new Proxy(Array.isArray(value) ? [...value] : { ...(value as object) }, {
    getOwnPropertyDescriptor(target, key) {
      copied.add(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    get(target, key) {
      const inner: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol') return inner;
      const name = Array.isArray(target) || MAPS.has(here) ? '*' : key;
      const there = here === '' ? name : `${here}.${name}`;
      if (!copied.delete(key)) read.add(there);
      return recordingProxy(inner, there, read);
    },
  });
}

const MAPS: ReadonlySet<string> = new Set(['sources', 'judges', 'publishers', 'pipelines']);

/** Entries of one map are told apart by their kind. */
function formOf(value: unknown): string {
  return isGroup(value) && typeof value.kind === 'string' ? `<${value.kind}>` : '';
}

/** The key that determines the kind of a source. */
const SOURCES = ['feed', 'youtube', 'hackernews'];

function leavesOf(schema: unknown, path: string): string[] {
  if (!isGroup(schema)) return [];
  if (Array.isArray(schema.anyOf)) {
    if (schema.anyOf.every((form) => isSecretPlace(form))) return [path];
    return schema.anyOf.flatMap((form) => leavesOf(form, path));
  }
  const { properties, additionalProperties, items } = schema;
  if (isSecretPlace(schema)) return [path];
  if (isGroup(properties)) {
    const kind = kindOf(properties);
    return Object.entries(properties).flatMap(([key, inner]) =>
      leavesOf(inner, `${path}${kind}${path === '' ? '' : '.'}${camel(key)}`),
    );
  }
  if (isGroup(additionalProperties)) return leavesOf(additionalProperties, `${path}.*`);
  if (isGroup(items) && isGroup(items.properties)) return leavesOf(items, `${path}.*`);
  return [path];
}

function kindOf(properties: Readonly<Record<string, unknown>>): string {
  const { kind } = properties;
  if (isGroup(kind)) return `<${typeof kind.const === 'string' ? kind.const : 'plugin'}>`;
  const source = SOURCES.find((name) => name in properties);
  if (source !== undefined) return `<${source}>`;
  if ('builtin' in properties) return '<builtin>';
  return 'command' in properties ? '<command>' : '';
}

function isSecretPlace(schema: unknown): boolean {
  if (!isGroup(schema) || !isGroup(schema.properties)) return false;
  const keys = Object.keys(schema.properties);
  return keys.length === 1 && (keys[0] === 'env' || keys[0] === 'file');
}
