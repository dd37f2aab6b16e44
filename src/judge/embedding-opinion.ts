import { createHash } from 'node:crypto';
import { chunked } from '../item/chunked.ts';
import type { PairInDoubt, StoryItem } from '../same-story/same-story.ts';
import type { Opinion, SecondOpinion } from '../same-story/second-opinion.ts';
import type { Events } from '../telemetry/events.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { CircuitBreaker } from '../time/retry.ts';
import { type Budget, costOf, withinBudget } from './budget/budget.ts';
import { cosineSimilarity, type Embedder, type Embedding } from './embedder.ts';
import type { JudgeHealth } from './judge-stores.ts';
import { estimateTokens, firstCharacters } from './text-length.ts';
import type { VerdictCache, VerdictKey } from './verdict-cache.ts';

/** Name of the embedder in budgets, telemetry and `status`. */
export const EMBEDDER_ID = 'embedder';

/** Of a title with its lead; more adds cost, not certainty. */
const MAX_TEXT_LENGTH = 1_000;
/** A call that fails is repeated once. */
const MAX_ATTEMPTS = 2;
const RETRY_AFTER_MS = SECOND;
/** Failures that another attempt may not have. */
const TRANSIENT = new Set(['timeout', 'unreachable', 'server_error', 'bad_answer']);
/** An unavailable server is asked again after a while: until then it delays nothing. */
const BREAKER = { breakerFailures: 1, breakerMs: 5 * MINUTE, breakerMaxMs: HOUR };

export interface EmbeddingOpinionOptions {
  readonly embedder: Embedder;
  /** Cosine from which a pair in doubt is the same story. */
  readonly minSimilarity: number;
  readonly budget: Budget;
  /** Vectors by the hash of text and model. */
  readonly cache: Pick<VerdictCache, 'get' | 'put'>;
  readonly health: Pick<JudgeHealth, 'record'>;
  readonly events: Pick<Events, 'judgeCalled'>;
  readonly clock: Clock;
  readonly random: () => number;
}

type Missing = Extract<Opinion, { readonly outcome: 'unasked' }>['why'];

/**
 * Decides pairs in doubt by the similarity of their vectors (Q16). Each text is embedded once, in batches, within the budget. A
 * server that fails is left alone for a while; its pairs are left to the rules, and say so.
 */
export class EmbeddingOpinion implements SecondOpinion {
  readonly #options: EmbeddingOpinionOptions;
  readonly #breaker: CircuitBreaker;

  constructor(options: EmbeddingOpinionOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker(options.clock, BREAKER, options.random);
  }

  async about(pairs: readonly PairInDoubt[], signal?: AbortSignal): Promise<readonly Opinion[]> {
    const texts = [...new Set(pairs.flatMap(({ one, other }) => [textOf(one), textOf(other)]))];
    const vectors = new Map<string, Float32Array>();
    for (const text of texts) {
      const cached = await this.#cached(text);
      if (cached !== null) vectors.set(text, cached);
    }
    const missing = await this.#embedMissing(texts, vectors, signal);
    return pairs.map(({ one, other }): Opinion => {
      const [first, second] = [vectors.get(textOf(one)), vectors.get(textOf(other))];
      if (first === undefined || second === undefined || first.length !== second.length)
        return { outcome: 'unasked', why: missing ?? 'failed' };
      const similarity = Math.round(cosineSimilarity(first, second) * 1e4) / 1e4;
      return { outcome: 'answered', same: similarity >= this.#options.minSimilarity, similarity };
    });
  }

  /** Returns why vectors are missing; `null` if none is. */
  async #embedMissing(
    texts: readonly string[],
    vectors: Map<string, Float32Array>,
    signal: AbortSignal | undefined,
  ): Promise<Missing | null> {
    const { maxTexts } = this.#options.embedder;
    let unknown = texts.filter((text) => !vectors.has(text));
    // A second round if the server changed the length of its vectors: then the cached ones are of no use.
    for (let round = 0; unknown.length > 0 && round < 2; round++) {
      for (const part of chunked(unknown, maxTexts)) {
        const embedding = await this.#embed(part, signal);
        if (embedding.outcome !== 'embedded')
          return embedding.outcome === 'later' && embedding.why === 'over_budget' ? 'budget' : 'failed';
        for (const [n, vector] of embedding.vectors.entries()) {
          const text = part[n] ?? '';
          vectors.set(text, vector);
          await this.#remember(text, vector);
        }
      }
      const length = vectors.get(unknown[0] ?? '')?.length;
      unknown = texts.filter((text) => vectors.get(text)?.length !== length);
    }
    return null;
  }

  async #embed(texts: readonly string[], signal: AbortSignal | undefined): Promise<Embedding> {
    const { clock, health } = this.#options;
    for (let attempt = 1; ; attempt++) {
      if (!this.#breaker.admit().admitted)
        return { outcome: 'later', why: 'unreachable', detail: 'It failed shortly before', usage: null };
      let embedding: Embedding;
      try {
        embedding = await this.#call(texts, signal);
      } catch (error) {
        this.#breaker.abandoned();
        throw error;
      }
      const isOwnLimit = embedding.outcome === 'later' && embedding.why === 'over_budget';
      const isLast =
        attempt >= MAX_ATTEMPTS || embedding.outcome !== 'later' || !TRANSIENT.has(embedding.why);
      if (!isLast) {
        this.#breaker.abandoned();
        await clock.sleep(RETRY_AFTER_MS, signal);
        continue;
      }
      if (embedding.outcome === 'embedded') this.#breaker.succeeded();
      else if (isOwnLimit) this.#breaker.abandoned();
      else this.#breaker.failed();
      await health.record(toJudgement(embedding));
      return embedding;
    }
  }

  #call(texts: readonly string[], signal: AbortSignal | undefined): Promise<Embedding> {
    const { embedder, budget, events, clock } = this.#options;
    const inputTokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    const microUsd = costOf({ inputTokens, outputTokens: 0 }, budget.price);
    const call = { judge: EMBEDDER_ID, model: embedder.model, question: 'embed' } as const;
    return inSpan(
      'judge.call',
      call,
      async () => {
        const began = clock.monotonic();
        const embedding = await withinBudget(
          budget,
          { calls: 1, tokens: inputTokens, microUsd },
          signal,
          () => embedder.embed(texts, signal),
        );
        const isDone = embedding.outcome === 'embedded';
        events.judgeCalled({
          ...call,
          outcome: isDone ? 'judged' : embedding.outcome,
          ...(!isDone && { why: embedding.why }),
          ms: clock.monotonic() - began,
          inputTokens: embedding.usage?.inputTokens ?? 0,
          outputTokens: 0,
          microUsd: embedding.usage === null ? 0 : costOf(embedding.usage, budget.price),
        });
        return embedding;
      },
      (embedding) => (embedding.outcome === 'embedded' ? null : `${embedding.why}: ${embedding.detail}`),
    );
  }

  async #cached(text: string): Promise<Float32Array | null> {
    const cached = await this.#options.cache.get(this.#keyOf(text));
    return typeof cached?.value === 'string' ? unpacked(cached.value) : null;
  }

  async #remember(text: string, vector: Float32Array): Promise<void> {
    const { cache, clock, embedder } = this.#options;
    const { promptVersion } = this.#keyOf(text);
    const usage = { calls: 0, inputTokens: 0, outputTokens: 0, microUsd: 0, ms: 0 };
    const by = { judge: EMBEDDER_ID, model: embedder.model, promptVersion, provisional: false, usage };
    await cache.put(this.#keyOf(text), { value: packed(vector), by, madeAt: clock.now() });
  }

  #keyOf(text: string): VerdictKey {
    const textHash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    const model = `${EMBEDDER_ID}/${this.#options.embedder.model}`;
    return { question: 'embed', textHash, interestsVersion: '', model, promptVersion: '1' };
  }
}

function textOf({ title, text }: StoryItem): string {
  return firstCharacters(text === undefined ? title : `${title}\n${text}`, MAX_TEXT_LENGTH);
}

function toJudgement(embedding: Embedding): Parameters<JudgeHealth['record']>[0] {
  if (embedding.outcome !== 'embedded') {
    const { usage: _, ...failure } = embedding;
    return failure;
  }
  const usage = { ...embedding.usage, microUsd: 0, ms: 0 };
  const by = { judge: EMBEDDER_ID, model: '', promptVersion: '', provisional: false, usage };
  return { outcome: 'judged', value: null, by };
}

function packed(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

/** A copy: the bytes of a buffer may begin at an address that numbers cannot have. */
function unpacked(text: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
}
