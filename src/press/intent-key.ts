import { createHash } from 'node:crypto';
import type { ItemKey } from '../item/item.ts';

/**
 * The key of a message: the same items of the same pipeline to the same destination in the same template are the same
 * message, however often it is attempted. Short enough for a Discord nonce (25 characters) and an `Idempotency-Key`.
 */
export function intentKey(
  pipeline: string,
  items: readonly ItemKey[],
  destination: string,
  templateVersion: string,
): string {
  // No item key is empty, so a key with a pipeline never equals one without.
  return hashOf(['', pipeline, ...[...items].sort(), destination, templateVersion]);
}

/** The key of the same message in earlier versions, without the pipeline. Stored messages and drops still have it. */
export function keyWithoutPipeline(
  items: readonly ItemKey[],
  destination: string,
  templateVersion: string,
): string {
  return hashOf([...[...items].sort(), destination, templateVersion]);
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url').slice(0, 24);
}
