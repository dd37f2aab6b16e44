import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { JUDGE_KINDS } from '../judge/judge.ts';
import { SECRET_MARK } from '../plugins/plugin.ts';
import { registerSecret } from '../telemetry/secrets.ts';
import type { RuleViolation } from './cross-rules.ts';
import { isGroup } from './schema/section.ts';

/** Where a secret is stored. The configuration contains only this, never the secret itself (X7). */
export type SecretPlace = { readonly env: string } | { readonly file: string };

export type SecretReading =
  | { readonly found: true; readonly value: string }
  | { readonly found: false; readonly why: string };

/** A token, key or secret address. Printing it in any way gives `[secret]`; only `reveal` gives the value. */
export class Secret {
  readonly place: SecretPlace;
  readonly [SECRET_MARK] = true;
  #value: string | null = null;

  constructor(place: SecretPlace) {
    this.place = place;
  }

  /** A secret with a given value, for tests and for the sample newsroom. */
  static of(value: string, name = 'GIVEN'): Secret {
    const secret = new Secret({ env: name });
    secret.#value = value;
    return secret;
  }

  /** Reads the value; called once, before anything starts. */
  load(env: NodeJS.ProcessEnv, folder: string): void {
    const reading = readSecret(this.place, env, folder);
    this.#value = reading.found ? reading.value : null;
    // Defence in depth: mask it in the log.
    if (reading.found) registerSecret(reading.value);
  }

  /** False for a secret that is not set, in a command that does not need it. */
  get isLoaded(): boolean {
    return this.#value !== null;
  }

  reveal(): string {
    if (this.#value === null) throw new SecretNotLoadedError(this.place);
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

export class SecretNotLoadedError extends Error {
  override readonly name = 'SecretNotLoadedError';

  constructor(place: SecretPlace) {
    super(`the secret from ${describePlace(place)} is missing: set it first`);
  }
}

function describePlace(place: SecretPlace): string {
  return 'env' in place ? `the environment variable ${place.env}` : `the file ${place.file}`;
}

/**
 * Reads a secret and trims white space. If the variable is not set, `<NAME>_FILE` may name a file that contains the secret, as
 * containers mount them.
 */
export function readSecret(place: SecretPlace, env: NodeJS.ProcessEnv, folder: string): SecretReading {
  if ('file' in place) return readFile(place.file, folder);
  const value = env[place.env];
  if (value !== undefined)
    return value.trim() === ''
      ? missing(`the environment variable ${place.env} is empty: put the secret into it`)
      : { found: true, value: value.trim() };
  const file = env[`${place.env}_FILE`];
  if (file !== undefined && file !== '') return readFile(file, folder);
  return missing(`the environment variable ${place.env} is not set: set it before starting`);
}

function readFile(file: string, folder: string): SecretReading {
  try {
    const value = readFileSync(resolve(folder, file), 'utf8').trim();
    return value === ''
      ? missing(`the file ${file} is empty: put the secret into it`)
      : { found: true, value };
  } catch (error) {
    return missing(`the file ${file} ${fileProblem(error)}`);
  }
}

function missing(why: string): SecretReading {
  return { found: false, why };
}

function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT') return 'does not exist: make it, with nothing but the secret in it';
  if (code === 'EACCES') return 'may not be read by this user: change its owner or its mode';
  if (code === 'EISDIR') return 'is a folder: name a file inside it';
  return 'cannot be read';
}

/** Secrets that the document needs and that do not exist. */
export function missingSecrets(document: unknown, env: NodeJS.ProcessEnv, folder: string): RuleViolation[] {
  return neededSecrets(document).flatMap(({ path, place }) => {
    const reading = readSecret(place, env, folder);
    return reading.found ? [] : [{ path, message: reading.why }];
  });
}

interface NeededSecret {
  readonly path: readonly PropertyKey[];
  readonly place: SecretPlace;
}

/** Every secret of the document, except the keys of judges that nothing asks. */
export function neededSecrets(document: unknown): NeededSecret[] {
  const asked = askedJudges(document);
  return placesIn(document, []).filter(
    ({ path: [section, id] }) => section !== 'judges' || asked.has(String(id)),
  );
}

/** The judges of pipelines, and those that answer in their place. */
function askedJudges(document: unknown): ReadonlySet<string> {
  const { pipelines, judges } = isGroup(document) ? document : {};
  const asked = new Set<string>();
  const add = (id: unknown): void => {
    if (typeof id !== 'string' || asked.has(id)) return;
    asked.add(id);
    const judge = isGroup(judges) ? judges[id] : undefined;
    if (isGroup(judge)) add(judge.fallback);
    // The settings of a plugin's judge may name others.
    if (isGroup(judge) && isGroup(judges) && !JUDGE_KINDS.some((kind) => kind === judge.kind))
      for (const text of textsIn(judge)) if (Object.hasOwn(judges, text)) add(text);
  };
  for (const pipeline of Object.values(isGroup(pipelines) ? pipelines : {})) {
    if (!isGroup(pipeline)) continue;
    add(pipeline.judge);
    if (isGroup(pipeline.processor)) add(pipeline.processor.judge);
  }
  return asked;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isGroup(value) || Array.isArray(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Every `{ env: NAME }` and `{ file: path }`; nothing else in the document has this shape. */
function placesIn(value: unknown, path: readonly PropertyKey[]): NeededSecret[] {
  if (Array.isArray(value)) return value.flatMap((each, n) => placesIn(each, [...path, n]));
  if (!isGroup(value)) return [];
  const place = secretPlaceOf(value);
  if (place !== null) return [{ path, place }];
  return Object.keys(value).flatMap((key) => placesIn(value[key], [...path, key]));
}

/** The place of a secret if this group is a reference to one. */
export function secretPlaceOf(group: Readonly<Record<string, unknown>>): SecretPlace | null {
  if (Object.keys(group).length !== 1) return null;
  const { env, file } = group;
  // Only a valid variable name is looked up, so that a pasted secret is never repeated in a message.
  if (typeof env === 'string' && /^[A-Z_][A-Z0-9_]{0,99}$/.test(env)) return { env };
  return typeof file === 'string' && file !== '' ? { file } : null;
}

/** Message for a secret that stands in the file itself. */
export const LITERAL_SECRET =
  'a secret may not be written into this file: write `{ env: NAME }` to take it from the environment variable NAME, or `{ file: path }` to read it from a file';

/** Loads every `Secret` inside the value. */
export function loadSecrets(value: unknown, env: NodeJS.ProcessEnv, folder: string): void {
  if (value instanceof Secret) value.load(env, folder);
  else if (Array.isArray(value)) for (const each of value) loadSecrets(each, env, folder);
  else if (isGroup(value)) for (const each of Object.values(value)) loadSecrets(each, env, folder);
}
