import { OVERRIDES, type Override } from './overrides.ts';
import { isGroup } from './schema/section.ts';

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
