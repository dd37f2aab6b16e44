import type { Item } from '../item/item.ts';
import type { LifecycleEvent, State } from '../item/lifecycle.ts';
import type { Evaluation, Interests, Judge, Judgement } from '../judge/judge.ts';
import type { Claim, Ledger, Step } from '../ledger/ledger.ts';
import type { ContentItem } from '../press/publisher.ts';
import type { ArticleReader } from '../reading/article.ts';
import { MINUTE } from '../time/duration.ts';
import { beginRun, type RunParts } from './begin-run.ts';
import { type ChoiceSettings, choose } from './choose.ts';
import { giveBack, outcomeOf, takeAndTell } from './item-step.ts';
import { gatherStories, type OneStory, TOLD_WITHIN } from './one-story.ts';
import { compose, dispatchDue, type PressParts } from './press-room.ts';
import type { ItemOutcome, RunProgress, RunRecorder, RunReport } from './run-report.ts';
import { verdictOf, whenJudgeIsAway } from './verdict.ts';

const LEASE = 5 * MINUTE;

export interface CurateSettings extends ChoiceSettings {
  /** How many articles are read and judged at a time. */
  readonly concurrency: number;
  /** How many one run judges at the most; the rest waits for the next (X18). */
  readonly mostJudged: number;
  /** Whether one story from several sources is told once (X3). */
  readonly sameStory: boolean;
}

export interface CurateParts extends PressParts, RunParts {
  readonly settings: CurateSettings;
  readonly interests: Interests;
  readonly judge: Judge;
  readonly reader: ArticleReader;
}

/**
 * The curator's run (A1): fetch feeds → drop what is known → extract the text → evaluate → record rejections → choose →
 * post → record what was posted.
 */
export async function curate(
  parts: CurateParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<RunReport> {
  const run = await beginRun(parts, signal, watch);

  await evaluateNew(parts, run, signal);

  const candidates = await withoutDelivery(await all(parts.ledger, 'accepted'), parts);
  const stories = await gather(candidates, parts, run);
  const { chosen, waiting } = choose(
    stories.map(({ lead }) => lead),
    parts.settings,
  );
  if (chosen.length > 0) {
    const contents = stories
      .filter(({ lead }) => chosen.includes(lead))
      .map((story) => contentOf(story, parts.ledger));
    await parts.outbox.intend(await compose(inOrder(await Promise.all(contents), chosen), parts, { signal }));
  }

  const settled = await dispatchDue(parts, signal);
  for (const key of settled) {
    const item = await parts.ledger.find(key);
    if (item !== null) run.item(outcomeOf(item, 'published', item.detail ?? ''));
  }
  sayWhatWaits(run, chosen.length, waiting, parts.settings);
  return run.finish(parts.clock.now());
}

/** Everything that waits is read and judged, several at a time; each verdict is recorded as soon as it is there. */
async function evaluateNew(parts: CurateParts, run: RunRecorder, signal: AbortSignal): Promise<void> {
  let taken = 0;
  const worker = async (): Promise<void> => {
    while (!signal.aborted && taken++ < parts.settings.mostJudged) {
      const claim = await parts.ledger.claimNext({
        owner: parts.owner,
        leaseMs: LEASE,
        states: ['waiting', 'deferred'],
      });
      if (claim === null) return;
      run.item(await evaluateOne(claim, parts, signal));
    }
  };
  await Promise.all(Array.from({ length: parts.settings.concurrency }, worker));
}

async function evaluateOne(claim: Claim, parts: CurateParts, signal: AbortSignal): Promise<ItemOutcome> {
  const { item } = claim;
  const page = await parts.reader.read(item.url, signal);
  if (signal.aborted) return giveBack(claim, parts);
  if (page.outcome === 'unreadable') {
    const detail = `${page.why}: ${page.detail}`;
    return page.retryable
      ? takeAndTell(claim, { type: 'defer', reason: 'download_failed', detail }, parts)
      : takeAndTell(claim, { type: 'reject', reason: 'content_extraction_failed', detail }, parts);
  }
  const { text, headings, language } = page.article;
  const judged = await parts.judge.evaluate(
    { url: item.url, title: item.title, text, headings, ...(language !== null && { language }) },
    parts.interests,
    signal,
  );
  if (signal.aborted && judged.outcome !== 'judged') return giveBack(claim, parts);
  return takeAndTell(claim, eventFor(judged, parts), parts, stepFor(judged, text, parts));
}

/** What a judgement means for the item (A4, A8, X18). */
function eventFor(judged: Judgement<Evaluation>, { settings, clock }: CurateParts): LifecycleEvent {
  switch (judged.outcome) {
    case 'later':
      return whenJudgeIsAway(judged, clock.now());
    case 'unfit':
      return { type: 'reject', reason: 'content_extraction_failed', detail: judged.detail };
    case 'judged': {
      const { score, topics, reason } = judged.value;
      if (topics.length === 0) return { type: 'reject', reason: 'no_topic_match', detail: reason };
      if (score < settings.minRelevanceScore)
        return { type: 'reject', reason: 'low_relevance', detail: reason };
      return { type: 'accept', detail: reason };
    }
  }
}

function stepFor(judged: Judgement<Evaluation>, text: string, { interests, clock }: CurateParts): Step {
  if (judged.outcome !== 'judged') return {};
  return { verdict: verdictOf(judged.value, judged.by, text, interests.version, clock.now()) };
}

/** Gathers candidates into stories, and settles those whose story was told before. */
async function gather(
  candidates: readonly Item[],
  parts: CurateParts,
  run: RunRecorder,
): Promise<readonly OneStory[]> {
  if (!parts.settings.sameStory) return candidates.map((lead) => ({ lead, others: [] }));
  const since = parts.clock.now() - TOLD_WITHIN;
  const { fresh, told } = gatherStories(candidates, await all(parts.ledger, 'published', since));
  for (const { item, by } of told) {
    const claim = await parts.ledger.claim(item.key, { owner: parts.owner, leaseMs: LEASE, early: true });
    if (claim === null) continue;
    const detail = `${by.sourceName} told the same story: ${by.url}`;
    run.item(await takeAndTell(claim, { type: 'reject', reason: 'same_story', detail }, parts));
  }
  return fresh;
}

async function contentOf({ lead, others }: OneStory, ledger: Ledger): Promise<ContentItem> {
  const carried = (await ledger.sightings(lead.key)).map(({ sourceName }) => sourceName);
  const names = new Set([...others.map(({ sourceName }) => sourceName), ...carried]);
  names.delete(lead.sourceName);
  return {
    item: lead,
    summary: lead.verdict?.summary ?? null,
    alsoSeenIn: [...names],
    others: others.map(({ key }) => key),
  };
}

function inOrder(contents: readonly ContentItem[], chosen: readonly Item[]): ContentItem[] {
  return chosen.flatMap((item) => contents.find((content) => content.item === item) ?? []);
}

/** All items of a state, or those that changed since a time. */
async function all(ledger: Ledger, state: State, since = 0): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.list({ states: [state], limit: 200, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.filter(({ checkedAt }) => checkedAt >= since));
    // Newest change first: from the first older one on, all are older.
    cursor = page.items.some(({ checkedAt }) => checkedAt < since) ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined);
  return found;
}

/** Leaves out what is already on its way in an earlier digest. */
async function withoutDelivery(items: readonly Item[], { outbox }: CurateParts): Promise<Item[]> {
  const free: Item[] = [];
  for (const item of items) {
    const deliveries = await outbox.ofItem(item.key);
    if (deliveries.every((d) => d.state === 'dropped')) free.push(item);
  }
  return free;
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
