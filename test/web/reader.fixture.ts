import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { MadeFeed } from '../../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import type { Article, ArticleOutcome } from '../../src/articles/article.ts';
import type { ItemKey } from '../../src/item/item.ts';
import type { NewEntry } from '../../src/reader/entry-store.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { systemClock } from '../../src/time/clock.ts';
import { MINUTE } from '../../src/time/duration.ts';
import { newsroomConfig } from '../crash/newsroom-config.ts';
import { buildPage, launchChromium, watchPage } from './chromium.ts';

/** The page built from its sources, and a browser. */
export interface ReaderBrowser extends AsyncDisposable {
  /** Another newsroom without entries. Closed by the caller. */
  open(): Promise<ReaderFixture>;
}

/** The program with sources in folders and entries on demand, and browser contexts in which people are signed in. */
export interface ReaderFixture extends AsyncDisposable {
  readonly app: App;
  readonly simulator: Simulator;
  /** The feeds of the sources, empty at first. */
  readonly feeds: Readonly<Record<keyof typeof SOURCES, MadeFeed>>;
  /** Texts of pages that can be read, by their addresses; no other page can. */
  readonly texts: Map<string, string>;
  readonly url: string;
  /** Adds entries, the first one first; returns their IDs. */
  add(...entries: readonly SeedEntry[]): Promise<number[]>;
  /** A browser context; `as` is signed in there. */
  context(as: 'ann' | 'ben' | 'guest', options?: BrowserContextOptions): Promise<BrowserContext>;
  visit(context: BrowserContext, path: string): Promise<Page>;
  /** What a script threw or the policy blocked. */
  readonly pageErrors: string[];
  readonly foreignRequests: string[];
  /** Answers requests for pictures. */
  readonly pictureUrl: string;
  /** A recording of one second at another host. */
  readonly soundUrl: string;
  /** From now on no connection is accepted; the data stays. */
  stopServer(): Promise<void>;
}

export interface SeedEntry {
  readonly title: string;
  readonly source: keyof typeof SOURCES;
  readonly minutesAgo?: number;
  readonly url?: string;
  readonly author?: string;
  readonly excerpt?: string;
  readonly content?: string;
  readonly image?: string;
  readonly enclosures?: NewEntry['enclosures'];
  /** ID of an entry about the same event. */
  readonly story?: number;
  readonly storyReason?: NewEntry['storyReason'];
}

export const SOURCES = {
  harbour: { name: 'Harbour Gazette', folders: ['News'] },
  tokyo: { name: '東京技術新聞', folders: ['Tech', 'Japan'] },
  compiler: { name: 'Compiler Weekly', folders: ['Tech'] },
  signals: { name: 'Signals & Stores', folders: ['Tech'] },
  cast: { name: 'The Press Room Podcast', folders: [] },
} as const;

const PASSWORD = 'ink, paper and a good brush';

export async function openReaderBrowser(chromiumPath: string): Promise<ReaderBrowser> {
  const webRoot = await buildPage();
  const browser = await launchChromium(chromiumPath);
  return {
    open: () => openReader(browser, webRoot),
    async [Symbol.asyncDispose]() {
      await browser.close();
      rmSync(webRoot, { recursive: true, force: true });
    },
  };
}

async function openReader(browser: Browser, webRoot: string): Promise<ReaderFixture> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-reader-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const pictures = createServer((request, response) => {
    const isSound = request.url?.endsWith('.wav') === true;
    response.writeHead(200, { 'content-type': isSound ? 'audio/wav' : 'image/png' });
    response.end(isSound ? SOUND : PICTURE);
  });
  await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
  stack.defer(() => void pictures.close());
  const address = pictures.address();
  const pictureUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/picture.png`;
  const simulator = stack.use(await startSimulator({ clock: systemClock }));
  const made = Object.keys(SOURCES).map((id) => [id, simulator.feeds.create({ id })] as const);
  const feeds = Object.fromEntries(made) as Record<keyof typeof SOURCES, MadeFeed>;
  const texts = new Map<string, string>();
  const text = JSON.stringify({
    data: './data',
    network: { allow: ['127.0.0.1'], host_spacing: '0s' },
    server: { port: 0, rate_limit: { per_address: 100_000, per_person: 100_000 } },
    sources: Object.fromEntries(
      made.map(([id, { url }]) => [
        id,
        { ...SOURCES[id as keyof typeof SOURCES], feed: url, every: '10000h' },
      ]),
    ),
    pipelines: {
      daily: {
        kind: 'curate',
        name: 'Daily Sheet',
        sources: Object.keys(SOURCES),
        interests: [{ topic: 'databases' }, { topic: 'mizuhiki', aliases: ['水引'] }],
        publish: ['timeline'],
        every: '10000h',
      },
    },
  });
  writeFileSync(join(folder, 'kawaraban.yaml'), text);
  const app = stack.use(
    await openApp(newsroomConfig(text, folder, {}), {
      telemetry: silentTelemetry,
      version: '0',
      webRoot,
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
      interpose: (infrastructure) => ({
        ...infrastructure,
        reader: {
          read: async (url) => {
            const text = texts.get(url);
            return text === undefined ? UNREADABLE : { outcome: 'article', article: articleOf(url, text) };
          },
          warmUp: async () => {},
        },
      }),
    }),
  );
  const server = await app.serve();
  let stopped = false;
  stack.defer(async () => {
    if (!stopped) await server[Symbol.asyncDispose]();
  });
  const cookies = {
    ann: await useLink(server.url, 'ann', (await app.auth.accounts.ownerLink())?.token),
    ben: await useLink(server.url, 'ben', (await app.auth.accounts.invite()).token),
  };
  const pageErrors: string[] = [];
  const foreignRequests: string[] = [];
  return {
    app,
    simulator,
    feeds,
    texts,
    url: server.url,
    pictureUrl,
    soundUrl: pictureUrl.replace('picture.png', 'sound.wav'),
    pageErrors,
    foreignRequests,
    async add(...entries) {
      const ids: number[] = [];
      for (const entry of entries) {
        const [added] = await app.engine.entries.add(
          [toNewEntry(entry)],
          Date.now(),
          () => entry.story ?? null,
        );
        ids.push(added?.entry.id ?? 0);
      }
      return ids;
    },
    async context(as, options = {}) {
      // A service worker would answer what a test intercepts; the tests about it allow it.
      const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block', ...options });
      stack.defer(() => context.close());
      context.setDefaultTimeout(40_000);
      if (as !== 'guest') await context.addCookies([{ ...cookies[as], url: server.url }]);
      return context;
    },
    async visit(context, path) {
      const page = await context.newPage();
      watchPage(page, server.url, { pageErrors, foreignRequests });
      await page.goto(server.url + path);
      return page;
    },
    async stopServer() {
      stopped = true;
      await server[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Uses a one-time link; returns the cookie of the session. */
async function useLink(
  url: string,
  name: string,
  link: string | undefined,
): Promise<{ readonly name: string; readonly value: string }> {
  const response = await fetch(`${url}/api/v1/welcome`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link, name, password: PASSWORD }),
  });
  const [cookie = ''] = response.headers.get('set-cookie')?.split(';') ?? [];
  const at = cookie.indexOf('=');
  return { name: cookie.slice(0, at), value: cookie.slice(at + 1) };
}

const UNREADABLE: ArticleOutcome = {
  outcome: 'unreadable',
  why: 'paywall',
  detail: 'the page shows its text to subscribers only',
  retryable: false,
};

function articleOf(url: string, text: string): Article {
  const nothing = { canonicalUrl: null, byline: null, publishedAt: null, imageUrl: null, language: null };
  return { url, title: '', text, headings: [], attachments: [], ...nothing };
}

let entryCount = 0;

function toNewEntry(entry: SeedEntry): NewEntry {
  entryCount += 1;
  const url = entry.url ?? `https://${entry.source}.example/${entryCount}`;
  return {
    key: url as ItemKey,
    url,
    title: entry.title,
    author: entry.author ?? null,
    excerpt: entry.excerpt ?? null,
    imageUrl: entry.image ?? null,
    language: null,
    publishedAt: Date.now() - (entry.minutesAgo ?? 0) * MINUTE,
    points: null,
    enclosures: entry.enclosures ?? [],
    sourceId: entry.source,
    sourceName: SOURCES[entry.source].name,
    content: entry.content ?? null,
    ...(entry.storyReason !== undefined && { storyReason: entry.storyReason }),
  };
}

/** One second of silence: 8,000 samples of 8 bits. */
const SOUND = Buffer.concat([
  Buffer.from('UklGRmQfAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YUAfAAA=', 'base64'),
  Buffer.alloc(8_000, 0x80),
]);

/** One grey pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);
