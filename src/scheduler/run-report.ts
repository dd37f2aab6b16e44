import type { Item, ItemKey } from '../item/item.ts';
import type { Reason } from '../item/lifecycle.ts';
import { shorten } from '../item/shorten.ts';
import { scoreRule } from '../ledger/explain.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import { type Delivery, type MessageStore, OPEN_DELIVERIES } from '../outbox/outbox.ts';
import { maskSecrets } from '../telemetry/secrets.ts';

const MAX_REASON_LENGTH = 300;
const MAX_FAILURES_SHOWN = 3;

/** What a run did, item by item; shown by `run` and on the web page. */
export interface RunReport {
  readonly pipeline: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly dryRun: boolean;
  readonly sourcesRead: number;
  readonly sourcesFailed: number;
  /** Each of them with the reason. */
  readonly failedSources: readonly FailedSource[];
  readonly admitted: number;
  /** Each item once with its last outcome, in the order in which they were decided. */
  readonly items: readonly ItemOutcome[];
  readonly counts: OutcomeCounts;
  /** Failures, one line for each reason. */
  readonly troubles: readonly string[];
  /** Sentences for the operator: why nothing was posted, what waits. */
  readonly notes: readonly string[];
  /** Figures of work without items; stored with the run. */
  readonly numbers?: Readonly<Record<string, number>>;
}

export interface FailedSource {
  readonly source: string;
  readonly reason: string;
}

export type Outcome =
  | 'published'
  | 'accepted'
  /** Not chosen: by the judge, or because of the page. */
  | 'rejected'
  /** Attempted, and to be retried. */
  | 'deferred'
  | 'postponed'
  /** A destination refused its message. */
  | 'refused'
  | 'failed'
  /** The outcome of its message is unknown; a person has to decide. */
  | 'parked'
  | 'lost';

export type OutcomeCounts = Readonly<Partial<Record<Outcome, number>>>;

export interface ItemOutcome {
  readonly key: ItemKey;
  readonly title: string;
  readonly outcome: Outcome;
  readonly reason: Reason;
  /** Detail from the destination, judge, page or processor. One line, secrets masked. */
  readonly why: string;
  readonly score: number | null;
}

export function outcomeOf({ key, title, reason, verdict }: Item, outcome: Outcome, why: string): ItemOutcome {
  const line = maskSecrets(why).replace(/\s+/gu, ' ').trim();
  return {
    key,
    title,
    outcome,
    reason,
    why: shorten(line, MAX_REASON_LENGTH),
    score: verdict?.score ?? null,
  };
}

/** The current outcome of an item, from its state and its deliveries. */
export function currentOutcome(item: Item, deliveries: readonly Delivery[] = []): ItemOutcome {
  const { state } = item;
  const has = (...states: readonly Delivery['state'][]): boolean =>
    deliveries.some((delivery) => states.includes(delivery.state));
  const byMessages = (outcome: Outcome): ItemOutcome =>
    outcomeOf(item, outcome, deliveryText(deliveries) || reasonText(item));
  switch (state) {
    case 'published':
    case 'accepted':
      if (has('parked')) return byMessages('parked');
      if (state === 'accepted' && has(...OPEN_DELIVERIES)) return byMessages('postponed');
      if (has('refused')) return byMessages('refused');
      return outcomeOf(item, state, reasonText(item));
    case 'failed':
      return outcomeOf(item, item.reason === 'delivery_refused' ? 'refused' : 'failed', reasonText(item));
    case 'waiting':
    case 'baseline':
      return outcomeOf(item, 'postponed', reasonText(item));
    default:
      return outcomeOf(item, state, reasonText(item));
  }
}

/** An item's reason as text: the recorded detail, or the name of the reason. */
export function reasonText({
  detail,
  reason,
  attempts,
  verdict = null,
}: Pick<Item, 'detail' | 'reason' | 'attempts'> & Partial<Pick<Item, 'verdict'>>): string {
  if (reason === 'retry_limit')
    return `given up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, ${detail ?? ''}`;
  const { score = null, minScore } = verdict ?? {};
  if (reason === 'low_relevance' && score !== null && minScore !== undefined)
    return [scoreRule(score, minScore, true), ...(detail === null ? [] : [detail])].join(': ');
  return detail ?? (reason === 'none' ? '' : reason.replaceAll('_', ' '));
}

function deliveryText(deliveries: readonly Delivery[]): string {
  const sent = deliveries.filter(({ state }) => state === 'sent').map(({ destination }) => destination);
  const others = deliveries
    .filter(({ state }) => state !== 'sent' && state !== 'dropped')
    .map(({ destination, state, detail }) => {
      const open = OPEN_DELIVERIES.includes(state) ? 'not sent yet' : state;
      return `${destination}: ${open}${detail === null ? '' : `: ${detail}`}`;
    });
  return [...others, ...(sent.length > 0 ? [`sent to ${sent.join(', ')}`] : [])].join('; ');
}

export function countOutcomes(items: readonly ItemOutcome[]): OutcomeCounts {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of items) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Deferrals that are no failure. */
const EXPECTED_DEFERRALS: ReadonlySet<Reason> = new Set<Reason>(['not_valuable', 'not_ready']);

/** A source that was not read, as a sentence. */
export function failedSourceLine({ source, reason }: FailedSource): string {
  return `Failed to read ${source}: ${reason}`;
}

/** Failures in a few lines; equal reasons are merged. */
export function failureLines(items: readonly ItemOutcome[]): string[] {
  const failures = new Map<string, number>();
  for (const { outcome, reason, why } of items) {
    const isFailure = outcome === 'refused' || outcome === 'failed' || outcome === 'parked';
    if (!isFailure && !(outcome === 'deferred' && !EXPECTED_DEFERRALS.has(reason))) continue;
    const line = why === '' ? outcome : `${outcome}: ${why}`;
    failures.set(line, (failures.get(line) ?? 0) + 1);
  }
  const lines = [...failures].map(([line, n]) => (n === 1 ? line : `${line} (${n} items)`));
  const rest = lines.length - MAX_FAILURES_SHOWN;
  return rest > 0 ? [...lines.slice(0, MAX_FAILURES_SHOWN), `and ${rest} more`] : lines;
}

/** Items that did not work out so far, and how many wait for their turn. */
export interface Unfinished {
  readonly waiting: number;
  readonly items: readonly ItemOutcome[];
}

/** Deferred, failed and parked items, and items with messages that wait for a person; at most `limit` of each. */
export async function unfinishedOf(
  { ledger, outbox }: { readonly ledger: ItemStore; readonly outbox: MessageStore },
  limit: number,
): Promise<Unfinished> {
  const { byState } = await ledger.counts();
  const states = (['deferred', 'failed', 'parked'] as const).filter((state) => byState[state] > 0);
  const found = states.length === 0 ? [] : (await ledger.list({ states, limit })).items;
  const { deliveries } = await outbox.list({ states: ['parked', 'refused'], limit });
  const keys = new Set([...found.map(({ key }) => key), ...deliveries.flatMap(({ itemKeys }) => itemKeys)]);
  const items: ItemOutcome[] = [];
  for (const key of keys) {
    const item = await ledger.find(key);
    if (item !== null) items.push(currentOutcome(item, await outbox.ofItem(key)));
  }
  return { waiting: byState.waiting, items };
}

/** The report of work that has no sources and no items. */
export function maintenanceReport(
  report: Pick<RunReport, 'pipeline' | 'startedAt' | 'endedAt' | 'notes' | 'numbers'>,
): RunReport {
  return {
    ...report,
    dryRun: false,
    sourcesRead: 0,
    sourcesFailed: 0,
    failedSources: [],
    admitted: 0,
    items: [],
    counts: {},
    troubles: [],
  };
}

/** Builds the report of a run and emits its progress. */
export class RunRecorder {
  readonly #pipeline: string;
  readonly #startedAt: number;
  readonly #dryRun: boolean;
  readonly #watch: (progress: RunProgress) => void;
  readonly #items = new Map<ItemKey, ItemOutcome>();
  readonly #notes: string[] = [];
  #sourcesRead = 0;
  readonly #failedSources: FailedSource[] = [];
  #admitted = 0;

  constructor(
    pipeline: string,
    now: number,
    dryRun: boolean,
    watch: (progress: RunProgress) => void = () => {},
  ) {
    this.#pipeline = pipeline;
    this.#startedAt = now;
    this.#dryRun = dryRun;
    this.#watch = watch;
  }

  sources(read: number, failed: readonly FailedSource[], admitted: number): void {
    this.#sourcesRead += read;
    for (const { source, reason } of failed)
      this.#failedSources.push({ source, reason: maskSecrets(reason) });
    this.#admitted += admitted;
    this.#watch({ stage: 'sources', done: read + failed.length });
  }

  /** Records an outcome; the last one of an item counts. */
  item(outcome: ItemOutcome): void {
    this.#items.delete(outcome.key);
    this.#items.set(outcome.key, outcome);
    this.#watch({ stage: 'items', done: this.#items.size, item: outcome });
  }

  /** How many items have this outcome so far. */
  count(outcome: ItemOutcome['outcome']): number {
    return [...this.#items.values()].filter((item) => item.outcome === outcome).length;
  }

  note(sentence: string): void {
    this.#notes.push(maskSecrets(sentence));
  }

  finish(now: number): RunReport {
    const items = [...this.#items.values()];
    return {
      pipeline: this.#pipeline,
      startedAt: this.#startedAt,
      endedAt: now,
      dryRun: this.#dryRun,
      sourcesRead: this.#sourcesRead,
      sourcesFailed: this.#failedSources.length,
      failedSources: this.#failedSources,
      admitted: this.#admitted,
      items,
      counts: countOutcomes(items),
      troubles: failureLines(items),
      notes: this.#notes,
    };
  }
}

export interface RunProgress {
  readonly stage: 'sources' | 'items';
  readonly done: number;
  readonly item?: ItemOutcome;
}
