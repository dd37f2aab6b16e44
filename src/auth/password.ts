import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';

/** How hard a password is to guess from its hash. */
export interface PasswordCost {
  /** Memory is 128 × `n` × `r` bytes. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB and some tenths of a second for each guess. */
export const PASSWORD_COST: PasswordCost = { n: 2 ** 17, r: 8, p: 1 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
export const SHORTEST_PASSWORD = 10;
export const LONGEST_PASSWORD = 1000;

/** Hashes and checks passwords with scrypt. Few at a time: each takes its memory. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #limit = pLimit(2);
  /** Checked in place of a hash that is not there, so that an unknown name takes as long as a known one. */
  readonly #nobody: string;

  constructor(cost: PasswordCost = PASSWORD_COST) {
    this.#cost = cost;
    this.#nobody = written(cost, randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return written(this.#cost, salt, await this.#derive(password, salt, this.#cost));
  }

  /** `null` as hash is that of nobody, and never fits. */
  async fits(password: string, hash: string | null): Promise<boolean> {
    const { cost, salt, key } = read(hash ?? this.#nobody);
    const derived = await this.#derive(password, salt, cost);
    return timingSafeEqual(derived, key) && hash !== null;
  }

  /** Whether it was made with another cost than new ones are. */
  isOutdated(hash: string): boolean {
    const { cost } = read(hash);
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

/** Why it cannot be a password; `null` where it can. */
export function passwordTrouble(password: string, name: string): string | null {
  const length = [...password].length;
  if (length < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters`;
  if (length > LONGEST_PASSWORD) return `must have at most ${LONGEST_PASSWORD} characters`;
  if (password.toLowerCase().includes(name.toLowerCase()) && length < name.length + SHORTEST_PASSWORD)
    return 'must not be little more than the name';
  if (new Set(password).size < 4) return 'must not repeat so few characters';
  return null;
}

function written({ n, r, p }: PasswordCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', n, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

function read(hash: string): { readonly cost: PasswordCost; readonly salt: Buffer; readonly key: Buffer } {
  const [kind, n, r, p, salt = '', key = ''] = hash.split('$');
  if (kind !== 'scrypt') throw new Error('A stored password has a form that is not known here.');
  return {
    cost: { n: Number(n), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}
