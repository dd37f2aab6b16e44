import type { Item } from '../item/item.ts';
import type { InterestsHistory } from '../judge/interests-history.ts';
import type { Claim } from '../ledger/ledger.ts';
import type { ContentItem } from '../press/publisher.ts';
import { allItems } from './all-items.ts';
import { beginRun, type RunOptions, type RunParts } from './begin-run.ts';
import { type ChoiceSettings, choose } from './choose.ts';
import { type EvaluateParts, evaluate, eventFor, stepFor } from './evaluate.ts';
import { holding } from './holding.ts';
import { giveBack, outcomeOf, takeAndTell } from './item-step.ts';
import { type Allowance, doubtfulItems, judgeAgain } from './judge-again.ts';
import { byDelivery, contentOf, sayWhereMissing } from './on-their-way.ts';
import { gatherStories, type OneStory, TOLD_WITHIN } from './one-story.ts';
import { compose, dispatchDue, type PressParts } from './press-room.ts';
import {
  type ItemOutcome,
  outcomeNow,
  type RunProgress,
  type RunRecorder,
  type RunReport,
} from './run-report.ts';
import { settleItems } from './settle-items.ts';

export interface CurateSettings extends ChoiceSettings {
  /** How many articles are read and judged at a time. */
  readonly concurrency: number;
  /** How many one run judges at the most; the rest waits for the next (X18). */
  readonly mostJudged: number;
  /** Whether one story from several sources is told once (X3). */
  readonly sameStory: boolean;
}

export interface CurateParts extends PressParts, RunParts, EvaluateParts {
  readonly settings: CurateSettings;
  /** The interests that older verdicts were made under. */
  readonly history: InterestsHistory;
  readonly leaseMs: number;
}

/**
 * The curator's run (A1): fetch feeds → drop what is known → extract the text → evaluate → record rejections → choose →
 * post → record what was posted. Before it chooses, it makes the verdicts again that may hold no longer.
 */
export async function curate(
  parts: CurateParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options?: RunOptions,
): Promise<RunReport> {
  const run = await beginRun(parts, signal, watch, options);

  await parts.history.remember(parts.interests, parts.clock.now());
  const allowance: Allowance = { left: parts.settings.mostJudged };
  // Looked up before there are new ones: what this run turns down needs no second look.
  const rejected = await doubtfulItems('rejected', parts);
  // What a digest has taken already is said, whatever the judge would say of it today.
  const { free: doubtful } = await byDelivery(await doubtfulItems('accepted', parts), parts);
  const outdated = await judgeAgain(doubtful, parts, allowance, run, signal);
  await evaluateNew(parts, allowance, run, signal);
  await judgeAgain(rejected, parts, allowance, run, signal);

  const accepted = await allItems(parts.ledger, 'accepted');
  const { free, onTheirWay } = await byDelivery(accepted, parts);
  const candidates = free.filter(({ key }) => !outdated.has(key));
  const stories = await gather(candidates, parts, run);
  const { chosen, waiting } = choose(
    stories.map(({ lead }) => lead),
    parts.settings,
  );
  const onTheirWayNow = new Set(onTheirWay.map(({ item }) => item.key));
  if (chosen.length > 0) {
    const contents = stories
      .filter(({ lead }) => chosen.includes(lead))
      .map((story) => contentOf(story, parts.ledger));
    const digest = inOrder(await Promise.all(contents), chosen);
    await parts.outbox.intend(await compose(digest, parts, { signal, ...waitingNote(run) }));
    for (const { item, others = [] } of digest)
      for (const key of [item.key, ...others]) onTheirWayNow.add(key);
  }

  await sayWhereMissing(onTheirWay, parts, signal);

  const settled = await dispatchDue(parts, signal);
  // A crash may have come between a message that is through and its items.
  const overdue = await settleItems(
    onTheirWay.map(({ item }) => item.key),
    parts,
  );
  for (const key of new Set([...onTheirWayNow, ...settled, ...overdue.keys()])) {
    const item = await parts.ledger.find(key);
    if (item !== null) run.item(outcomeNow(item, await parts.outbox.ofItem(key)));
  }
  sayWhatWaits(run, chosen.length, waiting, parts.settings);
  if (outdated.size > 0)
    run.note(`${outdated.size} wait until they are judged again, since the interests have changed`);
  return run.finish(parts.clock.now());
}

/** Everything that waits is read and judged, several at a time; each verdict is recorded as soon as it is there. */
async function evaluateNew(
  parts: CurateParts,
  allowance: Allowance,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<void> {
  const worker = async (): Promise<void> => {
    while (!signal.aborted && allowance.left > 0) {
      allowance.left--;
      const claim = await parts.ledger.claimNext({
        owner: parts.owner,
        leaseMs: parts.leaseMs,
        states: ['waiting', 'deferred'],
      });
      if (claim === null) {
        allowance.left++;
        return;
      }
      run.item(await evaluateOne(claim, parts, signal));
    }
  };
  await Promise.all(Array.from({ length: parts.settings.concurrency }, worker));
}

/** The claim is renewed for as long as reading and judging take. */
async function evaluateOne(claimed: Claim, parts: CurateParts, signal: AbortSignal): Promise<ItemOutcome> {
  const { item } = claimed;
  const { result, claim } = await holding(claimed, parts, signal, (s) => evaluate(item, parts, s));
  if (claim === null) return outcomeOf(item, 'lost', 'another worker took over');
  const judged = result.outcome === 'asked' && result.judged.outcome === 'judged';
  if (signal.aborted && !judged) return giveBack(claim, parts);
  return takeAndTell(claim, eventFor(result, parts), parts, stepFor(result, parts));
}

/** Gathers candidates into stories, and settles those whose story was told before. */
async function gather(
  candidates: readonly Item[],
  parts: CurateParts,
  run: RunRecorder,
): Promise<readonly OneStory[]> {
  if (!parts.settings.sameStory) return candidates.map((lead) => ({ lead, others: [] }));
  const since = parts.clock.now() - TOLD_WITHIN;
  const { fresh, told } = gatherStories(candidates, await allItems(parts.ledger, 'published', since));
  for (const { item, by } of told) {
    const { owner, leaseMs } = parts;
    const claim = await parts.ledger.claim(item.key, { owner, leaseMs, early: true });
    if (claim === null) continue;
    const detail = `${by.sourceName} told the same story: ${by.url}`;
    run.item(await takeAndTell(claim, { type: 'reject', reason: 'same_story', detail }, parts));
  }
  return fresh;
}

function inOrder(contents: readonly ContentItem[], chosen: readonly Item[]): ContentItem[] {
  return chosen.flatMap((item) => contents.find((content) => content.item === item) ?? []);
}

/** At the judge's limit articles wait, and the digest says so (X9). */
function waitingNote(run: RunRecorder): { readonly note?: string } {
  const waiting = run.count('postponed');
  if (waiting === 0) return {};
  return {
    note: `${waiting} more ${waiting === 1 ? 'article waits' : 'articles wait'} until the judge may read again.`,
  };
}

function sayWhatWaits(
  run: RunRecorder,
  chosen: number,
  waiting: readonly Item[],
  settings: CurateSettings,
): void {
  if (chosen === 0 && waiting.length > 0) {
    run.note(
      `${waiting.length} good, fewer than ${settings.minArticles}: nothing was posted, they wait for the next run`,
    );
  } else if (waiting.length > 0) {
    run.note(`${waiting.length} more were good and compete again in the next run`);
  }
}
