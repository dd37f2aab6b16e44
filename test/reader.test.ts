import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { ArticleReader } from '../src/articles/article.ts';
import { PARSE_DEFAULTS, parseFeedDocument } from '../src/feeds/parse-feed.ts';
import { newEntry } from '../src/reader/contract/entry-store-subject.ts';
import type { Overview } from '../src/reader/reader-overview.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import type { ShownDrop } from '../src/server/http/timeline-routes.ts';
import { SqliteEntryStore } from '../src/storage/sqlite/reader/entry-store.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { HOUR, MINUTE } from '../src/time/duration.ts';
import { newsroomConfig, quickReader } from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { forThisFile, startRedis } from './redis.ts';
import { requires } from './requirements.ts';
import { StreamReader } from './stream-reader.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const POLL = { interval: 50, timeout: 30_000 };

interface ShownEntry {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly image: string | null;
  readonly sources: readonly { readonly id: string; readonly name: string }[];
  readonly state: {
    readonly read: boolean;
    readonly starredAt: number | null;
    readonly laterAt: number | null;
  };
  readonly others: readonly unknown[];
  readonly author?: string | null;
  readonly publishedAt?: number;
  readonly enclosure?: unknown;
  readonly enclosures?: readonly unknown[];
  readonly sourceCount?: number;
}

interface Page {
  readonly entries: readonly ShownEntry[];
  readonly next: string | null;
  readonly newestId: number;
}

/** Closing tags are lost in the head; a base, a zone, an author and an encoding have to be found. */
const CAST = `<?xml version="1.0"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel xml:base="https://cast.example/radio/">
<title>Радио порта</title><link>https://cast.example/</link><description>Разговоры о море, ветре и людях порта
<image><url>logo.png</url><title>Радио порта
<itunes:owner><itunes:name>Владелец</itunes:name>
<managingEditor>desk@cast.example (Редакция)</managingEditor><copyright>Радио порта
<item><title>Выпуск о unique_ptr&lt;S&gt;</title><link>1</link><guid isPermaLink="false">c1</guid><pubDate>Tue, 15 Jul 2025 20:00:00 ET</pubDate><enclosure url="1.pdf" type="application/pdf"/><enclosure url="1.mp3" type="audio/mpeg" length="46000000"/><itunes:duration>48:13</itunes:duration></item>
<item><title>Второй выпуск</title><link>2</link><guid isPermaLink="false">c2</guid><pubDate>Mon, 14 Jul 2025 20:00:00 GMT-0500</pubDate></item>
</channel></rss>`;

function windows1251(text: string): Buffer {
  return Buffer.from(
    text.replace(/[А-я]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x350)),
    'latin1',
  );
}

/** Three feeds, which one pipeline reads and rejects for their score. */
function describeReader(
  engine: 'the embedded engine' | 'Firestore and Redis',
  engineSettings: () => object,
): void {
  describe(`the reader over HTTP, on ${engine}`, () => {
    let folder: string;
    let simulator: Simulator;
    let feeds: Record<'herald' | 'wire' | 'lab', MadeFeed>;
    let later = 0;
    const clock = skewedClock(() => later);
    let app: App;
    let server: RunningServer;
    let ann: Caller;
    let ben: Caller;
    let guest: Caller;
    const readers: StreamReader[] = [];
    let articles: ArticleReader;
    let settings: object;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-reader-'));
      simulator = await startSimulator({ clock });
      feeds = {
        herald: simulator.feeds.create({ id: 'herald' }),
        wire: simulator.feeds.create({ id: 'wire' }),
        lab: simulator.feeds.create({ id: 'lab' }),
      };
      articles = quickReader;
      settings = engineSettings();
      ({ app, server } = await openNewsroom(folder));
      ann = await Caller.join('ann', await app.auth.accounts.ownerLink());
      ben = await Caller.join('ben', await app.auth.accounts.invite());
      guest = new Caller({});
    });
    afterEach(async () => {
      for (const reader of readers.splice(0)) reader.close();
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    async function openNewsroom(folder: string): Promise<{ app: App; server: RunningServer }> {
      const text = JSON.stringify({
        data: './data',
        ...settings,
        network: { allow: ['127.0.0.1'], host_spacing: '0s' },
        server: { port: 0, rate_limit: { per_address: 100_000, per_person: 100_000 } },
        sources: {
          herald: { feed: feeds.herald.url, name: 'The Herald', every: '1s', folders: ['News'] },
          wire: { feed: feeds.wire.url, every: '1s', folders: ['News', 'World'] },
          lab: { feed: feeds.lab.url, every: '1s' },
        },
        pipelines: {
          daily: {
            kind: 'curate',
            sources: ['herald', 'wire', 'lab'],
            interests: [{ topic: 'TypeScript', aliases: ['compiler'] }],
            min_relevance_score: 100,
            first_contact: { newest: 100 },
            publish: [],
            every: '10000h',
          },
        },
      });
      const app = await openApp(newsroomConfig(text, folder, {}), {
        telemetry: silentTelemetry,
        version: '0',
        clock,
        passwordCost: { n: 2 ** 12, r: 8, p: 1 },
        interpose: (infrastructure) => ({
          ...infrastructure,
          reader: { read: (...ask) => articles.read(...ask), warmUp: async () => {} },
        }),
      });
      return { app, server: await app.serve() };
    }

    /** Reads all sources. */
    async function read(): Promise<void> {
      later += MINUTE;
      for (const pipeline of app.pipelines.values()) await pipeline.run(new AbortController().signal);
    }

    class Caller {
      readonly headers: Readonly<Record<string, string>>;
      constructor(headers: Readonly<Record<string, string>>) {
        this.headers = headers;
      }

      static async join(name: string, link: { readonly token: string } | null): Promise<Caller> {
        const response = await fetch(`${server.url}/api/v1/welcome`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ link: link?.token, name, password: 'a long enough password' }),
        });
        const { csrfToken } = (await response.json()) as { csrfToken: string };
        const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
        return new Caller({ cookie, 'x-csrf-token': csrfToken });
      }

      send(method: string, path: string, body?: unknown): Promise<Response> {
        return fetch(`${server.url}/api/v1${path}`, {
          method,
          headers: { ...this.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
      }

      async get<T>(path: string): Promise<T> {
        const response = await this.send('GET', path);
        expect(response.status, `GET ${path}`).toBe(200);
        return (await response.json()) as T;
      }

      list(query = ''): Promise<Page> {
        return this.get<Page>(`/reader/entries${query === '' ? '' : `?${query}`}`);
      }

      async titles(query = ''): Promise<string[]> {
        return (await this.list(query)).entries.map(({ title }) => title);
      }

      overview(): Promise<Overview> {
        return this.get<Overview>('/reader/overview');
      }

      /** The ID of the entry with this title. */
      async idOf(title: string): Promise<number> {
        const found = (await this.list('limit=200')).entries.find((entry) => entry.title === title);
        if (found === undefined) throw new Error(`no entry "${title}"`);
        return found.id;
      }

      async mark(kind: string, ...titles: string[]): Promise<string | null> {
        const ids = await Promise.all(titles.map((title) => this.idOf(title)));
        return this.#undoOf(await this.send('POST', '/reader/state', { kind, ids }));
      }

      async readAll(scope: object): Promise<string | null> {
        return this.#undoOf(await this.send('POST', '/reader/read-all', scope));
      }

      async #undoOf(response: Response): Promise<string | null> {
        expect(response.status).toBe(200);
        return ((await response.json()) as { undo: string | null }).undo;
      }

      async listen(): Promise<StreamReader> {
        const reader = await StreamReader.open(`${server.url}/events/reader`, this.headers);
        readers.push(reader);
        await expect.poll(() => reader.events.length, POLL).toBeGreaterThan(0);
        return reader;
      }
    }

    /** Six entries; the newest one is in two feeds of one folder. */
    async function publishAll(): Promise<void> {
      const at = clock.now();
      feeds.herald.publish({ title: 'Herald one', publishedAt: at - 6 * HOUR });
      feeds.herald.publish({ title: 'Herald two', publishedAt: at - 5 * HOUR });
      feeds.wire.publish({ title: 'Wire one', publishedAt: at - 4 * HOUR });
      feeds.lab.publish({ title: 'Lab one', publishedAt: at - 3 * HOUR, summary: '日本語の見出し' });
      feeds.lab.publish({ title: 'Lab two', publishedAt: at - 2 * HOUR });
      const link = feeds.herald.publish({ title: 'Told by two', publishedAt: at - HOUR });
      feeds.wire.publish({ title: 'Told by two', link, publishedAt: at - HOUR });
      await read();
    }
    const ALL = ['Told by two', 'Lab two', 'Lab one', 'Wire one', 'Herald two', 'Herald one'];

    const counts = ({ unread, starred, later: kept, folders, sources }: Overview) => ({
      all: unread.all,
      home: unread.home,
      starred,
      later: kept,
      folders: Object.fromEntries(folders.map(({ path, unread: n }) => [path.join('/'), n])),
      sources: Object.fromEntries(sources.map(({ id, unread: n }) => [id, n])),
    });

    it('R7 R9 counts each story once, in every list that it is in', async () => {
      await publishAll();
      const before = counts(await ann.overview());
      expect(before).toEqual({
        all: 6,
        home: 0,
        starred: 0,
        later: 0,
        folders: { News: 4, 'News/World': 2 },
        sources: { herald: 3, wire: 2, lab: 2 },
      });
      const [told] = (await ann.list()).entries;
      expect(told).toMatchObject({
        title: 'Told by two',
        sources: expect.arrayContaining([
          { id: 'herald', name: 'The Herald' },
          { id: 'wire', name: 'wire' },
        ]),
        state: { read: false, starredAt: null, laterAt: null },
      });
      await ann.mark('read', 'Told by two', 'Lab one');
      await ann.mark('star', 'Lab one');
      await ann.mark('later', 'Wire one');
      expect(counts(await ann.overview())).toEqual({
        all: 4,
        home: 0,
        starred: 1,
        later: 1,
        folders: { News: 3, 'News/World': 1 },
        sources: { herald: 2, wire: 1, lab: 1 },
      });
      expect(counts(await ben.overview())).toEqual(before);
      const { sources } = await ann.overview();
      expect(sources[0]).toMatchObject({
        id: 'herald',
        name: 'The Herald',
        kind: 'feed',
        folders: ['News'],
        enabled: true,
        health: 'ok',
        userId: expect.any(String),
        followed: false,
      });
    });

    it('R11 R12 lists by view, source, folder, words and time, in both orders and in pages', async () => {
      await publishAll();
      expect(await ann.titles()).toEqual(ALL);
      expect(await ann.titles('order=oldest')).toEqual(ALL.toReversed());
      expect(await ann.titles('source=wire')).toEqual(['Told by two', 'Wire one']);
      expect(await ann.titles('folder=News')).toEqual([
        'Told by two',
        'Wire one',
        'Herald two',
        'Herald one',
      ]);
      expect(await ann.titles('folder=News%2FWorld')).toEqual(['Told by two', 'Wire one']);
      expect(await ann.titles('folder=News%2FWorld&source=herald')).toEqual([]);
      expect(await ann.titles(`q=${encodeURIComponent('日本')}`)).toEqual(['Lab one']);
      expect(await ann.titles('q=one&folder=News')).toEqual(['Wire one', 'Herald one']);
      const boundary = clock.now() - 2.5 * HOUR;
      expect(await ann.titles(`since=${boundary}`)).toEqual(ALL.slice(0, 2));
      expect(await ann.titles(`before=${boundary}`)).toEqual(ALL.slice(2));
      await ann.mark('read', 'Lab two');
      await ann.mark('star', 'Lab two');
      await ann.mark('later', 'Herald two');
      expect(await ann.titles('view=unread')).toEqual(ALL.filter((title) => title !== 'Lab two'));
      expect(await ann.titles('view=starred')).toEqual(['Lab two']);
      expect(await ann.titles('view=later')).toEqual(['Herald two']);
      expect(await ann.titles('view=home')).toEqual([]);

      const found: string[] = [];
      let cursor: string | null = '';
      for (let page = 0; cursor !== null && page < 10; page++) {
        const next: Page = await ann.list(
          `limit=4${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        found.push(...next.entries.map(({ title }) => title));
        cursor = next.next;
        // What arrives meanwhile is on the first page, and changes no other.
        feeds.lab.publish({ title: `Late ${page}` });
        await read();
      }
      expect(found).toEqual(ALL);
    });

    it('R8 marking all as read covers what was shown, and every change can be taken back exactly', async () => {
      await publishAll();
      const { newestId } = await ann.list();
      await ann.mark('read', 'Wire one');
      feeds.wire.publish({ title: 'Arrived later' });
      await read();
      const undo = await ann.readAll({ folder: 'News', upTo: newestId });
      expect(await ann.titles('view=unread')).toEqual(['Arrived later', 'Lab two', 'Lab one']);
      const older = await ann.readAll({ upTo: 2 ** 52, before: clock.now() - 2.5 * HOUR });
      expect(await ann.titles('view=unread')).toEqual(['Arrived later', 'Lab two']);
      expect((await ann.send('POST', '/reader/undo', { token: older })).status).toBe(204);
      expect((await ann.send('POST', '/reader/undo', { token: undo })).status).toBe(204);
      expect(await ann.titles('view=unread')).toEqual([
        'Arrived later',
        ...ALL.filter((title) => title !== 'Wire one'),
      ]);
      // It belongs to one person, and works once.
      for (const who of [ann, ben])
        expect((await who.send('POST', '/reader/undo', { token: undo })).status).toBe(404);
      // Nothing of the future is covered, whatever a client claims to have seen.
      await ann.readAll({ upTo: 2 ** 52 });
      feeds.lab.publish({ title: 'Of the future' });
      await read();
      expect(await ann.titles('view=unread')).toEqual(['Of the future']);
      // It changes nothing, so there is nothing to take back.
      expect(await ann.mark('read', 'Lab one')).toBeNull();
    });

    it('R6 two open pages of one person see each other’s changes and what arrives', async () => {
      await publishAll();
      const [one, two, other, stranger] = await Promise.all([
        ann.listen(),
        ann.listen(),
        ben.listen(),
        guest.listen(),
      ]);
      const { newestId } = await ann.list();
      expect(one.events[0]).toMatchObject({ event: 'entries', data: { newestId } });
      const id = await ann.idOf('Lab two');
      await ann.mark('star', 'Lab two');
      const undo = await ann.readAll({ source: 'lab', upTo: newestId });
      await ann.send('POST', '/reader/undo', { token: undo });
      const changes = [
        { kind: 'star', ids: [id] },
        { kind: 'readAll', source: 'lab', upTo: newestId },
        { kind: 'readAll', upTo: newestId, undo: true },
      ];
      const statesOf = (reader: StreamReader) =>
        reader.events.filter(({ event }) => event === 'state').map(({ data }) => data);
      for (const reader of [one, two]) await expect.poll(() => statesOf(reader), POLL).toEqual(changes);

      feeds.lab.publish({ title: 'Just arrived' });
      await read();
      const last = (await ann.list()).newestId;
      expect(last).toBeGreaterThan(newestId);
      for (const reader of [one, two, other, stranger])
        await expect
          .poll(() => reader.events.findLast(({ event }) => event === 'entries')?.data, POLL)
          .toEqual({ newestId: last });
      for (const reader of [other, stranger]) expect(statesOf(reader)).toEqual([]);

      // The session ends, and with it its streams.
      await ann.send('DELETE', '/session');
      for (const reader of [one, two]) await expect.poll(() => reader.ended, POLL).toBe(true);
      expect(other.ended).toBe(false);
    });

    if (engine === 'the embedded engine')
      it('R6 open pages notice entries that another process added', async () => {
        await publishAll();
        const page = await guest.listen();
        await using other = new SqliteEntryStore(join(folder, 'data', 'reader.db'));
        await other.add([newEntry('Added by a command', { sourceId: 'lab' })], clock.now(), () => null);
        const newestId = await other.newestId();
        await expect.poll(() => page.events.at(-1)?.data, POLL).toEqual({ newestId });
        expect(await guest.titles()).toContain('Added by a command');
      });
    else
      it('R6 pages that are connected to another replica see the same', async () => {
        await publishAll();
        const second = await openNewsroom(join(folder, 'second'));
        try {
          const there = await StreamReader.open(`${second.server.url}/events/reader`, ann.headers);
          readers.push(there);
          await expect.poll(() => there.events.length, POLL).toBe(1);
          await ann.mark('star', 'Lab one');
          await expect.poll(() => there.events.at(-1)?.data, POLL).toMatchObject({ kind: 'star' });
          feeds.wire.publish({ title: 'Just arrived' });
          await read();
          const { newestId } = await ann.list();
          await expect.poll(() => there.events.at(-1)?.data, POLL).toEqual({ newestId });
        } finally {
          await second.server[Symbol.asyncDispose]();
          await second.app[Symbol.asyncDispose]();
        }
      });

    it('open streams do not delay a stop', async () => {
      const reader = await ann.listen();
      await server[Symbol.asyncDispose]();
      await expect.poll(() => reader.ended, POLL).toBe(true);
      server = await app.serve();
    });

    it('shows one entry with the decisions of the pipelines, and its text', async () => {
      await publishAll();
      const id = await ann.idOf('Told by two');
      const entry = await ann.get<{ why: { text: string }[]; summary: unknown; url: string }>(
        `/reader/entries/${id}`,
      );
      expect(entry).toMatchObject({
        id,
        title: 'Told by two',
        state: { read: false },
        others: [],
        why: [{ pipeline: 'daily', pipelineName: 'daily', state: 'rejected', reason: 'low_relevance' }],
      });
      expect(entry.why[0]?.text).toMatch(/^Rejected: score \d+ is below the minimum 100\./);

      articles = {
        ...quickReader,
        async read(url) {
          const read = await quickReader.read(url);
          if (read.outcome !== 'article') return read;
          const html = `<p>${'A long text. '.repeat(200)}</p><img src="https://pictures.example/a.png" alt="">`;
          return { ...read, article: { ...read.article, html, byline: 'A. Writer' } };
        },
      };
      const article = await guest.get<{ html: string }>(`/reader/entries/${id}/article`);
      expect(article).toMatchObject({ origin: 'page', byline: 'A. Writer', url: entry.url });
      expect(article.html).toContain('A long text.');
      expect(article.html).toContain('src="/api/v1/image?u=https%3A%2F%2Fpictures.example%2Fa.png&amp;s=');
      articles = {
        ...quickReader,
        read: async () => ({ outcome: 'unreadable', why: 'paywall', detail: 'HTTP 402', retryable: false }),
      };
      const other = await ann.send('GET', `/reader/entries/${await ann.idOf('Lab two')}/article`);
      expect(other.status).toBe(502);
      expect(await other.json()).toMatchObject({
        code: 'article_unavailable',
        detail: expect.stringContaining('only for subscribers'),
        parameters: { why: 'paywall' },
      });
      for (const path of ['/reader/entries/999999', '/reader/entries/999999/article'])
        expect((await ann.send('GET', path)).status).toBe(404);
    });

    it('R14 hot lists what most sources told in the last day', async () => {
      await publishAll();
      const hot = await guest.get<Page>('/reader/hot');
      expect(hot.entries.map(({ title, sourceCount }) => [title, sourceCount])).toEqual([['Told by two', 2]]);
      expect((await guest.get<Page>('/reader/hot?folder=News%2FWorld')).entries).toEqual([]);
      expect((await guest.send('GET', '/reader/hot?folder=Sports')).status).toBe(404);
      expect((await guest.send('GET', '/reader/hot?view=home')).status).toBe(401);
    });

    it('R13 each list has an Atom feed with a secret address, which can be replaced', async () => {
      await publishAll();
      const urlOf = async (who: Caller, query: string): Promise<string> =>
        (await who.get<{ url: string }>(`/reader/feed-address?${query}`)).url;
      const titlesOf = async (url: string): Promise<string[]> => {
        const response = await fetch(url);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toMatch(/^application\/atom\+xml/);
        expect(response.headers.get('cache-control')).toMatch(/^private/);
        const parsed = parseFeedDocument(await response.text(), { ...PARSE_DEFAULTS, url });
        if (parsed.outcome !== 'feed') throw new Error(parsed.outcome);
        return parsed.feed.entries.map(({ title }) => title ?? '');
      };
      const wire = await urlOf(ann, 'source=wire');
      const unread = await urlOf(ann, 'view=unread&folder=News');
      const words = await urlOf(ann, `q=${encodeURIComponent('日本')}`);
      expect(wire).toMatch(new RegExp(`^${server.url}/feeds/reader/[\\w.-]+\\.atom$`));
      expect(await titlesOf(wire)).toEqual(['Told by two', 'Wire one']);
      expect(await titlesOf(words)).toEqual(['Lab one']);
      await ann.mark('read', 'Wire one');
      expect(await titlesOf(unread)).toEqual(['Told by two', 'Herald two', 'Herald one']);
      const etag = (await fetch(wire)).headers.get('etag') ?? '';
      expect((await fetch(wire, { headers: { 'if-none-match': etag } })).status).toBe(304);

      const others = await urlOf(ben, 'source=wire');
      expect(others).not.toBe(wire);
      expect((await ann.send('POST', '/reader/feed-address/reset')).status).toBe(204);
      for (const url of [wire, unread, words, wire.replace('.atom', 'x.atom')])
        expect((await fetch(url)).status).toBe(404);
      expect(await titlesOf(others)).toHaveLength(2);
      expect(await titlesOf(await urlOf(ann, 'source=wire'))).toHaveLength(2);
      expect((await ann.send('GET', '/reader/feed-address?source=none')).status).toBe(404);
    });

    it('Q1 Q2 Q3 Q4 Q5 Q6 Q7 a broken feed in an undeclared encoding is read whole, its files included', async () => {
      const address = simulator.pages.put('/cast/feed.xml', {
        status: 200,
        headers: { 'content-type': 'application/rss+xml' },
        body: windows1251(CAST),
      });
      const answer = await ann.send('POST', '/sources', { address });
      expect(answer.status).toBe(201);
      const { id } = (await answer.json()) as { id: string };
      await expect.poll(() => ann.titles(`source=${id}`), POLL).toHaveLength(2);
      const [first, second] = (await ann.list(`source=${id}`)).entries;
      const recording = {
        url: 'https://cast.example/radio/1.mp3',
        type: 'audio/mpeg',
        lengthBytes: 46_000_000,
        durationSeconds: 2_893,
      };
      const notes = {
        url: 'https://cast.example/radio/1.pdf',
        type: 'application/pdf',
        lengthBytes: null,
        durationSeconds: null,
      };
      expect(first).toMatchObject({
        title: 'Выпуск о unique_ptr<S>',
        url: 'https://cast.example/radio/1',
        author: 'Редакция',
        publishedAt: Date.parse('2025-07-15T20:00:00-04:00'),
        enclosure: recording,
        enclosures: [recording, notes],
      });
      expect(second).toMatchObject({
        title: 'Второй выпуск',
        url: 'https://cast.example/radio/2',
        publishedAt: Date.parse('2025-07-14T20:00:00-05:00'),
        enclosure: null,
        enclosures: [],
      });
      const { url } = await ann.get<{ url: string }>(`/reader/feed-address?source=${id}`);
      const parsed = parseFeedDocument(await (await fetch(url)).text(), { ...PARSE_DEFAULTS, url });
      if (parsed.outcome !== 'feed') throw new Error(parsed.outcome);
      expect(parsed.feed.entries.map(({ enclosures }) => enclosures)).toEqual([[recording, notes], []]);
    });

    it('R5 following a source fills Home with its newest ten at once, and never twice', async () => {
      for (let n = 1; n <= 12; n++)
        feeds.herald.publish({ title: `Herald ${n}`, publishedAt: clock.now() - (20 - n) * HOUR });
      await publishAll();
      const { userId } = (await ann.overview()).sources.find(({ id }) => id === 'herald') ?? {};
      const follow = async (who: Caller, method: string): Promise<void> =>
        expect((await who.send(method, `/users/${userId}/follow`)).status).toBe(200);
      const home = async (who: Caller) => (await who.get<{ drops: ShownDrop[] }>('/timelines/home')).drops;
      const newest = (await ann.titles('source=herald&limit=10')).toSorted();
      expect(newest).toHaveLength(10);
      const homeTitles = async (who: Caller) => (await home(who)).map(({ title }) => title);
      await follow(ann, 'PUT');
      await expect.poll(async () => (await homeTitles(ann)).toSorted(), POLL).toEqual(newest);
      expect(await homeTitles(ann)).toEqual(await ann.titles('source=herald&limit=10'));
      await follow(ann, 'PUT');
      await follow(ben, 'PUT');
      await expect.poll(async () => (await homeTitles(ben)).toSorted(), POLL).toEqual(newest);
      await follow(ben, 'DELETE');
      await follow(ben, 'PUT');
      await read();
      for (const who of [ann, ben])
        await expect.poll(async () => (await homeTitles(who)).toSorted(), POLL).toEqual(newest);
      expect(await app.social.getDropsByUserId(userId ?? '', { limit: 50 })).toHaveLength(10);

      // A drop shows the state of its entry.
      await ann.mark('read', 'Told by two');
      const dropOf = async (who: Caller) => (await home(who)).find(({ title }) => title === 'Told by two');
      expect((await dropOf(ann))?.entry).toMatchObject({
        id: await ann.idOf('Told by two'),
        state: { read: true },
        sources: expect.arrayContaining([{ id: 'herald', name: 'The Herald' }]),
      });
      expect((await dropOf(ben))?.entry?.state.read).toBe(false);
      expect(counts(await ann.overview()).home).toBe(14);
      expect(await ann.titles('view=home')).toHaveLength(15);
      expect((await ann.overview()).sources.filter(({ followed }) => followed)).toMatchObject([
        { id: 'herald' },
      ]);
    });

    it('R5 a source that is added and followed at once fills Home when it is first read', async () => {
      const added = simulator.feeds.create({ id: 'added' });
      const titles = ['Added one', 'Added two', 'Added three'];
      for (const [n, title] of titles.entries())
        added.publish({ title, publishedAt: clock.now() - (5 - n) * HOUR });
      const page = await ben.listen();
      const answer = await ann.send('POST', '/sources', { address: added.url, follow: true });
      expect(answer.status).toBe(201);
      const { id } = (await answer.json()) as { id: string };
      const home = async () => (await ann.get<{ drops: ShownDrop[] }>('/timelines/home')).drops;
      const shown = async () => (await home()).map(({ title }) => title);
      await expect.poll(shown, POLL).toEqual(titles.toReversed());
      expect(await ann.titles(`source=${id}`)).toEqual(titles.toReversed());
      await expect.poll(() => page.events.map(({ event }) => event), POLL).toContain('sources');
      expect((await ben.overview()).sources.map((source) => source.id)).toContain(id);
    });

    it('guests read where the newsroom is public, and change nothing', async () => {
      await publishAll();
      await ann.mark('read', 'Lab one');
      expect(await guest.titles()).toEqual(ALL);
      expect(await guest.titles('view=unread')).toEqual(ALL);
      expect((await guest.list()).entries.every(({ state }) => !state.read)).toBe(true);
      expect(counts(await guest.overview())).toMatchObject({ all: 0, starred: 0, folders: { News: 0 } });
      for (const [method, path, body] of [
        ['GET', '/reader/entries?view=home'],
        ['GET', '/reader/entries?view=starred'],
        ['GET', '/reader/entries?view=later'],
        ['POST', '/reader/state', { kind: 'read', ids: [1] }],
        ['POST', '/reader/read-all', { upTo: 1 }],
        ['POST', '/reader/undo', { token: 'x' }],
        ['GET', '/reader/searches'],
        ['GET', '/reader/feed-address'],
      ] as const)
        expect((await guest.send(method, path, body)).status, path).toBe(401);
    });

    it('searches can be saved, replaced and removed', async () => {
      const search = { name: 'Rust in the news', text: 'rust', folder: 'News', sourceId: null, unread: true };
      expect((await ann.send('PUT', '/reader/searches/rust', search)).status).toBe(204);
      expect(await ann.get('/reader/searches')).toEqual({ searches: [{ id: 'rust', ...search }] });
      expect((await ann.send('PUT', '/reader/searches/rust', { ...search, name: 'Rust' })).status).toBe(204);
      expect((await ann.overview()).searches).toEqual([{ id: 'rust', ...search, name: 'Rust' }]);
      expect((await ben.overview()).searches).toEqual([]);
      expect((await ann.send('PUT', '/reader/searches/x', { ...search, folder: 'None' })).status).toBe(404);
      expect((await ann.send('DELETE', '/reader/searches/rust')).status).toBe(204);
      expect((await ann.send('DELETE', '/reader/searches/rust')).status).toBe(404);
    });

    it('refuses what makes no sense, and names the field', async () => {
      await publishAll();
      for (const [method, path, field, body] of [
        ['GET', '/reader/entries?view=none', 'view'],
        ['GET', '/reader/entries?limit=0', 'limit'],
        ['GET', '/reader/entries?limit=201', 'limit'],
        ['GET', '/reader/entries?order=best', 'order'],
        ['GET', '/reader/entries?cursor=made-up', 'cursor'],
        ['GET', '/reader/entries?since=yesterday', 'since'],
        ['GET', `/reader/entries?q=${'x'.repeat(201)}`, 'q'],
        ['GET', '/reader/entries?color=red', 'color'],
        ['GET', '/reader/entries/first', 'id'],
        ['POST', '/reader/state', 'kind', { kind: 'eaten', ids: [1] }],
        ['POST', '/reader/state', 'ids', { kind: 'read', ids: [] }],
        ['POST', '/reader/state', 'ids.0', { kind: 'read', ids: ['1'] }],
        [
          'POST',
          '/reader/state',
          'ids',
          { kind: 'read', ids: Array.from({ length: 1001 }, (_, n) => n + 1) },
        ],
        ['POST', '/reader/read-all', 'upTo', {}],
        ['POST', '/reader/read-all', 'view', { upTo: 1, view: 'all' }],
        ['POST', '/reader/undo', 'token', {}],
        ['PUT', '/reader/searches/a%20b', 'id', { name: 'x', text: 'x' }],
        ['PUT', '/reader/searches/a', 'name', { name: ' ', text: 'x' }],
      ] as const) {
        const response = await ann.send(method, path, body);
        expect(response.status, path).toBe(400);
        expect(await response.json(), path).toMatchObject({ errors: [{ field }] });
      }
      for (const path of ['/reader/entries?source=none', '/reader/entries?folder=None'])
        expect((await ann.send('GET', path)).status, path).toBe(404);
      expect((await ann.send('POST', '/reader/read-all', { upTo: 1, source: 'none' })).status).toBe(404);
    });

    it('answers of the API are compressed for clients that accept it; streams are not', async () => {
      await publishAll();
      const plain = await fetchRaw('/api/v1/reader/entries', {});
      expect(plain.encoding).toBeUndefined();
      for (const [accepted, decompress] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const sent = await fetchRaw('/api/v1/reader/entries', { 'accept-encoding': accepted });
        expect(sent).toMatchObject({ encoding: accepted, vary: expect.stringContaining('accept-encoding') });
        expect(sent.body.length).toBeLessThan(plain.body.length / 2);
        expect(decompress(sent.body)).toEqual(plain.body);
      }
      const stream = await StreamReader.open(`${server.url}/events/reader`, {
        'accept-encoding': 'gzip, br',
      });
      readers.push(stream);
      await expect.poll(() => stream.events[0]?.event, POLL).toBe('entries');
    });

    /** Without the decompression of `fetch`. */
    function fetchRaw(path: string, headers: Readonly<Record<string, string>>) {
      return new Promise<{ encoding: unknown; vary: unknown; body: Buffer }>((resolve, reject) => {
        const outgoing = httpRequest(`${server.url}${path}`, { headers }, (incoming) => {
          const { 'content-encoding': encoding, vary } = incoming.headers;
          incoming
            .toArray()
            .then((chunks: Buffer[]) => resolve({ encoding, vary, body: Buffer.concat(chunks) }), reject);
        });
        outgoing.once('error', reject).end();
      });
    }
  });
}

describeReader('the embedded engine', () => ({}));

requires('gcloud', 'redis-server')('with Redis and the emulator', () => {
  const emulator = emulatorForThisFile('firestore');
  const redis = forThisFile(() => startRedis());
  describeReader('Firestore and Redis', () => ({
    engine: {
      kind: 'distributed',
      project: freshProject(),
      firestore: { emulator: emulator.host },
      redis: { nodes: [redis().address], prefix: `${randomUUID()}:` },
    },
  }));
});
