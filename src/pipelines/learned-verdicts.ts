import type { Item, Verdict } from '../item/item.ts';
import type { LearnedVerdict, Movement } from '../item/learned.ts';
import type { Evaluation, Interests, Judgement } from '../judge/judge.ts';
import { factsOfItem, type PipelineTaste } from '../learning/learning.ts';
import { NO_MOVEMENT } from '../learning/taste.ts';

/** The interests with the examples that a model gets (Q24). */
export function withExamples(interests: Interests, learned: PipelineTaste | null): Interests {
  const examples = learned?.examples ?? null;
  return examples === null ? interests : { ...interests, examples };
}

/**
 * Applies what was learned to the answer of a judge, cached or new (Q20). A model that got the reactions as examples has used
 * them; its score stays.
 */
export function withLearned(
  item: Item,
  judged: Judgement<Evaluation>,
  learned: PipelineTaste | null,
): Judgement<Evaluation> {
  if (learned === null || judged.outcome !== 'judged') return judged;
  const { value, by } = judged;
  if (by.examples !== undefined) {
    const version = learned.examples?.version ?? '';
    const used = { base: value.score, points: 0, rules: [], version, examples: by.examples };
    return { ...judged, value: { ...value, learned: used } };
  }
  const movement = movementOf(item, learned);
  return { ...judged, value: { ...value, ...moved(value.score, movement, learned.taste.version) } };
}

/** The score after a movement; without one there is no trace of it. */
function moved(
  base: number,
  { points, rules }: Movement,
  version: string,
): { readonly score: number; readonly learned?: LearnedVerdict } {
  if (points === 0) return { score: base };
  return {
    score: Math.max(0, Math.min(100, base + points)),
    learned: { base, points, rules, version },
  };
}

function movementOf(item: Item, { taste, raised }: PipelineTaste): Movement {
  const facts = factsOfItem(item);
  return raised.limit(taste.move(facts, [item.key]), facts, item.createdAt);
}

/** The verdict on an item with the reactions of now, from the score of its judge alone; `null`: nothing changed. */
export function verdictNow(item: Item, verdict: Verdict, learned: PipelineTaste | null): Verdict | null {
  const { learned: before, ...own } = verdict;
  const movement = learned === null ? NO_MOVEMENT : movementOf(item, learned);
  const version = learned?.taste.version;
  if (movement.points === (before?.points ?? 0) || before?.version === version) return null;
  return { ...own, ...moved(before?.base ?? verdict.score ?? 0, movement, version ?? '') };
}
