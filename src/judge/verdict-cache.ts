import { createHash } from 'node:crypto';
import type { Clock } from '../time/clock.ts';
import { changeCanMatter, type InterestsHistory } from './interests.ts';
import type {
  ArticleText,
  Document,
  Evaluation,
  Examples,
  Interests,
  Judge,
  Judgement,
  Provenance,
  SummaryStyle,
} from './judge.ts';
import type { JudgeHealth } from './judge-stores.ts';

/**
 * Cached verdicts, so that the same text is not paid for twice (A5, X9). The key covers everything that a verdict depends on:
 * question, text, interests, model and prompt.
 */
export interface VerdictCache extends AsyncDisposable {
  get(key: VerdictKey): Promise<CachedVerdict | null>;
  /** The newest verdict on the same text by the same model and prompt, regardless of the interests. */
  latest(key: VerdictKey): Promise<(CachedVerdict & { readonly interestsVersion: string }) | null>;
  put(key: VerdictKey, verdict: CachedVerdict): Promise<void>;
  /** Deletes verdicts that were made before this time. */
  sweep(before: number): Promise<number>;
}

export interface VerdictKey {
  /** `embed`: a vector of an embedding model. */
  readonly question: 'evaluate' | 'screen' | 'summarise' | 'embed';
  /** Hash of the whole input: text, title, documents, and the style of a summary. */
  readonly textHash: string;
  /** Empty for questions that do not depend on interests. */
  readonly interestsVersion: string;
  readonly model: string;
  readonly promptVersion: string;
}

export interface CachedVerdict {
  /** The answer, as JSON. */
  readonly value: unknown;
  readonly by: Provenance;
  readonly madeAt: number;
}

export interface CachedJudgeOptions {
  readonly cache: VerdictCache;
  readonly history: InterestsHistory;
  readonly model: string;
  promptVersion(question: Exclude<VerdictKey['question'], 'embed'> | 'examples'): string;
  readonly clock: Clock;
  /** Records the outcome of each question that was not answered from the cache. */
  readonly health: Pick<JudgeHealth, 'record'>;
}

/**
 * A judge that is asked once for the same text, interests, model and prompt (A5). After a change of interests it keeps the verdicts that
 * the change cannot affect. Concurrent callers with the same question share one answer.
 */
export function withCache(judge: Judge, options: CachedJudgeOptions): Judge {
  const underWay = new Map<string, Promise<Judgement<unknown>>>();
  const stored = new Set<string>();

  const keyOf = (
    question: Exclude<VerdictKey['question'], 'embed'>,
    textHash: string,
    { version: interestsVersion, examples }: Pick<Interests, 'version' | 'examples'> = { version: '' },
  ): VerdictKey => ({
    question,
    textHash,
    interestsVersion,
    model: `${judge.id}/${options.model}`,
    promptVersion: options.promptVersion(question) + examplesVersion(examples),
  });

  /** Examples are a part of the prompt. */
  const examplesVersion = (examples: Examples | undefined): string =>
    examples === undefined ? '' : `+${options.promptVersion('examples').slice(0, 4)}${examples.version}`;

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
      // The caller that asked first aborted: ask again.
      if (shared !== null) return shared as Judgement<T>;
    }
    const asking = ask();
    underWay.set(name, asking);
    try {
      const judgement = await asking;
      await options.health.record(judgement);
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
      if (!stored.has(interests.version)) {
        await options.history.save(interests, options.clock.now());
        stored.add(interests.version);
      }
      const key = keyOf('evaluate', textHashOf(article), interests);
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

/** A cached verdict costs nothing. */
function fromCache<T>(known: CachedVerdict): Judgement<T> {
  const usage = { calls: 0, inputTokens: 0, outputTokens: 0, microUsd: 0, ms: 0 };
  return { outcome: 'judged', value: known.value as T, by: { ...known.by, usage } };
}

/** Hash of a judge's input. The address is not part of it: the same text elsewhere gets the same verdict. */
export function textHashOf(
  article: ArticleText,
  documents: readonly Document[] = [],
  style?: SummaryStyle,
): string {
  const hash = createHash('sha256');
  const add = (part: string | Uint8Array): void => {
    hash.update(`${part.length}:`).update(part);
  };
  add(article.title);
  add(article.text);
  for (const heading of article.headings ?? []) add(heading);
  for (const document of documents) {
    add(document.name);
    add(document.bytes ?? document.text ?? '');
  }
  if (style) add(JSON.stringify([style.language, style.sentences, style.characters]));
  return hash.digest('hex').slice(0, 32);
}
