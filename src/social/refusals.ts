import { OperationalError } from '../telemetry/errors.ts';
import type { NewDrop } from './services.ts';

/** A name that is not free, not allowed, or nobody's; or two who cannot follow each other. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly problem: 'taken' | 'bad_name' | 'unknown' | 'blocked';
  readonly user: string;

  constructor(problem: UserError['problem'], user: string) {
    super(SENTENCES[problem](user));
    this.problem = problem;
    this.user = user;
  }
}

const SENTENCES: Readonly<Record<UserError['problem'], (user: string) => string>> = {
  taken: (user) => `There is a user with the name "${user}" already.`,
  bad_name: (user) =>
    `"${user.slice(0, 80)}" cannot be a user's name: 1 to 64 letters, digits, "-", "_" or ".", and not shaped like an ID.`,
  blocked: (user) => `"${user.slice(0, 80)}" cannot be followed: one of the two has blocked the other.`,
  unknown: (user) => `There is no user "${user.slice(0, 80)}".`,
};

/** A drop that cannot be taken as it is; `field` says which part of it. */
export class DropError extends Error {
  override readonly name = 'DropError';
  readonly field: keyof NewDrop;

  constructor(field: keyof NewDrop, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

/** A remote user or post service that does not do its work; asking again later may help. */
export class ServiceUnavailableError extends OperationalError {
  readonly kind = 'unavailable';
  override readonly name = 'ServiceUnavailableError';
  /** `avion.UserService` or `avion.PostService`. */
  readonly service: string;
  readonly why: 'down' | 'slow' | 'garbage' | 'refused' | 'resting' | 'not_offered';
  /** It may be over by the next try, without a person who acts. */
  readonly passes: boolean;

  constructor(
    service: string,
    why: ServiceUnavailableError['why'],
    detail: string,
    {
      cause,
      passes = why !== 'refused' && why !== 'not_offered',
    }: { readonly cause?: unknown; readonly passes?: boolean } = {},
  ) {
    super(`${service} ${UNAVAILABLE[why]}: ${detail}`, cause === undefined ? {} : { cause });
    this.service = service;
    this.why = why;
    this.passes = passes;
  }
}

const UNAVAILABLE: Readonly<Record<ServiceUnavailableError['why'], string>> = {
  down: 'does not answer',
  slow: 'did not answer in time',
  garbage: 'answered something that makes no sense',
  refused: 'does not accept our token',
  resting: 'failed too often and is left alone for a moment',
  not_offered: 'does not offer this call',
};

/** Whether the service works and only lacks this call, which it need not have. */
export function isNotOffered(error: unknown): boolean {
  return error instanceof ServiceUnavailableError && error.why === 'not_offered';
}

const NAME = /^[\p{L}\p{M}\p{N}_.-]{1,64}$/u;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LONGEST_TEXT = 100_000;
const LONGEST_TITLE = 20_000;
const VISIBILITIES: readonly string[] = ['public', 'followers', 'private'];

export function checkUserName(name: string): void {
  if (!NAME.test(name) || ID.test(name)) throw new UserError('bad_name', name);
}

/** What every store refuses, so that nothing a reader shows can be more than plain text and a web address. */
export function checkDrop(drop: NewDrop): void {
  if (!VISIBILITIES.includes(drop.visibility))
    throw new DropError('visibility', `must be one of ${VISIBILITIES.join(', ')}`);
  if (drop.text.length > LONGEST_TEXT)
    throw new DropError('text', `has ${drop.text.length} characters, the most is ${LONGEST_TEXT}`);
  if ((drop.title?.length ?? 0) > LONGEST_TITLE)
    throw new DropError('title', `has ${drop.title?.length} characters, the most is ${LONGEST_TITLE}`);
  if (drop.text.trim() === '' && (drop.title ?? '').trim() === '')
    throw new DropError('text', 'a drop needs a text or a title');
  if (drop.url !== undefined && !isWebAddress(drop.url))
    throw new DropError('url', 'must be an http or https address');
}

function isWebAddress(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:');
}
