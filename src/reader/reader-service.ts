import { randomUUID } from 'node:crypto';
import type { ArticleReader } from '../articles/article.ts';
import type { AccountStore } from '../auth/account-store.ts';
import type { Learning } from '../learning/learning.ts';
import type { StoryEditStore } from '../same-story/story-edit-store.ts';
import type { StoryEdits } from '../same-story/story-edits.ts';
import type { SocialStore } from '../social/social-store.ts';
import type { SourceIcons } from '../sources/icons/source-icons.ts';
import type { SourceStore } from '../sources/source.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { ArticleTexts } from './article-text.ts';
import type { EntryStore } from './entry-store.ts';
import { FeedAddresses } from './feed-addresses.ts';
import { Reader } from './reader.ts';
import type { ReaderEvents } from './reader-events.ts';
import { ReaderLists, type ReaderSources } from './reader-lists.ts';
import { ReaderOverview } from './reader-overview.ts';
import { ReaderStreams, type ReaderStreamsOptions } from './reader-streams.ts';
import { StoryEditor } from './story-editor.ts';

export interface ReaderServiceDependencies {
  readonly entries: EntryStore;
  /** What people decided about stories: stored, and as the program follows it. */
  readonly storyEdits: { readonly store: StoryEditStore; readonly edits: StoryEdits };
  readonly sources: ReaderSources;
  /** The user of a source, as far as it is known; `null` if it cannot be followed. */
  readonly users: { cached(sourceId: string): string | null };
  readonly social: Pick<SocialStore, 'getFollowingList'>;
  readonly records: Pick<SourceStore, 'list'>;
  readonly accounts: Pick<AccountStore, 'findAccount' | 'marksOf' | 'setMark'>;
  readonly articles: Pick<ArticleReader, 'read'>;
  /** `null`: icons are off. The caller owns it. */
  readonly icons: SourceIcons | null;
  readonly events: ReaderEvents;
  readonly learning: Learning;
  /** Key of the feed addresses, the same in all replicas. */
  readonly feedKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Events, 'streamClosed'>;
  readonly stream: Pick<ReaderStreamsOptions, 'heartbeatMs' | 'maxPerPerson' | 'maxBufferedBytes'>;
  readonly pollIntervalMs: ReaderStreamsOptions['pollIntervalMs'];
}

/** The reader as the server uses it. */
export interface ReaderService extends AsyncDisposable {
  readonly reader: Reader;
  readonly learning: Learning;
  readonly stories: StoryEditor;
  readonly overview: ReaderOverview;
  readonly streams: ReaderStreams;
  readonly articles: Pick<ArticleTexts, 'textOf'>;
  readonly icons: Pick<SourceIcons, 'picture'> | null;
}

export function createReaderService(deps: ReaderServiceDependencies): ReaderService {
  const {
    entries,
    sources,
    users,
    social,
    records,
    accounts,
    icons,
    events,
    learning,
    clock,
    log,
    telemetry,
  } = deps;
  const lists = new ReaderLists({ sources, users, social });
  const feeds = new FeedAddresses({ key: deps.feedKey, store: accounts, clock });
  const streams = new ReaderStreams({
    events,
    entries,
    clock,
    log,
    telemetry,
    pollIntervalMs: deps.pollIntervalMs,
    ...deps.stream,
  });
  return {
    reader: new Reader({ entries, lists, events, feeds, learning, clock }),
    learning,
    stories: new StoryEditor({ entries, ...deps.storyEdits, events, clock, newId: randomUUID }),
    overview: new ReaderOverview({ entries, lists, sources, users, records, icons, clock }),
    streams,
    icons,
    articles: new ArticleTexts({ entries, articles: deps.articles, clock }),
    [Symbol.asyncDispose]: () => streams[Symbol.asyncDispose](),
  };
}
