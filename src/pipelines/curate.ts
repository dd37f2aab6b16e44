import type { Item, ItemKey } from '../item/item.ts';
import type { InterestsHistory } from '../judge/interests.ts';
import { allItems } from '../ledger/filter.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import { type ClaimedMessage, MESSAGE_LEASE_MS } from '../outbox/outbox.ts';
import type { ContentItem } from '../publishers/publisher.ts';
import {
  currentOutcome,
  outcomeOf,
  type RunProgress,
  type RunRecorder,
  type RunReport,
} from '../scheduler/run-report.ts';
import { type CandidateStory, type ChoiceSettings, choose, groupStories, STORY_WINDOW_MS } from './choose.ts';
import type { Article, CuratorStore, NewDigest } from './curator-store.ts';
import { type EvaluateParts, evaluate, eventFor, RunVerdicts, stepFor } from './evaluate.ts';
import { beginRun, type RunOptions, type RunParts } from './pipeline.ts';
import {
  addMissing,
  composeMessages,
  contentItemOf,
  dispatchDue,
  finishItems,
  type PublishParts,
} from './publish.ts';
import { type EvaluationQuota, judgedItems, reEvaluate, withOutdatedVerdict } from './re-evaluate.ts';

export interface CurateSettings extends ChoiceSettings {
  /** How many articles are read and judged at a time. */
  readonly concurrency: number;
  /** How many one run judges at the most; the rest waits for the next (X18). */
  readonly maxJudged: number;
  /** Whether one story from several sources is told once (X3). */
  readonly sameStory: boolean;
}

export interface CurateParts extends PublishParts, RunParts, EvaluateParts {
  readonly ledger: ItemStore;
  readonly store: CuratorStore;
  readonly settings: CurateSettings;
  /** The interests that older verdicts were made under. */
  readonly history: InterestsHistory;
}

/**
 * The curator's run (A1): fetch feeds → drop what is known → extract the text → evaluate → record rejections → choose →
 * post → record what was posted. Before it chooses, it makes the verdicts again that may hold no longer. It stores nothing once
 * its lease has expired.
 */
export async function curate(
  parts: CurateParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options: RunOptions = {},
): Promise<RunReport> {
  const startedAt = parts.clock.now();
  const run = await beginRun(parts, signal, watch, options);
  await parts.history.save(parts.interests, parts.clock.now());
  const verdicts = new RunVerdicts(parts, options.lease);
  try {
    const outdated = await judge(startedAt, verdicts, parts, run, signal);
    await publish(outdated, verdicts, parts, run, signal);
    await verdicts.end();
  } catch (error) {
    // What was judged so far is not judged again. Where the store is away, that is lost, and the error says so.
    await verdicts.end().catch(() => {});
    throw error;
  }
  return run.finish(parts.clock.now());
}

/** Judges what is new, and again what may hold no longer. Answers the articles that wait for that. */
async function judge(
  startedAt: number,
  verdicts: RunVerdicts,
  parts: CurateParts,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<ReadonlySet<ItemKey>> {
  const allowance: EvaluationQuota = { left: parts.settings.maxJudged };
  // Looked up before there are new ones: what this run turns down needs no second look.
  const rejected = await withOutdatedVerdict(await judgedItems('rejected', parts), parts);
  const doubtful = await withOutdatedVerdict(
    (await parts.store.candidates()).map(({ item }) => item),
    parts,
  );
  const outdated = await reEvaluate(doubtful, parts, verdicts, allowance, run, signal);
  await evaluateNew(startedAt, verdicts, parts, allowance, run, signal);
  await reEvaluate(rejected, parts, verdicts, allowance, run, signal);
  if (outdated.size > 0)
    run.note(`${outdated.size} wait until they are judged again, since the interests have changed`);
  return outdated;
}

/** Everything that waits is read and judged, several at a time; each verdict is recorded as soon as it is there. */
async function evaluateNew(
  startedAt: number,
  verdicts: RunVerdicts,
  parts: CurateParts,
  allowance: EvaluationQuota,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<void> {
  const pending = await parts.store.pending(allowance.left, startedAt);
  allowance.left -= pending.length;
  const queue = pending.values();
  const worker = async (): Promise<void> => {
    for (const article of queue) {
      if (signal.aborted) return;
      const result = await evaluate(article.item, parts, signal);
      const judged = result.outcome === 'asked' && result.judged.outcome === 'judged';
      if (signal.aborted && !judged) run.item(outcomeOf(article.item, 'postponed', 'the run was stopped'));
      else run.item(await verdicts.save(article, eventFor(result, parts), stepFor(result, parts)));
    }
  };
  await Promise.all(Array.from({ length: parts.settings.concurrency }, worker));
}

/** Chooses, writes the digest, and sends it with whatever else is due. */
async function publish(
  outdated: ReadonlySet<ItemKey>,
  verdicts: RunVerdicts,
  parts: CurateParts,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { store, settings, ledger, outbox } = parts;
  const open = await store.openDigests();
  const candidates = new Map(
    [...(await store.candidates()), ...verdicts.accepted].map((article) => [article.item.key, article]),
  );
  for (const key of outdated) candidates.delete(key);
  const stories = await groupCandidates([...candidates.values()], verdicts, parts, run);
  const { chosen, waiting } = choose(
    stories.map(({ lead }) => lead),
    settings,
  );
  const contents = await Promise.all(
    stories.filter(({ lead }) => chosen.includes(lead)).map((story) => contentItemOf(story, parts)),
  );
  const digest = inChosenOrder(contents, chosen);
  const keys = new Set(digest.flatMap(({ item, others = [] }) => [item.key, ...others]));
  await verdicts.saveCandidates(keys);
  let held: readonly ClaimedMessage[] = [];
  if (keys.size > 0 && !verdicts.isOver()) {
    const messages = await composeMessages(digest, parts, { signal, ...waitingNote(run) });
    const articles = [...keys].flatMap((key) => candidates.get(key) ?? []);
    const created = await store.createDigest({ articles, messages, sender: senderOf(parts, signal) });
    held = created.held;
    if (created.outcome !== 'taken') verdicts.inDigest(keys);
  }
  await addMissing(open, parts, signal);
  const changed = await dispatchDue(parts, signal, undefined, held);
  const inDigests = open.flatMap(({ articles }) => articles.map(({ key }) => key));
  // A crash may have come between a message that is through and its items.
  const overdue = await finishItems(inDigests, parts);
  for (const key of new Set([...inDigests, ...keys, ...changed, ...overdue.keys()])) {
    const item = await ledger.find(key);
    if (item !== null) run.item(currentOutcome(item, await outbox.ofItem(key)));
  }
  noteWaiting(run, chosen.length, waiting, settings);
}

/** Destinations that take a message now: those that rest or have a daily limit are asked when their message is sent. */
function senderOf({ publishers, caps, clock, owner }: CurateParts, signal: AbortSignal): NewDigest['sender'] {
  const free = publishers.filter(
    ({ id, rateLimitedUntil: restingUntil }) => !caps?.has(id) && (restingUntil?.() ?? 0) <= clock.now(),
  );
  return { owner, leaseMs: MESSAGE_LEASE_MS, destinations: signal.aborted ? [] : free.map(({ id }) => id) };
}

/** Gathers candidates into stories, and settles those whose story was told before. */
async function groupCandidates(
  candidates: readonly Article[],
  verdicts: RunVerdicts,
  parts: CurateParts,
  run: RunRecorder,
): Promise<readonly CandidateStory[]> {
  const items = candidates.map(({ item }) => item);
  if (!parts.settings.sameStory) return items.map((lead) => ({ lead, others: [] }));
  const since = parts.clock.now() - STORY_WINDOW_MS;
  const { fresh, alreadyPublished: told } = groupStories(
    items,
    await allItems(parts.ledger, 'published', since),
  );
  for (const { item, by } of told) {
    const article = candidates.find((candidate) => candidate.item === item);
    if (article === undefined) continue;
    const detail = `${by.sourceName} told the same story: ${by.url}`;
    run.item(await verdicts.save(article, { type: 'reject', reason: 'same_story', detail }));
  }
  return fresh;
}

function inChosenOrder(contents: readonly ContentItem[], chosen: readonly Item[]): ContentItem[] {
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

function noteWaiting(
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
