import { join } from 'node:path';
import type { MadeFeed } from '../../simulator/feeds/custom-feed.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { writeArticle } from '../../simulator/texts/article.ts';
import type { ArticleReader } from '../../src/articles/article.ts';
import { type Config, parseConfig } from '../../src/config/config.ts';

export const KINDS = ['curate', 'summarise', 'process'] as const;
export type Kind = (typeof KINDS)[number];
export const DESTINATIONS = ['webhook', 'bot', 'mastodon'] as const;
export type Destination = (typeof DESTINATIONS)[number];

export const ENGINES = ['sqlite', 'firestore'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Storage: files, or a project of the Firestore emulator. */
export type Where =
  | { readonly engine: 'sqlite' }
  | { readonly engine: 'firestore'; readonly emulator: string; readonly project: string };

/** Where a destination's messages arrive. */
export function serviceOf(destination: Destination): 'discord' | 'mastodon' {
  return destination === 'mastodon' ? 'mastodon' : 'discord';
}

export interface NewsroomOptions {
  readonly kind: Kind;
  readonly destination: Destination;
  /** Address of the feed; videos come from the simulator's first channel. */
  readonly feed: string;
  /** In files where absent. */
  readonly where?: Where;
  /** Timeout of one response of another service. */
  readonly timeout?: string;
  readonly lease?: string;
  /** Messages are edited when their items are. */
  readonly updateEdited?: boolean;
  /** Program and arguments that process a video; summarised where absent. */
  readonly command?: readonly string[];
}

/** A newsroom with one pipeline that publishes to one destination and to the timeline, as its owner would write it. */
export function newsroomText(options: NewsroomOptions, { urls, discord }: Simulator): string {
  const {
    kind,
    destination,
    feed,
    timeout = '20s',
    lease = '60s',
    command,
    where,
    updateEdited = false,
  } = options;
  const publishers = {
    webhook: { kind: 'discord-webhook', url: { env: 'WEBHOOK' } },
    bot: {
      kind: 'discord-bot',
      token: { env: 'BOT' },
      channel: discord.channels.newsroom,
      base_url: urls.discord,
    },
    mastodon: { kind: 'mastodon', instance: urls.mastodon, token: { env: 'MASTODON' } },
  };
  const pipelines = {
    curate: {
      kind,
      interests: [{ topic: 'TypeScript', aliases: ['compiler'] }],
      min_relevance_score: 0,
      min_articles: 1,
      max_articles: 2,
    },
    summarise: { kind, language: 'en', max_per_run: 20 },
    process: {
      kind,
      look_back: '4h',
      processor: command ? { command } : { builtin: 'summarise', language: 'en' },
      backoff: { first: '1s', factor: 1, most: '1s' },
    },
  };
  const source =
    kind === 'process' ? { youtube: '@datatalks', feed_url: urls.youtube, look_back: '4h' } : { feed };
  return JSON.stringify({
    data: './data',
    ...(where?.engine === 'firestore' && {
      engine: { kind: 'distributed', project: where.project, firestore: { emulator: where.emulator } },
      // Every start would wait for a Redis that does not exist.
      timelines: { store: 'memory' },
    }),
    network: { allow: ['127.0.0.1'], host_spacing: '0s', timeout },
    identity: { same_story: { enabled: false } },
    sources: { news: { ...source, every: '1s', first_contact: { newest: 1000 } } },
    publishers: { [destination]: { ...publishers[destination], update_edited: updateEdited } },
    pipelines: {
      desk: {
        ...pipelines[kind],
        sources: ['news'],
        first_contact: { newest: 1000 },
        publish: [destination, 'timeline'],
        every: kind === 'process' ? '3h' : '10000h',
        lease,
      },
    },
  });
}

export function secretsOf({ discord, mastodon }: Simulator): Record<string, string> {
  return { WEBHOOK: discord.webhookUrl, BOT: discord.botToken, MASTODON: mastodon.token };
}

export function newsroomConfig(text: string, folder: string, env: Readonly<Record<string, string>>): Config {
  const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), { ...env });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

/** Suffix of every title once the articles were edited. */
export const CORRECTED = '(corrected)';

/** Puts a feed with so many articles on the simulated internet, all worth publishing. */
export function publishNews(simulator: Simulator, id: string, articles: number): MadeFeed {
  const feed = simulator.feeds.create({ id });
  for (let n = 1; n <= articles; n++) {
    const { paragraphs, background } = writeArticle('en', 'typescript', id, n);
    feed.publish({
      title: `TypeScript compiler, part ${n} of ${id}`,
      text: ['The TypeScript compiler got faster again.', ...paragraphs, ...background],
    });
  }
  return feed;
}

/** Reads every page as the same article, for runs that cannot afford an extraction process each. */
export const quickReader: ArticleReader = {
  async read(url) {
    const { title, paragraphs, background } = writeArticle('en', 'typescript', url);
    const text = ['The TypeScript compiler got faster again.', ...paragraphs, ...background].join('\n\n');
    const nothing = { canonicalUrl: null, byline: null, publishedAt: null, imageUrl: null };
    return {
      outcome: 'article',
      article: { url, title, text, language: 'en', headings: [], attachments: [], ...nothing },
    };
  },
  warmUp: async () => {},
};
