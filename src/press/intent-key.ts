import { createHash } from 'node:crypto';
import type { ItemKey } from '../item/item.ts';

/**
 * The key of a message: the same items to the same destination in the same template are the same message, however
 * often it is attempted. Short enough for a Discord nonce (25 characters) and an `Idempotency-Key`.
 */
export function intentKey(items: readonly ItemKey[], destination: string, templateVersion: string): string {
  const hash = createHash('sha256');
  for (const part of [...items].sort()) hash.update(part).update('\0');
  return hash.update(destination).update('\0').update(templateVersion).digest('base64url').slice(0, 24);
}
