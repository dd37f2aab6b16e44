import { OVERRIDES, type Override } from './overrides.ts';
import { isGroup } from './schema/section.ts';

/** The document with the overrides of the environment in it, and which ones those were. */
export function withOverrides(
  document: unknown,
  env: NodeJS.ProcessEnv,
): { readonly document: unknown; readonly used: readonly Override[] } {
  if (!isGroup(document)) return { document, used: [] };
  const used = (OVERRIDES as readonly Override[]).filter(
    ({ name, path: [section] }) =>
      (env[name] ?? '') !== '' && (section !== 'engine' || isDistributed(document)),
  );
  let changed: Readonly<Record<string, unknown>> = document;
  for (const { name, path, list } of used) {
    const text = env[name] ?? '';
    changed = set(changed, path, list ? text.split(',').map((each) => each.trim()) : scalar(text));
  }
  return { document: changed, used };
}

/** What is said of the services of one engine means nothing to the other. */
function isDistributed({ engine }: Readonly<Record<string, unknown>>): boolean {
  return isGroup(engine) && engine.kind === 'distributed';
}

function scalar(text: string): string | number {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function set(
  group: Readonly<Record<string, unknown>>,
  path: readonly string[],
  value: string | number | readonly string[],
): Readonly<Record<string, unknown>> {
  const [head, ...rest] = path;
  if (head === undefined) return group;
  if (rest.length === 0) return { ...group, [head]: value };
  const below = group[head] ?? {};
  // A malformed section stays as it is: its own message says what is wrong with it.
  return isGroup(below) ? { ...group, [head]: set(below, rest, value) } : group;
}
