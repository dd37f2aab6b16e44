import type { Item, ItemKey } from '../item/item.ts';
import { type PairInDoubt, StoryGroups } from '../same-story/same-story.ts';
import type { SecondOpinion } from '../same-story/second-opinion.ts';
import type { StoryEdits } from '../same-story/story-edits.ts';
import { decidedBecause, mergedBecause, type StoryReason } from '../same-story/story-reason.ts';
import { DAY } from '../time/duration.ts';

export interface ChoiceSettings {
  readonly minRelevanceScore: number;
  readonly maxArticles: number;
  readonly minArticles: number;
}

export interface Choice {
  /** Best first; empty when there were too few to make a digest. */
  readonly chosen: readonly Item[];
  /** Good enough but not chosen: they keep their evaluation and compete again (A5). */
  readonly waiting: readonly Item[];
}

/**
 * The digest's contents (A4): items above the threshold, best first, at most `maxArticles`, none if fewer than
 * `minArticles`.
 */
export function choose(candidates: readonly Item[], settings: ChoiceSettings): Choice {
  const good = candidates.filter((item) => scoreOf(item) >= settings.minRelevanceScore).sort(bestFirst);
  if (good.length < settings.minArticles) return { chosen: [], waiting: good };
  return { chosen: good.slice(0, settings.maxArticles), waiting: good.slice(settings.maxArticles) };
}

/** An item without a score is never chosen, even with a threshold of zero. */
function scoreOf(item: Item): number {
  return item.verdict?.score ?? Number.NEGATIVE_INFINITY;
}

/** Equal scores: the newer first, then by key, so that the order is deterministic. */
function bestFirst(a: Item, b: Item): number {
  return scoreOf(b) - scoreOf(a) || b.publishedAt - a.publishedAt || (a.key < b.key ? -1 : 1);
}

/** How long a published story suppresses further items about it. */
export const STORY_WINDOW_MS = 3 * DAY;

/** A story: the item with the best score, and the others about the same event. */
export interface CandidateStory {
  readonly lead: Item;
  readonly others: readonly Item[];
}

export interface GroupedStories {
  readonly fresh: readonly CandidateStory[];
  /** Candidates whose story was published before, each with the published item, and why it is the same story. */
  readonly alreadyPublished: readonly {
    readonly item: Item;
    readonly by: Item;
    readonly why: StoryReason | null;
  }[];
  /** Pairs in doubt that the embedding model could not be asked about. */
  readonly unasked: number;
}

/** Who decides besides the rules: people before them, and a second opinion where they leave it in doubt. */
export interface StoryDeciders {
  readonly edits: StoryEdits;
  readonly opinion: SecondOpinion;
}

/**
 * Groups candidates of several sources by story (X3), each led by its best score, and separates those whose story was
 * published before. Two items of one source are two stories, even with equal titles, unless a person joined them: a
 * monthly series repeats its headline.
 */
export async function groupStories(
  candidates: readonly Item[],
  published: readonly Item[],
  { edits, opinion }: StoryDeciders,
  signal?: AbortSignal,
): Promise<GroupedStories> {
  await edits.refresh();
  const bestFirst = candidates.toSorted((a, b) => (b.verdict?.score ?? -1) - (a.verdict?.score ?? -1));
  const items = new Map([...published, ...bestFirst].map((item) => [item.key, item]));
  const areOfTwoSources = (key: ItemKey, other: ItemKey): boolean =>
    items.get(key)?.sourceId !== items.get(other)?.sourceId;
  const groups = new StoryGroups({
    windowMs: STORY_WINDOW_MS,
    decisions: edits,
    mayJoin: areOfTwoSources,
    mayCompare: areOfTwoSources,
  });
  const othersOf = ({ key }: Item): Item[] =>
    (groups.find(key)?.members ?? []).flatMap((member) => (member === key ? [] : (items.get(member) ?? [])));
  const separateFromOwnSource = (item: Item): void => {
    const isDecided = groups.find(item.key)?.reason?.by === 'decision';
    if (!isDecided && othersOf(item).some(({ sourceId }) => sourceId === item.sourceId))
      groups.separate(item.key);
  };
  const doubts: PairInDoubt[] = [];
  for (const item of items.values()) {
    doubts.push(...groups.add(storyInput(item)).doubts);
    separateFromOwnSource(item);
  }
  const opinions = doubts.length === 0 ? [] : await opinion.about(doubts, signal);
  const reasons = new Map<ItemKey, StoryReason>();
  for (const [n, pair] of doubts.entries()) {
    const reason = decidedBecause(pair, opinions[n] ?? { outcome: 'off' });
    const item = items.get(pair.one.key);
    if (reason?.verdict !== 'same' || item === undefined || othersOf(item).length > 0) continue;
    if (!groups.join(item.key, pair.other.key, 'second opinion')) continue;
    reasons.set(item.key, reason);
    separateFromOwnSource(item);
  }
  const whyOf = ({ key }: Item): StoryReason | null => {
    const reason = groups.find(key)?.reason ?? null;
    if (reason === null) return null;
    const title = items.get(reason.with)?.title ?? '';
    return reasons.get(key) ?? mergedBecause(reason, title, edits.between(key, reason.with));
  };
  const publishedKeys = new Set(published.map(({ key }) => key));
  const stories = new Map<ItemKey, { lead: Item; others: Item[] }>();
  const alreadyPublished: { item: Item; by: Item; why: StoryReason | null }[] = [];
  for (const item of bestFirst) {
    const others = othersOf(item);
    const by = others.find(({ key }) => publishedKeys.has(key));
    const story = others.map(({ key }) => stories.get(key)).find((found) => found !== undefined);
    if (by !== undefined) alreadyPublished.push({ item, by, why: whyOf(item) });
    else if (story !== undefined) story.others.push(item);
    else stories.set(item.key, { lead: item, others: [] });
  }
  const unasked = opinions.filter(({ outcome }) => outcome === 'unasked').length;
  return { fresh: [...stories.values()], alreadyPublished, unasked };
}

function storyInput({ key, title, publishedAt, excerpt, verdict }: Item) {
  const text = excerpt ?? verdict?.summary ?? undefined;
  return { key, title, publishedAt, ...(text !== undefined && { text }) };
}
