import type { Clock } from '../time/clock.ts';
import { changeCanMatter } from './interests-diff.ts';
import type { InterestsHistory } from './interests-history.ts';
import type { Evaluation, Interests, Judge, Judgement } from './judge.ts';
import type { JudgeHealth } from './judge-troubles.ts';
import { textHashOf } from './text-hash.ts';
import type { CachedVerdict, VerdictCache, VerdictKey } from './verdict-cache.ts';

export interface CachedJudgeOptions {
  readonly cache: VerdictCache;
  readonly history: InterestsHistory;
  readonly model: string;
  promptVersion(question: VerdictKey['question']): string;
  readonly clock: Clock;
  /** Notes what came of each question that was really asked. */
  readonly health: Pick<JudgeHealth, 'note'>;
}

/**
 * A judge that is asked once for the same text, interests, model and prompt (A5). After a change of interests it keeps the verdicts that
 * the change cannot touch. Two who ask the same at the same time get one answer.
 */
export function withCache(judge: Judge, options: CachedJudgeOptions): Judge {
  const underWay = new Map<string, Promise<Judgement<unknown>>>();
  const remembered = new Set<string>();

  const keyOf = (question: VerdictKey['question'], textHash: string, interestsVersion = ''): VerdictKey => ({
    question,
    textHash,
    interestsVersion,
    model: `${judge.id}/${options.model}`,
    promptVersion: options.promptVersion(question),
  });

  const asked = async <T>(
    key: VerdictKey,
    signal: AbortSignal | undefined,
    ask: () => Promise<Judgement<T>>,
  ): Promise<Judgement<T>> => {
    const name = JSON.stringify(key);
    const other = underWay.get(name);
    if (other) {
      const shared = await other.catch(() => null);
      signal?.throwIfAborted();
      // Whoever asked first gave up: then we ask ourselves.
      if (shared !== null) return shared as Judgement<T>;
    }
    const asking = ask();
    underWay.set(name, asking);
    try {
      const judgement = await asking;
      await options.health.note(judgement);
      if (judgement.outcome === 'judged') {
        await options.cache.put(key, {
          value: judgement.value,
          by: judgement.by,
          madeAt: options.clock.now(),
        });
      }
      return judgement;
    } finally {
      underWay.delete(name);
    }
  };

  const stillHolding = async (key: VerdictKey, interests: Interests): Promise<CachedVerdict | null> => {
    const older = await options.cache.latest(key);
    if (older === null) return null;
    const before = await options.history.at(older.interestsVersion);
    if (before === null) return null;
    const { topics } = older.value as Evaluation;
    if (changeCanMatter(before, interests, topics)) return null;
    await options.cache.put(key, older);
    return older;
  };

  return {
    id: judge.id,
    abilities: judge.abilities,

    async evaluate(article, interests, signal) {
      signal?.throwIfAborted();
      if (!remembered.has(interests.version)) {
        await options.history.remember(interests, options.clock.now());
        remembered.add(interests.version);
      }
      const key = keyOf('evaluate', textHashOf(article), interests.version);
      const known = (await options.cache.get(key)) ?? (await stillHolding(key, interests));
      if (known) return fromCache(known);
      return asked(key, signal, () => judge.evaluate(article, interests, signal));
    },

    async screen(page, documents, signal) {
      signal?.throwIfAborted();
      const key = keyOf('screen', textHashOf(page, documents));
      const known = await options.cache.get(key);
      if (known) return fromCache(known);
      return asked(key, signal, () => judge.screen(page, documents, signal));
    },

    async summarise(page, documents, style, signal) {
      signal?.throwIfAborted();
      const key = keyOf('summarise', textHashOf(page, documents, style));
      const known = await options.cache.get(key);
      if (known) return fromCache(known);
      return asked(key, signal, () => judge.summarise(page, documents, style, signal));
    },
  };
}

/** A known verdict costs nothing the second time. */
function fromCache<T>(known: CachedVerdict): Judgement<T> {
  const usage = { calls: 0, inputTokens: 0, outputTokens: 0, microUsd: 0, ms: 0 };
  return { outcome: 'judged', value: known.value as T, by: { ...known.by, usage } };
}
