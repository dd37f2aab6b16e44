import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import type { Clock } from '../time/clock.ts';
import { HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { backoff } from '../time/retry.ts';

/** Cost parameters of scrypt. */
export interface PasswordCost {
  /** Memory is 128 × `n` × `r` bytes. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB and some tenths of a second for each guess. */
export const DEFAULT_PASSWORD_COST: PasswordCost = { n: 2 ** 17, r: 8, p: 1 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 1000;

/** Hashes and verifies passwords with scrypt. Concurrency is limited because of the memory that each takes. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #limit = pLimit(2);
  /** Verified in place of a missing hash, so that an unknown name takes as long as a known one. */
  readonly #dummyHash: string;

  constructor(cost: PasswordCost = DEFAULT_PASSWORD_COST) {
    this.#cost = cost;
    this.#dummyHash = formatHash(cost, randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return formatHash(this.#cost, salt, await this.#derive(password, salt, this.#cost));
  }

  /** A `null` hash stands for an unknown account and never matches. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const { cost, salt, key } = parseHash(hash ?? this.#dummyHash);
    const derived = await this.#derive(password, salt, cost);
    return timingSafeEqual(derived, key) && hash !== null;
  }

  /** Whether it was hashed at another cost than the current one. */
  isOutdated(hash: string): boolean {
    const { cost } = parseHash(hash);
    return cost.n !== this.#cost.n || cost.r !== this.#cost.r || cost.p !== this.#cost.p;
  }

  #derive(password: string, salt: Buffer, { n, r, p }: PasswordCost): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const options = { N: n, r, p, maxmem: 256 * n * r };
    void this.#limit(() => {
      scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
        error ? reject(error) : resolve(key),
      );
      return promise.catch(() => {});
    });
    return promise;
  }
}

/** Why a name or a password is not accepted. */
export interface AccountProblem {
  readonly code:
    | 'required'
    | 'name_taken'
    | 'name_invalid'
    | 'too_short'
    | 'too_long'
    | 'password_like_name'
    | 'password_too_simple';
  readonly detail: string;
  readonly parameters?: Readonly<Record<string, number>>;
}

/** Why it is not acceptable as a password; `null` if it is. */
export function passwordProblem(password: string, name: string): AccountProblem | null {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH)
    return {
      code: 'too_short',
      detail: `must have at least ${MIN_PASSWORD_LENGTH} characters`,
      parameters: { minimum: MIN_PASSWORD_LENGTH },
    };
  if (length > MAX_PASSWORD_LENGTH)
    return {
      code: 'too_long',
      detail: `must have at most ${MAX_PASSWORD_LENGTH} characters`,
      parameters: { maximum: MAX_PASSWORD_LENGTH },
    };
  if (password.toLowerCase().includes(name.toLowerCase()) && length < name.length + MIN_PASSWORD_LENGTH)
    return { code: 'password_like_name', detail: 'must not be little more than the name' };
  if (new Set(password).size < 4)
    return { code: 'password_too_simple', detail: 'must not repeat so few characters' };
  return null;
}

function formatHash({ n, r, p }: PasswordCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', n, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

function parseHash(hash: string): {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly key: Buffer;
} {
  const [kind, n, r, p, salt = '', key = ''] = hash.split('$');
  if (kind !== 'scrypt') throw new Error('A stored password hash has an unknown format.');
  return {
    cost: { n: Number(n), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}

interface FailureCount {
  failures: number;
  /** By the monotonic clock. */
  notBefore: number;
  lastAt: number;
}

interface ThrottleRule {
  /** Failures without a delay. */
  readonly freeFailures: number;
  readonly maxWaitMs: number;
}

/** Guessing at one account from one address is delayed long; at one account from all addresses only a little, so that its
 * owner cannot be locked out. */
const THROTTLE_RULES = {
  both: { freeFailures: 5, maxWaitMs: 15 * MINUTE },
  address: { freeFailures: 20, maxWaitMs: 15 * MINUTE },
  account: { freeFailures: 50, maxWaitMs: 20 * SECOND },
} as const satisfies Record<string, ThrottleRule>;

const FAILURE_TTL_MS = HOUR;
const MAX_TRACKED = 20_000;

/** Counts failed sign-ins and delays further attempts, twice as long each time. */
export class SignInThrottle {
  readonly #clock: Clock;
  readonly #failures = new Map<string, FailureCount>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds to wait before the next attempt; 0 means now. */
  retryAfterMs(account: string, address: string): number {
    const now = this.#clock.monotonic();
    const waits = throttleKeys(account, address).map(
      ([key]) => (this.#failures.get(key)?.notBefore ?? 0) - now,
    );
    return Math.max(0, ...waits);
  }

  recordFailure(account: string, address: string): void {
    const now = this.#clock.monotonic();
    for (const [key, { freeFailures: free, maxWaitMs: longest }] of throttleKeys(account, address)) {
      const known = this.#failures.get(key);
      const failures = known === undefined || now - known.lastAt > FAILURE_TTL_MS ? 1 : known.failures + 1;
      const wait = failures <= free ? 0 : backoff(failures - free, { baseMs: 2 * SECOND, capMs: longest });
      this.#failures.delete(key);
      this.#failures.set(key, { failures, notBefore: now + wait, lastAt: now });
    }
    // A map iterates in insertion order, so the oldest are evicted first.
    for (const key of this.#failures.keys()) {
      if (this.#failures.size <= MAX_TRACKED) break;
      this.#failures.delete(key);
    }
  }

  recordSuccess(account: string, address: string): void {
    for (const [key] of throttleKeys(account, address).slice(0, 2)) this.#failures.delete(key);
  }
}

function throttleKeys(account: string, address: string): (readonly [string, ThrottleRule])[] {
  return [
    [`both ${account} ${address}`, THROTTLE_RULES.both],
    [`account ${account}`, THROTTLE_RULES.account],
    [`address ${address}`, THROTTLE_RULES.address],
  ];
}
