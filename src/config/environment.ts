import { isGroup } from './schema/section.ts';

/** Settings that an environment variable may set in place of the file; containers and tests use them. */
export const OVERRIDES = [
  { name: 'KAWARABAN_DATA', path: ['data'], words: 'folder of the embedded engine' },
  { name: 'KAWARABAN_HOST', path: ['server', 'host'], words: 'address to listen on' },
  { name: 'KAWARABAN_PORT', path: ['server', 'port'], words: 'port of the web page and the API' },
  {
    name: 'KAWARABAN_LOG_LEVEL',
    path: ['telemetry', 'log_level'],
    words: 'least important lines that are logged',
  },
  { name: 'KAWARABAN_LOG_FORMAT', path: ['telemetry', 'log_format'], words: 'auto, pretty or json' },
] as const;

export type Override = (typeof OVERRIDES)[number];

/** The document with the overrides of the environment in it, and which ones those were. */
export function withOverrides(
  document: unknown,
  env: NodeJS.ProcessEnv,
): { readonly document: unknown; readonly used: readonly Override[] } {
  if (!isGroup(document)) return { document, used: [] };
  const used = OVERRIDES.filter(({ name }) => (env[name] ?? '') !== '');
  let changed: Readonly<Record<string, unknown>> = document;
  for (const { name, path } of used) changed = set(changed, path, scalar(env[name] ?? ''));
  return { document: changed, used };
}

function scalar(text: string): string | number {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function set(
  group: Readonly<Record<string, unknown>>,
  path: readonly string[],
  value: string | number,
): Readonly<Record<string, unknown>> {
  const [head, ...rest] = path;
  if (head === undefined) return group;
  if (rest.length === 0) return { ...group, [head]: value };
  const below = group[head] ?? {};
  // A malformed section stays as it is: its own message says what is wrong with it.
  return isGroup(below) ? { ...group, [head]: set(below, rest, value) } : group;
}
