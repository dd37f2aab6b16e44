import { createHash, randomBytes } from 'node:crypto';

/** Something that lets its bearer in, and the hash under which it is kept. */
export interface SecretToken {
  readonly token: string;
  readonly id: string;
}

/** 256 bits that nobody can guess; so a plain hash is enough to keep it by. */
export function newSecretToken(random: (bytes: number) => Uint8Array = randomBytes): SecretToken {
  const token = Buffer.from(random(32)).toString('base64url');
  return { token, id: idOf(token) };
}

export function idOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether it can be one at all. */
export function looksLikeToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
