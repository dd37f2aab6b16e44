import type { Finding } from './cross-rules.ts';
import { isGroup } from './schema/section.ts';
import { readSecret, Secret, type SecretPlace } from './secret.ts';

/** Secrets that the document names and that are not where it says. */
export function missingSecrets(document: unknown, env: NodeJS.ProcessEnv, folder: string): Finding[] {
  return placesIn(document, []).flatMap(({ path, place }) => {
    const reading = readSecret(place, env, folder);
    return reading.found ? [] : [{ path, message: reading.why }];
  });
}

/** Every `{ env: NAME }` and `{ file: path }`; nothing else in the document has this shape. */
function placesIn(
  value: unknown,
  path: readonly PropertyKey[],
): { path: readonly PropertyKey[]; place: SecretPlace }[] {
  if (Array.isArray(value)) return value.flatMap((each, n) => placesIn(each, [...path, n]));
  if (!isGroup(value)) return [];
  const keys = Object.keys(value);
  if (keys.length === 1) {
    const { env, file } = value;
    // Only a name that looks like one is looked up, so that a pasted secret is never repeated in a message.
    if (typeof env === 'string' && /^[A-Z_][A-Z0-9_]{0,99}$/.test(env)) return [{ path, place: { env } }];
    if (typeof file === 'string' && file !== '') return [{ path, place: { file } }];
  }
  return keys.flatMap((key) => placesIn(value[key], [...path, key]));
}

/** Fills the values in. */
export function loadSecrets(value: unknown, env: NodeJS.ProcessEnv, folder: string): void {
  if (value instanceof Secret) value.load(env, folder);
  else if (Array.isArray(value)) for (const each of value) loadSecrets(each, env, folder);
  else if (isGroup(value)) for (const each of Object.values(value)) loadSecrets(each, env, folder);
}
