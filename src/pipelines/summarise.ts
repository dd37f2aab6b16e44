import { DETAIL_TEXTS } from '../item/detail-texts.ts';
import type { Item, ItemKey } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';
import type { ArticleText, Document, Judge, SummaryStyle } from '../judge/judge.ts';
import type { Claim, Ledger, Step } from '../ledger/ledger.ts';
import type { Delivery } from '../outbox/outbox.ts';
import {
  currentOutcome,
  type ItemOutcome,
  type RunProgress,
  type RunReport,
} from '../scheduler/run-report.ts';
import { HOUR } from '../time/duration.ts';
import { BackgroundDispatcher } from './background-dispatch.ts';
import { eventWhenJudgeUnavailable, verdictOf } from './evaluate.ts';
import { outcomeOf, recordAndReport, releaseItem, whileClaimed } from './item-step.ts';
import { beginRun, type RunDependencies, type RunOptions } from './pipeline.ts';
import { composeMessages, dispatchDue, finishItems, type PublishDependencies } from './publish.ts';

/** Steps of an item in one run: screening and summarising. */
const MAX_STEPS = 2;
/** An item whose message was enqueued is claimed again after this time if it was not finished meanwhile. */
const RECHECK_AFTER_MS = HOUR;

export interface SummariseDependencies extends PublishDependencies, RunDependencies {
  readonly ledger: Ledger;
  readonly style: SummaryStyle;
  readonly judge: Judge;
  /** Maximum number of items one run publishes. */
  readonly maxPerRun: number;
  readonly leaseMs: number;
  readonly readPage: (url: string, signal: AbortSignal) => Promise<PageOutcome>;
}

/** A page with the documents attached to it (B15), or why it cannot be read. */
export type PageOutcome =
  | { readonly outcome: 'page'; readonly page: ArticleText; readonly documents: readonly Document[] }
  | {
      readonly outcome: 'unreadable';
      readonly reason: 'download_failed' | 'too_large';
      readonly detail: string;
    };

/**
 * The summary bot's run: poll the sources, then process one item at a time, pending ones first (B6), until none is
 * due. An item is screened in one step, and summarised and posted in the next.
 */
export async function summarise(
  deps: SummariseDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options?: RunOptions,
): Promise<RunReport> {
  const run = await beginRun(deps, signal, watch, options);
  const reportItem = async (key: ItemKey): Promise<void> => {
    const item = await deps.ledger.find(key);
    if (item !== null) run.item(currentOutcome(item, await deps.outbox.ofItem(key)));
  };
  for (const key of await dispatchDue(deps, signal)) await reportItem(key);
  const posting = new BackgroundDispatcher(deps, signal, reportItem);
  let waiting: readonly ItemKey[] = [];
  const steps = new Map<ItemKey, number>();
  try {
    for (let published = 0; published < deps.maxPerRun && !signal.aborted; ) {
      await posting.waitForCapacity();
      const claim = await deps.ledger.claimNext({ owner: deps.owner, leaseMs: deps.leaseMs });
      if (claim === null) break;
      const { key } = claim.item;
      steps.set(key, (steps.get(key) ?? 0) + 1);
      if ((steps.get(key) ?? 0) > MAX_STEPS) {
        await deps.ledger.release(claim);
        break;
      }
      const outcome = await processItem(claim, deps, signal);
      if (outcome === 'written') {
        published++;
        posting.add(key);
      } else run.item(outcome);
    }
  } finally {
    waiting = await posting.drain();
  }
  // A crashed run may have sent messages without finishing their items.
  await finishItems(waiting, deps);
  for (const key of waiting) await reportItem(key);
  return run.finish(deps.clock.now());
}

/** Result of a step; `stopped` if the run is being stopped. */
type ItemStep =
  | { readonly event: LifecycleEvent; readonly step?: Step; readonly isEnqueued?: true }
  | 'stopped';

/** Runs one step of an item while its claim is renewed. */
async function processItem(
  claimed: Claim,
  deps: SummariseDependencies,
  signal: AbortSignal,
): Promise<ItemOutcome | 'written'> {
  const { item } = claimed;
  const work = item.state === 'accepted' ? summariseOne : screenOne;
  const { result, claim } = await whileClaimed(claimed, deps, signal, (s) => work(item, deps, s));
  if (claim === null) return outcomeOf(item, 'lost', 'another worker took over');
  if (result === 'stopped') return releaseItem(claim, deps);
  const outcome = await recordAndReport(claim, result.event, deps, result.step);
  return result.isEnqueued && outcome.outcome !== 'lost' ? 'written' : outcome;
}

/** Worth it → pending (B8). Not valuable, not ready, not readable → deferred with that reason (B9, B10). */
async function screenOne(item: Item, deps: SummariseDependencies, signal: AbortSignal): Promise<ItemStep> {
  if (item.state === 'deferred' && (await deps.outbox.ofItem(item.key)).some(isActive))
    return { event: { type: 'accept', detail: DETAIL_TEXTS.sent_again } };
  const read = await deps.readPage(item.url, signal);
  if (signal.aborted) return 'stopped';
  if (read.outcome === 'unreadable') return { event: unreadableEvent(read) };
  const judged = await deps.judge.screen(read.page, read.documents, signal);
  if (judged.outcome !== 'judged')
    return signal.aborted ? 'stopped' : { event: eventWithoutVerdict(judged, deps) };
  const { decision, reason: detail } = judged.value;
  const event: LifecycleEvent =
    decision === 'worth_it' ? { type: 'accept', detail } : { type: 'defer', reason: decision, detail };
  const answer = { score: null, topics: [], summary: null, reason: detail };
  const verdict = verdictOf(answer, judged.by, read.page.text, '', deps.clock.now());
  return { event, step: { verdict } };
}

/**
 * Screens an item again that a stand-in accepted, now that the judge is available (X18). An enqueued message is not
 * changed, whichever judge summarised it.
 */
async function screenAgain(
  { verdict }: Item,
  read: PageOutcome & { outcome: 'page' },
  { judge }: SummariseDependencies,
  signal: AbortSignal,
): Promise<LifecycleEvent | null> {
  if (verdict?.provisional !== true || verdict.summary !== null) return null;
  const judged = await judge.screen(read.page, read.documents, signal);
  if (judged.outcome !== 'judged' || judged.by.provisional) return null;
  const { decision, reason: detail } = judged.value;
  return decision === 'worth_it' ? null : { type: 'defer', reason: decision, detail };
}

/** Summarises, and enqueues the messages together with the summary (B8). They are sent while the next item is read. */
async function summariseOne(item: Item, deps: SummariseDependencies, signal: AbortSignal): Promise<ItemStep> {
  const messages = await deps.outbox.ofItem(item.key);
  // Enqueued by an earlier run: resume the delivery instead of summarising again.
  if (messages.some(isActive)) return resumeDelivery(item, messages, deps, signal);
  const read = await deps.readPage(item.url, signal);
  if (signal.aborted) return 'stopped';
  if (read.outcome === 'unreadable') return { event: unreadableEvent(read) };
  const judged = await deps.judge.summarise(read.page, read.documents, deps.style, signal);
  if (judged.outcome !== 'judged')
    return signal.aborted ? 'stopped' : { event: eventWithoutVerdict(judged, deps) };
  const unworthy = judged.by.provisional ? null : await screenAgain(item, read, deps, signal);
  if (unworthy !== null) return { event: unworthy };
  const answer = { score: null, topics: [], summary: judged.value.text, reason: DETAIL_TEXTS.summarised };
  const verdict = verdictOf(answer, judged.by, read.page.text, '', deps.clock.now());
  const content = { item: { ...item, verdict }, summary: verdict.summary, alsoSeenIn: [] };
  return enqueuedStep({ verdict, messages: await composeMessages([content], deps, { signal }) }, deps);
}

function isActive({ state }: Delivery): boolean {
  return state !== 'dropped';
}

/**
 * Replaces refused messages by newly rendered ones. If an earlier run ended after dropping the old message, the
 * destination gets its new one now.
 */
async function resumeDelivery(
  item: Item,
  messages: readonly Delivery[],
  deps: SummariseDependencies,
  signal: AbortSignal,
): Promise<ItemStep> {
  for (const { key, state } of messages)
    if (state === 'refused') await deps.outbox.decide(key, 'drop', `${deps.pipeline}, to send it again`);
  const missing = deps.publishers.filter(({ id }) => {
    const existing = messages.filter(({ destination }) => destination === id);
    return existing.length > 0 && existing.every(({ state }) => state === 'refused' || state === 'dropped');
  });
  const content = { item, summary: item.verdict?.summary ?? null, alsoSeenIn: [] };
  const enqueued = await composeMessages([content], deps, { signal, publishers: missing });
  return enqueuedStep({ messages: enqueued }, deps);
}

/** Postpones the item until its messages are finished. */
function enqueuedStep(step: Step, { clock }: SummariseDependencies): ItemStep {
  const until = clock.now() + RECHECK_AFTER_MS;
  return {
    event: { type: 'postpone', reason: 'none', until, detail: DETAIL_TEXTS.being_posted },
    step,
    isEnqueued: true,
  };
}

function unreadableEvent({ reason, detail }: PageOutcome & { outcome: 'unreadable' }): LifecycleEvent {
  return { type: 'defer', reason, detail };
}

function eventWithoutVerdict(
  judged: Exclude<Awaited<ReturnType<Judge['screen']>>, { outcome: 'judged' }>,
  { clock }: SummariseDependencies,
): LifecycleEvent {
  if (judged.outcome === 'later') return eventWhenJudgeUnavailable(judged, clock.now());
  const reason =
    judged.why === 'too_large' ? 'too_large' : judged.why === 'empty' ? 'not_ready' : 'not_valuable';
  return { type: 'defer', reason, detail: judged.detail };
}
