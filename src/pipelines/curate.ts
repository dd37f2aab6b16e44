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
import { type EvaluateDependencies, evaluate, eventFor, RunVerdicts, stepFor } from './evaluate.ts';
import { beginRun, type RunDependencies, type RunOptions } from './pipeline.ts';
import {
  addMissing,
  composeMessages,
  contentItemOf,
  dispatchDue,
  finishItems,
  type PublishDependencies,
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

export interface CurateDependencies extends PublishDependencies, RunDependencies, EvaluateDependencies {
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
  deps: CurateDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options: RunOptions = {},
): Promise<RunReport> {
  const startedAt = deps.clock.now();
  const run = await beginRun(deps, signal, watch, options);
  await deps.history.save(deps.interests, deps.clock.now());
  const verdicts = new RunVerdicts(deps, options.lease);
  try {
    const outdated = await judge(startedAt, verdicts, deps, run, signal);
    await publish(outdated, verdicts, deps, run, signal);
    await verdicts.end();
  } catch (error) {
    // What was judged so far is not judged again. Where the store is away, that is lost, and the error says so.
    await verdicts.end().catch(() => {});
    throw error;
  }
  return run.finish(deps.clock.now());
}

/** Judges what is new, and again what may hold no longer. Answers the articles that wait for that. */
async function judge(
  startedAt: number,
  verdicts: RunVerdicts,
  deps: CurateDependencies,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<ReadonlySet<ItemKey>> {
  const allowance: EvaluationQuota = { left: deps.settings.maxJudged };
  // Looked up before there are new ones: what this run turns down needs no second look.
  const rejected = await withOutdatedVerdict(await judgedItems('rejected', deps), deps);
  const doubtful = await withOutdatedVerdict(
    (await deps.store.candidates()).map(({ item }) => item),
    deps,
  );
  const outdated = await reEvaluate(doubtful, deps, verdicts, allowance, run, signal);
  await evaluateNew(startedAt, verdicts, deps, allowance, run, signal);
  await reEvaluate(rejected, deps, verdicts, allowance, run, signal);
  if (outdated.size > 0)
    run.note(`${outdated.size} wait until they are judged again, since the interests have changed`);
  return outdated;
}

/** Everything that waits is read and judged, several at a time; each verdict is recorded as soon as it is there. */
async function evaluateNew(
  startedAt: number,
  verdicts: RunVerdicts,
  deps: CurateDependencies,
  allowance: EvaluationQuota,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<void> {
  const pending = await deps.store.pending(allowance.left, startedAt);
  allowance.left -= pending.length;
  const queue = pending.values();
  const worker = async (): Promise<void> => {
    for (const article of queue) {
      if (signal.aborted) return;
      const result = await evaluate(article.item, deps, signal);
      const judged = result.outcome === 'asked' && result.judged.outcome === 'judged';
      if (signal.aborted && !judged) run.item(outcomeOf(article.item, 'postponed', 'the run was stopped'));
      else run.item(await verdicts.save(article, eventFor(result, deps), stepFor(result, deps)));
    }
  };
  await Promise.all(Array.from({ length: deps.settings.concurrency }, worker));
}

/** Chooses, writes the digest, and sends it with whatever else is due. */
async function publish(
  outdated: ReadonlySet<ItemKey>,
  verdicts: RunVerdicts,
  deps: CurateDependencies,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { store, settings, ledger, outbox } = deps;
  const open = await store.openDigests();
  const candidates = new Map(
    [...(await store.candidates()), ...verdicts.accepted].map((article) => [article.item.key, article]),
  );
  for (const key of outdated) candidates.delete(key);
  const stories = await groupCandidates([...candidates.values()], verdicts, deps, run);
  const { chosen, waiting } = choose(
    stories.map(({ lead }) => lead),
    settings,
  );
  const contents = await Promise.all(
    stories.filter(({ lead }) => chosen.includes(lead)).map((story) => contentItemOf(story, deps)),
  );
  const digest = inChosenOrder(contents, chosen);
  const keys = new Set(digest.flatMap(({ item, others = [] }) => [item.key, ...others]));
  await verdicts.saveCandidates(keys);
  let held: readonly ClaimedMessage[] = [];
  if (keys.size > 0 && !verdicts.isOver()) {
    const messages = await composeMessages(digest, deps, { signal, ...waitingNote(run) });
    const articles = [...keys].flatMap((key) => candidates.get(key) ?? []);
    const created = await store.createDigest({ articles, messages, sender: senderOf(deps, signal) });
    held = created.held;
    if (created.outcome !== 'taken') verdicts.inDigest(keys);
  }
  await addMissing(open, deps, signal);
  const changed = await dispatchDue(deps, signal, undefined, held);
  const inDigests = open.flatMap(({ articles }) => articles.map(({ key }) => key));
  // A crash may have come between a message that is through and its items.
  const overdue = await finishItems(inDigests, deps);
  for (const key of new Set([...inDigests, ...keys, ...changed, ...overdue.keys()])) {
    const item = await ledger.find(key);
    if (item !== null) run.item(currentOutcome(item, await outbox.ofItem(key)));
  }
  noteWaiting(run, chosen.length, waiting, settings);
}

/** Destinations that take a message now: those that rest or have a daily limit are asked when their message is sent. */
function senderOf(
  { publishers, caps, clock, owner }: CurateDependencies,
  signal: AbortSignal,
): NewDigest['sender'] {
  const free = publishers.filter(
    ({ id, rateLimitedUntil: restingUntil }) => !caps?.has(id) && (restingUntil?.() ?? 0) <= clock.now(),
  );
  return { owner, leaseMs: MESSAGE_LEASE_MS, destinations: signal.aborted ? [] : free.map(({ id }) => id) };
}

/** Gathers candidates into stories, and settles those whose story was told before. */
async function groupCandidates(
  candidates: readonly Article[],
  verdicts: RunVerdicts,
  deps: CurateDependencies,
  run: RunRecorder,
): Promise<readonly CandidateStory[]> {
  const items = candidates.map(({ item }) => item);
  if (!deps.settings.sameStory) return items.map((lead) => ({ lead, others: [] }));
  const since = deps.clock.now() - STORY_WINDOW_MS;
  const { fresh, alreadyPublished: told } = groupStories(
    items,
    await allItems(deps.ledger, 'published', since),
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
