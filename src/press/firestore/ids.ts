import { createHash } from 'node:crypto';

/** An ID for a document that stands for these names, whatever characters are in them. */
export function idOf(...names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex');
}
