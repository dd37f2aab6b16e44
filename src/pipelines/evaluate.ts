import { createHash } from 'node:crypto';
import type { ArticleReader } from '../articles/article.ts';
import type { Item, ItemKey, Verdict } from '../item/item.ts';
import { advance, type LifecycleEvent, type LifecyclePolicy } from '../item/lifecycle.ts';
import type { Evaluation, Interests, Judge, JudgeFailure, Judgement, Provenance } from '../judge/judge.ts';
import type { PipelineTaste } from '../learning/learning.ts';
import type { Step } from '../ledger/ledger.ts';
import { type ItemOutcome, outcomeOf } from '../scheduler/run-report.ts';
import type { RunLease } from '../scheduler/run-store.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Article, CuratorStore } from './curator-store.ts';
import { LifecycleError, reportStep } from './item-step.ts';
import { withExamples, withLearned } from './learned-verdicts.ts';

export interface EvaluateDependencies {
  readonly settings: { readonly minRelevanceScore: number };
  readonly interests: Interests;
  readonly judge: Judge;
  readonly reader: ArticleReader;
  readonly clock: Clock;
  /** What people reacted to; `null`: nothing, or learning is off. */
  readonly learned: PipelineTaste | null;
}

/** Result of reading an article and asking the judge. */
export type Evaluated =
  | { readonly outcome: 'unreadable'; readonly retryable: boolean; readonly detail: string }
  | { readonly outcome: 'asked'; readonly judged: Judgement<Evaluation>; readonly text: string };

/** Reads the page of an item and asks the judge. Stores nothing. */
export async function evaluate(
  item: Item,
  deps: EvaluateDependencies,
  signal: AbortSignal,
): Promise<Evaluated> {
  const page = await deps.reader.read(item.url, signal);
  if (page.outcome === 'unreadable') {
    return { outcome: 'unreadable', retryable: page.retryable, detail: `${page.why}: ${page.detail}` };
  }
  const { text, headings, language } = page.article;
  const judged = await deps.judge.evaluate(
    { url: item.url, title: item.title, text, headings, ...(language !== null && { language }) },
    withExamples(deps.interests, deps.learned),
    signal,
  );
  return { outcome: 'asked', judged: withLearned(item, judged, deps.learned), text };
}

/** The lifecycle event that the result means for the item (A4, A8, X18). */
export function eventFor(evaluated: Evaluated, { settings, clock }: EvaluateDependencies): LifecycleEvent {
  if (evaluated.outcome === 'unreadable') {
    const { detail, retryable } = evaluated;
    return retryable
      ? { type: 'defer', reason: 'download_failed', detail }
      : { type: 'reject', reason: 'content_extraction_failed', detail };
  }
  const { judged } = evaluated;
  switch (judged.outcome) {
    case 'later':
      return eventWhenJudgeUnavailable(judged, clock.now());
    case 'unfit':
      return { type: 'reject', reason: 'content_extraction_failed', detail: judged.detail };
    case 'judged':
      return decide(judged.value, settings);
  }
}

/** What a verdict means for its item (A4). */
export function decide(
  { score, topics, reason }: Pick<Verdict, 'score' | 'topics' | 'reason'>,
  { minRelevanceScore }: EvaluateDependencies['settings'],
): LifecycleEvent {
  if (topics.length === 0) return { type: 'reject', reason: 'no_topic_match', detail: reason };
  if (score === null || score < minRelevanceScore)
    return { type: 'reject', reason: 'low_relevance', detail: reason };
  return { type: 'accept', detail: reason };
}

/** What is stored with the event: the verdict, if there is one. */
export function stepFor(evaluated: Evaluated, { interests, settings, clock }: EvaluateDependencies): Step {
  if (evaluated.outcome === 'unreadable' || evaluated.judged.outcome !== 'judged') return {};
  const { value, by } = evaluated.judged;
  const verdict = verdictOf(value, by, evaluated.text, interests.version, clock.now());
  return { verdict: { ...verdict, minScore: settings.minRelevanceScore } };
}

/** A verdict with its provenance: judge, model, prompt, interests and hash of the text. */
export function verdictOf(
  answer: Pick<Verdict, 'score' | 'topics' | 'summary' | 'reason' | 'mentions' | 'learned'>,
  by: Provenance,
  text: string,
  interestsVersion: string,
  now: number,
): Verdict {
  return {
    ...answer,
    judge: by.judge,
    model: by.model,
    promptVersion: by.promptVersion,
    interestsVersion,
    textHash: createHash('sha256').update(text).digest('hex'),
    madeAt: now,
    provisional: by.provisional,
  };
}

const NEEDS_ATTENTION: ReadonlySet<JudgeFailure> = new Set<JudgeFailure>([
  'misconfigured',
  'refused_key',
  'wrong_model',
  'no_credit',
]);

/**
 * A judge that cannot answer now drops no item (X18). A rate limit, a budget or a configuration error (refused key,
 * wrong model) postpones the item and counts no attempt. An unavailable judge counts an attempt (B10) but never fails
 * the item. Invalid answers do fail it at the retry limit, so that a poison text reaches a person instead of being
 * retried for ever.
 */
export function eventWhenJudgeUnavailable(
  judged: Judgement<unknown> & { outcome: 'later' },
  now: number,
): LifecycleEvent {
  const { why, detail, retryAt } = judged;
  if (why === 'over_budget' || why === 'rate_limited') {
    return { type: 'postpone', reason: 'over_limit', until: retryAt ?? now + 10 * MINUTE, detail };
  }
  if (NEEDS_ATTENTION.has(why)) {
    return { type: 'postpone', reason: 'api_failed', until: retryAt ?? now + 10 * MINUTE, detail };
  }
  return {
    type: 'defer',
    reason: 'api_failed',
    detail,
    keepTrying: why !== 'bad_answer',
    ...(retryAt !== undefined && { notBefore: retryAt }),
  };
}

export interface VerdictDependencies {
  readonly pipeline: string;
  readonly store: CuratorStore;
  readonly policy: LifecyclePolicy;
  readonly events: Events;
  readonly clock: Clock;
  readonly owner: string;
}

/** The verdicts of one run. What `saveVerdict` keeps back is stored with the digest or at the end of the run. */
export class RunVerdicts {
  readonly #deps: VerdictDependencies;
  readonly #lease: RunLease | undefined;
  readonly #accepted = new Map<ItemKey, Article>();
  readonly #postponed = new Map<ItemKey, Article>();
  readonly #judged = new Set<ItemKey>();

  constructor(deps: VerdictDependencies, lease?: RunLease) {
    this.#deps = deps;
    this.#lease = lease;
  }

  /** Stores one step of an article; returns its line of the run report. */
  async save(article: Article, event: LifecycleEvent, step: Step = {}): Promise<ItemOutcome> {
    const { store, policy, clock, events, pipeline, owner } = this.#deps;
    const { item } = article;
    const verdict = step.verdict ?? item.verdict;
    if (this.isOver()) return outcomeOf({ ...item, verdict }, 'lost', 'the run lost its lease');
    const next = advance(item, event, clock.now(), policy);
    if (!next.allowed) throw new LifecycleError(item.key, next.why);
    const saved = await store.saveVerdict(article, next.transition, step);
    if (saved.outcome === 'lost') {
      events.claimLost({ pipeline, item: item.key, owner });
      return outcomeOf({ ...item, verdict }, 'lost', 'the article was changed meanwhile');
    }
    this.#accepted.delete(item.key);
    this.#postponed.delete(item.key);
    if (saved.outcome === 'saved') this.#judged.add(item.key);
    else this.#keep(saved.article);
    return reportStep(item, event, next.transition, step, this.#deps);
  }

  /** Accepted in this run and not stored yet. */
  get accepted(): readonly Article[] {
    return [...this.#accepted.values()];
  }

  /** Stores accepted articles that were not chosen (A5). */
  async saveCandidates(chosen: ReadonlySet<ItemKey> = new Set()): Promise<void> {
    const rest = this.accepted.filter(({ item }) => !chosen.has(item.key));
    if (rest.length === 0 || this.isOver()) return;
    await this.#deps.store.saveCandidates(rest);
    this.#stored(rest.map(({ item }) => item.key));
  }

  /** Marks articles as stored with a digest. */
  inDigest(keys: Iterable<ItemKey>): void {
    this.#stored([...keys].filter((key) => this.#accepted.has(key)));
  }

  /** Stores everything that `saveVerdict` kept back. */
  async end(): Promise<void> {
    await this.saveCandidates();
    if (this.isOver()) return;
    const changes = { judged: [...this.#judged], postponed: [...this.#postponed.values()] };
    if (changes.judged.length + changes.postponed.length > 0) await this.#deps.store.updatePending(changes);
  }

  #keep(article: Article): void {
    (article.item.state === 'accepted' ? this.#accepted : this.#postponed).set(article.item.key, article);
  }

  #stored(keys: readonly ItemKey[]): void {
    for (const key of keys) {
      this.#accepted.delete(key);
      this.#judged.add(key);
    }
  }

  /** Whether the run's lease has expired: another process may run the pipeline, so this run stores nothing more (X21). */
  isOver(): boolean {
    if (this.#lease === undefined || this.#lease.until() > this.#deps.clock.now()) return false;
    this.#lease.leaveUndone();
    return true;
  }
}
