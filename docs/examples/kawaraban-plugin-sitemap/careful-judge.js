/** @import { Evaluation, Judge, Judgement } from 'kawaraban' */
/** @typedef {Extract<Judgement<Evaluation>, { outcome: 'judged' }>} Judged */

/**
 * Two judges, of which the stricter one decides: the lower score counts. It shows what a judge is: three
 * questions, answered with values. An unavailable judge answers `later`, which is never a score of zero.
 *
 * @param {string} id
 * @param {Judge} first
 * @param {Judge} second
 * @returns {Judge}
 */
export function carefulJudge(id, first, second) {
  return {
    id,
    abilities: { takesPdf: first.abilities.takesPdf && second.abilities.takesPdf },
    async evaluate(article, interests, signal) {
      const one = await first.evaluate(article, interests, signal);
      if (one.outcome !== 'judged') return one;
      const other = await second.evaluate(article, interests, signal);
      // If the second judge is unavailable, the item is postponed.
      return other.outcome === 'judged' ? stricter(id, one, other) : other;
    },
    screen: (page, documents, signal) => first.screen(page, documents, signal),
    summarise: (page, documents, style, signal) => first.summarise(page, documents, style, signal),
  };
}

/**
 * @param {string} id
 * @param {Judged} one
 * @param {Judged} other
 * @returns {Judged}
 */
function stricter(id, one, other) {
  const winner = one.value.score <= other.value.score ? one : other;
  const usage = {
    calls: one.by.usage.calls + other.by.usage.calls,
    inputTokens: one.by.usage.inputTokens + other.by.usage.inputTokens,
    outputTokens: one.by.usage.outputTokens + other.by.usage.outputTokens,
    microUsd: one.by.usage.microUsd + other.by.usage.microUsd,
    ms: one.by.usage.ms + other.by.usage.ms,
  };
  return { ...winner, by: { ...winner.by, judge: id, usage } };
}
