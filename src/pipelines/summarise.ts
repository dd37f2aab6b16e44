import type { Item, ItemKey } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';
import type { ArticleText, Document, Judge, SummaryStyle } from '../judge/judge.ts';
import type { Claim, Step } from '../ledger/ledger.ts';
import { HOUR, MINUTE } from '../time/duration.ts';
import { beginRun, type RunParts } from './begin-run.ts';
import { giveBack, outcomeOf, takeAndTell } from './item-step.ts';
import { Posting } from './posting.ts';
import { compose, dispatchDue, type PressParts } from './press-room.ts';
import type { ItemOutcome, RunProgress, RunReport } from './run-report.ts';
import { settleItems } from './settle-items.ts';
import { verdictOf, whenJudgeIsAway } from './verdict.ts';

const LEASE = 10 * MINUTE;
/** An item whose message is on its way comes up again after this time, should nobody have settled it. */
const LOOK_AGAIN = HOUR;

export interface SummariseParts extends PressParts, RunParts {
  readonly style: SummaryStyle;
  readonly judge: Judge;
  /** How many items one run takes at the most. */
  readonly mostPerRun: number;
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
 * The summary bot's run: take up what is new, then one item at a time, pending ones first (B6), until nothing is due. An
 * item is screened in one step and summarised and posted in another.
 */
export async function summarise(
  parts: SummariseParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<RunReport> {
  const run = await beginRun(parts, signal, watch);
  await dispatchDue(parts, signal);
  const tell = async (key: ItemKey): Promise<void> => {
    const item = await parts.ledger.find(key);
    if (item !== null) run.item(told(item));
  };
  const posting = new Posting(parts, signal, tell);
  let waiting: readonly ItemKey[] = [];
  try {
    for (let taken = 0; taken < parts.mostPerRun && !signal.aborted; taken++) {
      await posting.room();
      const claim = await parts.ledger.claimNext({ owner: parts.owner, leaseMs: LEASE });
      if (claim === null) break;
      const outcome =
        claim.item.state === 'accepted'
          ? await summariseOne(claim, parts, signal)
          : await screenOne(claim, parts, signal);
      if (outcome === 'written') posting.add(claim.item.key);
      else run.item(outcome);
    }
  } finally {
    waiting = await posting.finish();
  }
  // Some may be through since long ago: a run died before it could write that down.
  await settleItems(waiting, parts);
  for (const key of waiting) await tell(key);
  return run.finish(parts.clock.now());
}

/** How an item stands whose messages were written down. */
function told(item: Item): ItemOutcome {
  if (item.state === 'accepted') return outcomeOf(item, 'postponed', item.detail ?? '');
  const outcome = item.state === 'published' || item.state === 'parked' ? item.state : 'failed';
  return outcomeOf(item, outcome, item.detail ?? '');
}

/** Worth it → pending (B8). Not valuable, not ready, not readable → deferred with that reason (B9, B10). */
async function screenOne(claim: Claim, parts: SummariseParts, signal: AbortSignal): Promise<ItemOutcome> {
  const read = await parts.readPage(claim.item.url, signal);
  if (signal.aborted) return giveBack(claim, parts);
  if (read.outcome === 'unreadable') return takeAndTell(claim, unreadable(read), parts);
  const judged = await parts.judge.screen(read.page, read.documents, signal);
  if (judged.outcome !== 'judged') {
    if (signal.aborted) return giveBack(claim, parts);
    return takeAndTell(claim, withoutAnswer(judged, parts), parts);
  }
  const { decision, reason: detail } = judged.value;
  const event: LifecycleEvent =
    decision === 'worth_it' ? { type: 'accept', detail } : { type: 'defer', reason: decision, detail };
  const said = { score: null, topics: [], summary: null, reason: detail };
  const verdict = verdictOf(said, judged.by, read.page.text, '', parts.clock.now());
  return takeAndTell(claim, event, parts, { verdict });
}

/**
 * A stand-in found it worth a summary (X18), and the judge is back: what it says counts. Once a message is written down, it
 * stays as it is, whoever summarised it.
 */
async function screenAgain(
  { verdict }: Item,
  read: PageOutcome & { outcome: 'page' },
  { judge }: SummariseParts,
  signal: AbortSignal,
): Promise<LifecycleEvent | null> {
  if (verdict?.provisional !== true || verdict.summary !== null) return null;
  const judged = await judge.screen(read.page, read.documents, signal);
  if (judged.outcome !== 'judged' || judged.by.provisional) return null;
  const { decision, reason: detail } = judged.value;
  return decision === 'worth_it' ? null : { type: 'defer', reason: decision, detail };
}

/** Summarises, and writes the messages down together with the summary (B8). They are sent while the next item is read. */
async function summariseOne(
  claim: Claim,
  parts: SummariseParts,
  signal: AbortSignal,
): Promise<ItemOutcome | 'written'> {
  const { item } = claim;
  if ((await parts.outbox.ofItem(item.key)).some((d) => d.state !== 'dropped'))
    // Written down by an earlier run: see it through instead of summarising again.
    return write(claim, {}, parts);
  const read = await parts.readPage(item.url, signal);
  if (signal.aborted) return giveBack(claim, parts);
  if (read.outcome === 'unreadable') return takeAndTell(claim, unreadable(read), parts);
  const judged = await parts.judge.summarise(read.page, read.documents, parts.style, signal);
  if (judged.outcome !== 'judged') {
    if (signal.aborted) return giveBack(claim, parts);
    return takeAndTell(claim, withoutAnswer(judged, parts), parts);
  }
  const unworthy = judged.by.provisional ? null : await screenAgain(item, read, parts, signal);
  if (unworthy !== null) return takeAndTell(claim, unworthy, parts);
  const said = { score: null, topics: [], summary: judged.value.text, reason: 'summarised' };
  const verdict = verdictOf(said, judged.by, read.page.text, '', parts.clock.now());
  const content = { item: { ...item, verdict }, summary: verdict.summary, alsoSeenIn: [] };
  const intents = await compose([content], parts, { signal });
  return write(claim, { verdict, intents }, parts);
}

/** Until its messages are through the item waits. */
async function write(claim: Claim, step: Step, parts: SummariseParts): Promise<ItemOutcome | 'written'> {
  const until = parts.clock.now() + LOOK_AGAIN;
  const waits = { type: 'postpone', reason: 'none', until, detail: 'being posted' } as const;
  const written = await takeAndTell(claim, waits, parts, step);
  return written.outcome === 'lost' ? written : 'written';
}

function unreadable({ reason, detail }: PageOutcome & { outcome: 'unreadable' }): LifecycleEvent {
  return { type: 'defer', reason, detail };
}

function withoutAnswer(
  judged: Exclude<Awaited<ReturnType<Judge['screen']>>, { outcome: 'judged' }>,
  { clock }: SummariseParts,
): LifecycleEvent {
  if (judged.outcome === 'later') return whenJudgeIsAway(judged, clock.now());
  const reason =
    judged.why === 'too_large' ? 'too_large' : judged.why === 'empty' ? 'not_ready' : 'not_valuable';
  return { type: 'defer', reason, detail: judged.detail };
}
