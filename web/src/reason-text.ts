import type { Item } from '../../src/item/item.ts';
import { words } from './words/words.ts';

/** Why an item is in its state, in the reader's language, with the threshold that decided; empty if there is no reason. */
export function reasonText({
  reason,
  verdict,
}: {
  readonly reason: Item['reason'];
  readonly verdict: { readonly score: number | null; readonly minScore?: number | null } | null;
}): string {
  const w = words.value;
  const { score = null, minScore = null } = verdict ?? {};
  if (reason === 'low_relevance' && score !== null && minScore !== null)
    return w.scoreBelowMinimum(score, minScore);
  return w.reasons[reason];
}
