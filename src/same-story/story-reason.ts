import type { ItemKey } from '../item/item.ts';
import { shorten } from '../item/shorten.ts';
import { type CommonGround, type MergeReason, NOTHING_COMMON } from './merge-reason.ts';
import type { PairInDoubt } from './same-story.ts';
import type { Opinion } from './second-opinion.ts';
import type { StoryEdit } from './story-edit-store.ts';

const MAX_TITLE_LENGTH = 200;

/** Why an item is in a story, or was kept out of one that it could belong to (Q14). */
export interface StoryReason {
  readonly verdict: 'same' | 'apart';
  /** The other item. */
  readonly with: ItemKey;
  readonly title: string;
  readonly by: 'rules' | 'embedder' | 'person';
  readonly common: CommonGround;
  /** Who decided, and when. */
  readonly person?: string;
  readonly at?: number;
  /** Similarity of the two texts according to the embedding model. */
  readonly similarity?: number;
  /** The pair was in doubt, and the embedding model could not be asked: the rules decided. */
  readonly unasked?: 'failed' | 'budget';
}

type OtherItem = { readonly key: ItemKey; readonly title: string };

export function reasonByPerson(
  verdict: StoryReason['verdict'],
  other: OtherItem,
  { by, at }: Pick<StoryEdit, 'by' | 'at'>,
): StoryReason {
  return { verdict, ...named(other), by: 'person', common: NOTHING_COMMON, person: by, at };
}

export function reasonByRules(other: OtherItem, common: CommonGround): StoryReason {
  return { verdict: 'same', ...named(other), by: 'rules', common };
}

function named({ key, title }: OtherItem): Pick<StoryReason, 'with' | 'title'> {
  return { with: key, title: shorten(title, MAX_TITLE_LENGTH) };
}

/** For guests, who are not told who decided. */
export function withoutPerson({ person: _, ...reason }: StoryReason): StoryReason {
  return reason;
}

/** Of an item that was merged. `edit`: the decision of a person about the pair, if that is why. */
export function mergedBecause(
  { with: other, by, common }: MergeReason,
  title: string,
  edit: StoryEdit | null,
): StoryReason {
  return {
    verdict: 'same',
    ...named({ key: other, title }),
    by: by === 'decision' ? 'person' : by === 'second opinion' ? 'embedder' : 'rules',
    common,
    ...(by === 'decision' && edit !== null && { person: edit.by, at: edit.at }),
  };
}

/** Of an item whose pair was in doubt; `null` without any opinion. */
export function decidedBecause({ other, verdict }: PairInDoubt, opinion: Opinion): StoryReason | null {
  if (opinion.outcome === 'off') return null;
  const about = { ...named(other), common: verdict.common };
  if (opinion.outcome === 'unasked') return { verdict: 'apart', ...about, by: 'rules', unasked: opinion.why };
  const { same, similarity } = opinion;
  return { verdict: same ? 'same' : 'apart', ...about, by: 'embedder', similarity };
}

const UNASKED = {
  failed: 'the embedding model failed',
  budget: 'the budget of the embedding model is used up',
} as const;

/** One English sentence: `Same story as "Ferry sinks off Larkfield": names Larkfield; figures 12; words ferry, sinks.` */
export function describeStoryReason(reason: StoryReason): string {
  const { verdict, title, by, person, at, similarity, unasked } = reason;
  const start = verdict === 'same' ? `Same story as "${title}"` : `Not the same story as "${title}"`;
  if (by === 'person') {
    const day = at === undefined ? '' : ` on ${new Date(at).toISOString().slice(0, 10)}`;
    return `${start}: ${verdict === 'same' ? 'joined' : 'split'} by ${person ?? 'a person'}${day}.`;
  }
  const evidence = describeEvidence(reason.common);
  if (by === 'embedder') {
    const score = similarity === undefined ? '' : ` (similarity ${similarity.toFixed(2)})`;
    return `${start}: decided by the embedding model${score}${evidence && `; ${evidence}`}.`;
  }
  if (unasked !== undefined) return `${start}: in doubt, and ${UNASKED[unasked]}, so the rules decided.`;
  return `${start}${evidence && `: ${evidence}`}.`;
}

function describeEvidence({ names, figures, words }: CommonGround): string {
  const parts = Object.entries({ names, figures, words });
  return parts.flatMap(([kind, list]) => (list.length === 0 ? [] : `${kind} ${list.join(', ')}`)).join('; ');
}
