import type { Item, ItemKey } from '../item/item.ts';
import type { InterestsHistory } from '../judge/interests.ts';
import type { Learning } from '../learning/learning.ts';
import { allItems } from '../ledger/filter.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import { type ClaimedMessage, MESSAGE_LEASE_MS } from '../outbox/outbox.ts';
import type { ContentItem } from '../publishers/publisher.ts';
import { describeStoryReason } from '../same-story/story-reason.ts';
import {
  currentOutcome,
  outcomeOf,
  type RunProgress,
  type RunRecorder,
  type RunReport,
} from '../scheduler/run-report.ts';
import { DAY } from '../time/duration.ts';
import {
  type CandidateStory,
  type ChoiceSettings,
  choose,
  groupStories,
  STORY_WINDOW_MS,
  type StoryDeciders,
} from './choose.ts';
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
import {
  type EvaluationQuota,
  judgedItems,
  moveAgain,
  reEvaluate,
  withOutdatedVerdict,
} from './re-evaluate.ts';

export interface CurateSettings extends ChoiceSettings {
  /** How many articles are read and judged concurrently. */
  readonly concurrency: number;
  /** Maximum number of articles one run judges; the rest waits for the next run (X18). */
  readonly maxJudged: number;
  /** Whether a story from several sources is published once (X3). */
  readonly sameStory: boolean;
}

export interface CurateDependencies
  extends PublishDependencies,
    RunDependencies,
    Omit<EvaluateDependencies, 'learned'> {
  readonly ledger: ItemStore;
  readonly store: CuratorStore;
  readonly settings: CurateSettings;
  readonly stories: StoryDeciders;
  /** The interests of older verdicts, by version. */
  readonly history: InterestsHistory;
  /** `null`: this pipeline learns nothing. */
  readonly learning: Pick<Learning, 'ofPipeline'> | null;
}

/** What one run uses. */
type CurateRun = CurateDependencies & Pick<EvaluateDependencies, 'learned'>;

/**
 * The curator's run (A1): fetch feeds → drop what is known → extract the text → evaluate → record rejections → choose
 * → post → record what was posted. Before choosing, it re-evaluates items with an outdated verdict. It stores nothing
 * once its lease has expired.
 */
export async function curate(
  dependencies: CurateDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options: RunOptions = {},
): Promise<RunReport> {
  const startedAt = dependencies.clock.now();
  const run = await beginRun(dependencies, signal, watch, options);
  const learned = (await dependencies.learning?.ofPipeline(dependencies.sources)) ?? null;
  const deps: CurateRun = { ...dependencies, learned };
  await deps.history.save(deps.interests, deps.clock.now());
  const verdicts = new RunVerdicts(deps, options.lease);
  try {
    const outdated = await judge(startedAt, verdicts, deps, run, signal);
    await publish(outdated, verdicts, deps, run, signal);
    await verdicts.end();
  } catch (error) {
    // Store the verdicts made so far. If the store is unavailable they are lost; the original error is reported.
    await verdicts.end().catch(() => {});
    throw error;
  }
  return run.finish(deps.clock.now());
}

/** Evaluates new articles and re-evaluates outdated verdicts. Returns the articles whose re-evaluation is still pending. */
async function judge(
  startedAt: number,
  verdicts: RunVerdicts,
  deps: CurateRun,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<ReadonlySet<ItemKey>> {
  const allowance: EvaluationQuota = { left: deps.settings.maxJudged };
  // Looked up before new articles are evaluated: what this run rejects needs no re-evaluation.
  const rejectedLately = await judgedItems('rejected', deps);
  const rejected = await withOutdatedVerdict(rejectedLately, deps);
  const candidates = (await deps.store.candidates()).map(({ item }) => item);
  const doubtful = await withOutdatedVerdict(candidates, deps);
  const asksAgain = new Set([...doubtful, ...rejected]);
  const decided = [...candidates, ...rejectedLately].filter((item) => !asksAgain.has(item));
  await countPublished(deps);
  await moveAgain(decided, deps, verdicts, run);
  const outdated = await reEvaluate(doubtful, deps, verdicts, allowance, run, signal);
  await evaluateNew(startedAt, verdicts, deps, allowance, run, signal);
  await reEvaluate(rejected, deps, verdicts, allowance, run, signal);
  if (outdated.size > 0)
    run.note(`${outdated.size} wait until they are judged again, since the interests have changed`);
  return outdated;
}

/** Articles that were raised and published before count for the limit of their source and day too (Q23). */
async function countPublished({ learned, ledger, clock }: CurateRun): Promise<void> {
  if (learned === null) return;
  for (const { verdict, sourceId, createdAt } of await allItems(ledger, 'published', clock.now() - DAY))
    if ((verdict?.learned?.points ?? 0) > 0) learned.raised.count(sourceId, createdAt);
}

/** Evaluates pending articles concurrently; each verdict is recorded as soon as it is made. */
async function evaluateNew(
  startedAt: number,
  verdicts: RunVerdicts,
  deps: CurateRun,
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

/** Chooses, creates the digest, and dispatches it with all other due messages. */
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
  const stories = await groupCandidates([...candidates.values()], verdicts, deps, run, signal);
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
  let claimed: readonly ClaimedMessage[] = [];
  if (keys.size > 0 && !verdicts.isOver()) {
    const messages = await composeMessages(digest, deps, { signal, ...waitingNote(run) });
    const articles = [...keys].flatMap((key) => candidates.get(key) ?? []);
    const created = await store.createDigest({ articles, messages, sender: senderOf(deps, signal) });
    claimed = created.held;
    if (created.outcome !== 'taken') verdicts.inDigest(keys);
  }
  await addMissing(open, deps, signal);
  const changed = await dispatchDue(deps, signal, undefined, claimed);
  const inDigests = open.flatMap(({ articles }) => articles.map(({ key }) => key));
  // An earlier run may have crashed after its message was finished and before its items were.
  const overdue = await finishItems(inDigests, deps);
  for (const key of new Set([...inDigests, ...keys, ...changed, ...overdue.keys()])) {
    const item = await ledger.find(key);
    if (item !== null) run.item(currentOutcome(item, await outbox.ofItem(key)));
  }
  noteWaiting(run, chosen.length, waiting, settings);
}

/**
 * Destinations that can send now. Those with a daily cap or an active rate limit are checked when their message is
 * dispatched.
 */
function senderOf(
  { publishers, caps, clock, owner }: CurateDependencies,
  signal: AbortSignal,
): NewDigest['sender'] {
  const free = publishers.filter(
    ({ id, rateLimitedUntil }) => !caps?.has(id) && (rateLimitedUntil?.() ?? 0) <= clock.now(),
  );
  return { owner, leaseMs: MESSAGE_LEASE_MS, destinations: signal.aborted ? [] : free.map(({ id }) => id) };
}

/** Groups candidates into stories, and rejects those whose story was published before. */
async function groupCandidates(
  candidates: readonly Article[],
  verdicts: RunVerdicts,
  deps: CurateDependencies,
  run: RunRecorder,
  signal: AbortSignal,
): Promise<readonly CandidateStory[]> {
  const items = candidates.map(({ item }) => item);
  if (!deps.settings.sameStory) return items.map((lead) => ({ lead, others: [] }));
  const since = deps.clock.now() - STORY_WINDOW_MS;
  const published = await allItems(deps.ledger, 'published', since);
  const { fresh, alreadyPublished, unasked } = await groupStories(items, published, deps.stories, signal);
  for (const { item, by, why } of alreadyPublished) {
    const article = candidates.find((candidate) => candidate.item === item);
    if (article === undefined) continue;
    const reason = why === null ? '' : ` ${describeStoryReason(why)}`;
    const detail = `${by.sourceName} published the same story: ${by.url}${reason}`;
    run.item(await verdicts.save(article, { type: 'reject', reason: 'same_story', detail }));
  }
  if (unasked > 0)
    run.note(
      `${unasked} pairs of articles in doubt: the embedding model gave no answer, so the rules decided`,
    );
  return fresh;
}

function inChosenOrder(contents: readonly ContentItem[], chosen: readonly Item[]): ContentItem[] {
  return chosen.flatMap((item) => contents.find((content) => content.item === item) ?? []);
}

/** Note in the digest about articles that wait for the judge's budget or rate limit (X9). */
function waitingNote(run: RunRecorder): { readonly note?: string } {
  const waiting = run.count('postponed');
  if (waiting === 0) return {};
  return {
    note: `${waiting} more ${waiting === 1 ? 'article waits' : 'articles wait'} for the judge’s rate limit or budget.`,
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
