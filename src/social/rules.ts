import { OperationalError } from '../telemetry/errors.ts';
import type { Drop, NewDrop } from './social-store.ts';

/** A name that is taken, invalid or unknown; or two users who cannot follow each other because of a block. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly problem: 'taken' | 'bad_name' | 'unknown' | 'blocked';
  readonly user: string;

  constructor(problem: UserError['problem'], user: string) {
    super(USER_ERROR_MESSAGES[problem](user));
    this.problem = problem;
    this.user = user;
  }
}

const USER_ERROR_MESSAGES: Readonly<Record<UserError['problem'], (user: string) => string>> = {
  taken: (user) => `There is a user with the name "${user}" already.`,
  bad_name: (user) =>
    `"${user.slice(0, 80)}" cannot be a user's name: 1 to 64 letters, digits, "-", "_" or ".", and not shaped like an ID.`,
  blocked: (user) => `"${user.slice(0, 80)}" cannot be followed: one of the two has blocked the other.`,
  unknown: (user) => `There is no user "${user.slice(0, 80)}".`,
};

/** An invalid drop; `field` names the invalid part. */
export class DropError extends Error {
  override readonly name = 'DropError';
  readonly field: keyof NewDrop;

  constructor(field: keyof NewDrop, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

/** The remote post service has no call to edit a drop. */
export class EditUnsupportedError extends Error {
  override readonly name = 'EditUnsupportedError';
  constructor() {
    super('The remote post service does not support editing. Delete the post and write a new one.');
  }
}

/** A remote user or post service that fails; a later retry may succeed. */
export class ServiceUnavailableError extends OperationalError {
  readonly kind = 'unavailable';
  override readonly name = 'ServiceUnavailableError';
  /** `avion.UserService` or `avion.PostService`. */
  readonly service: string;
  readonly why: 'down' | 'slow' | 'garbage' | 'refused' | 'resting' | 'not_offered';
  /** A retry may succeed without an operator's intervention. */
  readonly isTransient: boolean;

  constructor(
    service: string,
    why: ServiceUnavailableError['why'],
    detail: string,
    {
      cause,
      passes = why !== 'refused' && why !== 'not_offered',
    }: { readonly cause?: unknown; readonly passes?: boolean } = {},
  ) {
    super(`${service} ${UNAVAILABLE_MESSAGES[why]}: ${detail}`, cause === undefined ? {} : { cause });
    this.service = service;
    this.why = why;
    this.isTransient = passes;
  }
}

const UNAVAILABLE_MESSAGES: Readonly<Record<ServiceUnavailableError['why'], string>> = {
  down: 'does not answer',
  slow: 'did not answer in time',
  garbage: 'sent an invalid response',
  refused: 'does not accept our token',
  resting: 'failed too often, its circuit breaker is open',
  not_offered: 'does not offer this call',
};

/** Whether the service works and only lacks this optional call. */
export function isUnimplemented(error: unknown): boolean {
  return error instanceof ServiceUnavailableError && error.why === 'not_offered';
}

const USER_NAME_PATTERN = /^[\p{L}\p{M}\p{N}_.-]{1,64}$/u;
const USER_ID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_TEXT_LENGTH = 100_000;
const MAX_TITLE_LENGTH = 20_000;
const VISIBILITIES: readonly string[] = ['public', 'followers', 'private'];

export function checkUserName(name: string): void {
  if (!USER_NAME_PATTERN.test(name) || USER_ID_PATTERN.test(name)) throw new UserError('bad_name', name);
}

/** Validation of every store, so that a drop is never more than plain text and a web address. */
export function checkDrop(drop: NewDrop): void {
  if (!VISIBILITIES.includes(drop.visibility))
    throw new DropError('visibility', `must be one of ${VISIBILITIES.join(', ')}`);
  if (drop.text.length > MAX_TEXT_LENGTH)
    throw new DropError('text', `has ${drop.text.length} characters, the maximum is ${MAX_TEXT_LENGTH}`);
  if ((drop.title?.length ?? 0) > MAX_TITLE_LENGTH)
    throw new DropError('title', `has ${drop.title?.length} characters, the maximum is ${MAX_TITLE_LENGTH}`);
  if (drop.text.trim() === '' && (drop.title ?? '').trim() === '')
    throw new DropError('text', 'a drop needs a text or a title');
  if (drop.url !== undefined && !isHttpUrl(drop.url))
    throw new DropError('url', 'must be an http or https address');
}

/** Validation of an edited text; the rest of the drop stays. */
export function checkEdit({ userId, visibility, title }: Drop, text: string): void {
  // Only `post` restricts the visibility; a remote service may have stored another one.
  checkDrop({
    userId,
    visibility: visibility === 'unlisted' ? 'public' : visibility,
    text,
    ...(title !== null && { title }),
  });
}

function isHttpUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:');
}

type DropInput = Pick<NewDrop, 'text' | 'visibility'> & {
  readonly title?: string | undefined;
  readonly url?: string | undefined;
};

/** A drop that a person posts. `once` is an idempotency key, scoped to the user. */
export function newPersonalDrop(
  userId: string,
  { text, visibility, title, url }: DropInput,
  once: string | null,
): NewDrop {
  return {
    userId,
    visibility,
    text,
    ...(title !== undefined && { title }),
    ...(url !== undefined && { url }),
    // A user cannot occupy the key of another user's next drop.
    ...(once !== null && { dedupeKey: `${userId} ${once}` }),
  };
}
