import type { Enclosure } from '../../../src/item/item.ts';
import type { Movement, ReactionKind } from '../../../src/item/learned.ts';
import type { EntryState, SavedSearch } from '../../../src/reader/entry-store.ts';
import type { ReadAllScope } from '../../../src/reader/reader-events.ts';
import type { NamedSource } from '../../../src/reader/reader-lists.ts';
import type {
  Overview as ServerOverview,
  OverviewSource as ServerSource,
} from '../../../src/reader/reader-overview.ts';
import type { StoryReason } from '../../../src/same-story/story-reason.ts';
import type { Why } from '../../../src/server/http/newsroom.ts';
import { change, read } from '../api.ts';

export type { NamedSource, ReadAllScope };

/** An article of the same story elsewhere. */
export interface OtherEntry {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly publishedAt: number;
  readonly sources: readonly NamedSource[];
}

/** An entry as a list shows it. */
export interface ShownEntry extends OtherEntry {
  readonly storyId: number;
  readonly author: string | null;
  readonly excerpt: string | null;
  /** Address of the picture at our own proxy. */
  readonly image: string | null;
  readonly language: string | null;
  readonly arrivedAt: number;
  readonly points: number | null;
  readonly enclosures: readonly Enclosure[];
  readonly state: EntryState;
  readonly others: readonly OtherEntry[];
  /** How many sources told the story; only in the hot list. */
  readonly sourceCount?: number;
  /** What the reader's own reactions did to its place. */
  readonly learned?: Movement;
}

/** The decision of one pipeline about an entry. */
export type Decision = Omit<Why, 'summary'>;

/** Why an entry is in its story, or was kept out of one. */
export type ShownStoryReason = Omit<StoryReason, 'with'> & { readonly text: string };

export interface EntryDetails extends ShownEntry {
  readonly why: readonly Decision[];
  readonly story: ShownStoryReason | null;
  readonly summary: string | null;
}

export interface Article {
  readonly html: string;
  readonly origin: 'feed' | 'page';
  readonly byline: string | null;
  readonly fetchedAt: number;
  readonly url: string;
}

export interface OverviewSource extends ServerSource {
  readonly icon: string | null;
}

export interface Overview extends Omit<ServerOverview, 'sources'> {
  readonly sources: readonly OverviewSource[];
}

export interface EntriesBody {
  readonly entries: readonly ShownEntry[];
  readonly next: string | null;
  readonly newestId: number;
}

export type StateKind = 'read' | 'unread' | 'star' | 'unstar' | 'later' | 'notLater';
/** What a person says about an article without changing its state. */
export type ReactionRequest = 'more' | 'less' | 'finished';

export interface LearnedReaction {
  readonly id: string;
  readonly kind: ReactionKind;
  readonly at: number;
  readonly title: string;
  readonly url: string;
}

/** What the newsroom learned from this person. */
export interface PersonsLearning {
  readonly available: boolean;
  readonly enabled: boolean;
  readonly reactions: readonly LearnedReaction[];
}

export type Query = Readonly<Record<string, string | undefined>>;

interface Undoable {
  readonly undo: string | null;
}

export const readerApi = {
  overview: (signal?: AbortSignal) => read<Overview>('/reader/overview', {}, signal),
  entries: (query: Query, signal?: AbortSignal) => read<EntriesBody>('/reader/entries', query, signal),
  hot: (query: Query, signal?: AbortSignal) =>
    read<{ entries: readonly ShownEntry[] }>('/reader/hot', query, signal),
  entry: (id: number, signal?: AbortSignal) => read<EntryDetails>(`/reader/entries/${id}`, {}, signal),
  article: (id: number, signal?: AbortSignal) => read<Article>(`/reader/entries/${id}/article`, {}, signal),
  setState: (kind: StateKind | ReactionRequest, ids: readonly number[]) =>
    change<Undoable>('POST', '/reader/state', { kind, ids }),
  readAll: (scope: ReadAllScope) => change<Undoable>('POST', '/reader/read-all', scope),
  undo: (token: string) => change('POST', '/reader/undo', { token }),
  splitStory: (id: number) => change<{ undo: string }>('POST', '/reader/stories/split', { id }),
  joinStories: (id: number, other: number) =>
    change<{ undo: string }>('POST', '/reader/stories/join', { id, with: other }),
  undoStories: (token: string) => change('POST', '/reader/stories/undo', { token }),
  saveSearch: ({ id, ...search }: SavedSearch) =>
    change('PUT', `/reader/searches/${encodeURIComponent(id)}`, search),
  removeSearch: (id: string) => change('DELETE', `/reader/searches/${encodeURIComponent(id)}`),
  feedAddress: (query: Query, signal?: AbortSignal) =>
    read<{ url: string }>('/reader/feed-address', query, signal),
  learning: (signal?: AbortSignal) => read<PersonsLearning>('/reader/learning', {}, signal),
  setLearning: (enabled: boolean) => change('PUT', '/reader/learning', { enabled }),
  forgetReaction: (id: string) => change('DELETE', `/reader/learning/${encodeURIComponent(id)}`),
  forgetAll: () => change('DELETE', '/reader/learning'),
  resetFeedAddresses: () => change('POST', '/reader/feed-address/reset'),
};
