import type { ItemKey } from '../item/item.ts';
import { advance, type LifecycleEvent, type LifecyclePolicy } from '../item/lifecycle.ts';
import type { Step } from '../ledger/ledger.ts';
import { type ItemOutcome, outcomeOf } from '../scheduler/run-report.ts';
import type { RunLease } from '../scheduler/run-store.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import type { Article, CuratorStore } from './curator-store.ts';
import { LifecycleError, tellStep } from './item-step.ts';

export interface VerdictParts {
  readonly pipeline: string;
  readonly store: CuratorStore;
  readonly policy: LifecyclePolicy;
  readonly events: Events;
  readonly clock: Clock;
  readonly owner: string;
}

/** The verdicts of one run: each is stored at once where the store does so, and with the digest or at the end of the run otherwise. */
export class RunVerdicts {
  readonly #parts: VerdictParts;
  readonly #lease: RunLease | undefined;
  readonly #accepted = new Map<ItemKey, Article>();
  readonly #postponed = new Map<ItemKey, Article>();
  readonly #judged = new Set<ItemKey>();

  constructor(parts: VerdictParts, lease?: RunLease) {
    this.#parts = parts;
    this.#lease = lease;
  }

  /** Takes one step of an article and stores it; tells it as a line of the run's report. */
  async save(article: Article, event: LifecycleEvent, step: Step = {}): Promise<ItemOutcome> {
    const { store, policy, clock, events, pipeline, owner } = this.#parts;
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
    return tellStep(item, event, next.transition, step, this.#parts);
  }

  /** Accepted in this run and not stored yet. */
  get accepted(): readonly Article[] {
    return [...this.#accepted.values()];
  }

  /** Stores what is good and was not chosen (A5). */
  async saveCandidates(chosen: ReadonlySet<ItemKey> = new Set()): Promise<void> {
    const rest = this.accepted.filter(({ item }) => !chosen.has(item.key));
    if (rest.length === 0 || this.isOver()) return;
    await this.#parts.store.saveCandidates(rest);
    this.#stored(rest.map(({ item }) => item.key));
  }

  /** These are stored in a digest. */
  inDigest(keys: Iterable<ItemKey>): void {
    this.#stored([...keys].filter((key) => this.#accepted.has(key)));
  }

  /** Nothing is kept any longer. */
  async end(): Promise<void> {
    await this.saveCandidates();
    if (this.isOver()) return;
    const changes = { judged: [...this.#judged], postponed: [...this.#postponed.values()] };
    if (changes.judged.length + changes.postponed.length > 0) await this.#parts.store.updatePending(changes);
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

  /** Another process may run the pipeline now: this run stores nothing more (X21). */
  isOver(): boolean {
    if (this.#lease === undefined || this.#lease.until() > this.#parts.clock.now()) return false;
    this.#lease.leaveUndone();
    return true;
  }
}
