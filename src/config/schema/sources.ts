import type { z } from 'zod';
import { suggestion } from '../problems.ts';
import { byId, choice, isGroup, type OwnNames, pluginEntry, section } from './section.ts';
import {
  address,
  displayValue,
  duration,
  language,
  list,
  oneOf,
  secret,
  text,
  toggle,
  whole,
} from './values.ts';

/** Which items of a new source count as news (B19, X19). */
export const firstContact = choice(
  {
    limits: section({
      newest: whole(0, 1000)
        .exactOptional()
        .describe('Only the newest so many are news; older ones are recorded as processed.'),
      newer_than: duration()
        .exactOptional()
        .describe(
          'Only what is younger than this is news, however many; older items are recorded as processed. With `newest` too an item has to be within both.',
        ),
    }),
  },
  (value) =>
    isGroup(value) && ('newest' in value || 'newer_than' in value)
      ? 'limits'
      : { message: 'must be `{ newest: 5 }`, `{ newer_than: 2d }` or both' },
);

/** Poll interval of sources that set none themselves. */
export const polling = section({
  every: duration(1000)
    .prefault('15m')
    .describe(
      'Time between two readings of a source without `every`, unless a pipeline that uses it runs more often. A feed that publishes often is read more often (three times as often at most), one that seldom changes less often (every 4 hours at least).',
    ),
  store: pluginEntry({}, 'Kind of the store, of a plugin. Other keys are its settings.')
    .exactOptional()
    .describe('Where the state of sources is kept, by a plugin; the store of the engine when absent.'),
});

/** Names of nested folders, outermost first. */
export function folderPath() {
  return list(text('a name of a folder', 1, 100), 'folders', 0, 10);
}

const everySource = {
  name: text('a name for people', 1, 100)
    .exactOptional()
    .describe('Display name; the source’s own title when absent.'),
  folders: folderPath()
    .exactOptional()
    .describe(
      'Its folder: the names from the outermost to the innermost, as feed readers exchange them (OPML).',
    ),
  enabled: toggle().default(true).describe('A disabled source is not polled.'),
  every: duration(1000)
    .exactOptional()
    .describe(
      'Time between two readings, kept as it is. When absent: `polling.every`, or 2 hours for a channel; as often as a pipeline runs that uses it, where that is more often.',
    ),
  first_contact: firstContact
    .exactOptional()
    .describe(
      'What counts as news when the source is read for the first time, for pipelines without a `first_contact` of their own; the newest 10 when absent, and everything in `look_back` for a channel.',
    ),
};

const feed = section({
  feed: address('the address of the feed').describe('Address of an RSS, Atom, RDF or JSON feed.'),
  identity: oneOf(['auto', 'guid', 'link', 'both'])
    .default('auto')
    .describe('What identifies the feed’s items; `auto` detects it once and keeps it.'),
  language: language().exactOptional().describe('Language of the feed, if it does not declare one.'),
  ...everySource,
}).transform(({ feed: url, ...rest }) => ({ kind: 'feed' as const, url, ...rest }));

const youtube = section({
  youtube: text('a channel: "@handle", an ID that starts with UC, or its address', 2, 300)
    .refine(isChannel, {
      error: (issue) =>
        `must be a channel: "@handle" in quotes, an ID that starts with UC, or its address, not ${displayValue(issue.input)}`,
    })
    .describe('Channel: its @handle, its ID (UC…) or its address.'),
  key: secret('the YouTube API key')
    .exactOptional()
    .describe('Key of the YouTube Data API; the channel’s public feed is read when absent.'),
  look_back: duration(60_000)
    .prefault('2.5h')
    .describe('How far back each poll looks, so that no video is missed between two polls.'),
  shorts: toggle().default(true).describe('Whether shorts are included.'),
  quota_per_day: whole(1, 10_000_000).default(10_000).describe('Daily quota of the Data API, in units.'),
  base_url: address('the address of the Data API')
    .exactOptional()
    .describe('Base URL of another server with the Data API, for tests.'),
  feed_url: address('the address of channel feeds')
    .exactOptional()
    .describe('Base URL of channel feeds, for tests.'),
  ...everySource,
}).transform(({ youtube: channel, ...rest }) => ({ kind: 'youtube' as const, channel, ...rest }));

const hackernews = section({
  hackernews: oneOf(['top', 'new', 'best']).describe('List of Hacker News.'),
  min_points: whole(0, 100_000)
    .default(0)
    .describe('Minimum points of a story; others are left out until they reach it.'),
  limit: whole(1, 500).default(100).describe('Number of entries of the list that are read.'),
  base_url: address('the address of the Hacker News API')
    .exactOptional()
    .describe('Base URL of another server with the same API, for tests.'),
  site_url: address('the address of Hacker News')
    .prefault('https://news.ycombinator.com')
    .describe('Where the pages of comments are, to which posts without a link lead.'),
  ...everySource,
}).transform(({ hackernews: list, ...rest }) => ({ kind: 'hackernews' as const, list, ...rest }));

const ofPlugin = pluginEntry(
  everySource,
  'Kind of source, of a plugin. Keys that are not listed here are its settings.',
);

const builtIn = { feed, youtube, hackernews };

/** A plugin's settings may not be named like what makes a built-in source. */
export const OWN_SOURCE_NAMES: OwnNames = {
  kinds: Object.keys(builtIn),
  keys: [...Object.keys(everySource), ...Object.keys(builtIn)],
};

export const sources = byId(
  choice({ ...builtIn, plugin: ofPlugin }, (value) => {
    if (!isGroup(value))
      return { message: 'must be a group of keys that starts with `feed`, `youtube` or `hackernews`' };
    const named = (Object.keys(builtIn) as (keyof typeof builtIn)[]).filter((key) => key in value);
    if (named.length === 1 && named[0] !== undefined) return named[0];
    if (named.length > 1)
      return { message: `is ${named.join(' and ')} at once: keep one and make another source of the other` };
    if ('kind' in value) return 'plugin';
    const [first = ''] = Object.keys(value);
    return {
      message: `does not say where to read: write \`feed\`, \`youtube\` or \`hackernews\` (${suggestion(first, Object.keys(builtIn))})`,
    };
  }),
  'source',
).describe('Sources, by an ID of your choice.');

function isChannel(written: string): boolean {
  if (/^@[\p{L}\p{N}._·-]{3,60}$/u.test(written) || /^UC[\w-]{22}$/.test(written)) return true;
  const url = URL.parse(written);
  return url !== null && /^https?:$/.test(url.protocol) && /\/(@|channel\/|c\/|user\/)/.test(url.pathname);
}

/** Canonical form of a feed's URL, for comparison; `null` if it is no URL. */
export function normaliseFeedUrl(written: unknown): string | null {
  const url = typeof written === 'string' ? URL.parse(written) : null;
  return url === null ? null : `${url.host}${url.pathname.replace(/\/$/, '')}${url.search}`;
}

export type SourceConfig = z.output<typeof sources>[string];
