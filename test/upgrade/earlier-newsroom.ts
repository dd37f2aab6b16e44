import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { Firestore, Timestamp } from '@google-cloud/firestore';
import type { Message } from '../../simulator/discord/guild.ts';
import type { Status } from '../../simulator/mastodon/statuses.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import type { Infrastructure } from '../../src/app/infrastructure.ts';
import type { ArticleReader } from '../../src/articles/article.ts';
import type { Fetcher, FetchOutcome, FetchRequest } from '../../src/fetch/fetcher.ts';
import type { ItemKey } from '../../src/item/item.ts';
import type { State } from '../../src/item/lifecycle.ts';
import type { Delivery } from '../../src/outbox/outbox.ts';
import type { RunRecord } from '../../src/scheduler/run-store.ts';
import type { User } from '../../src/social/social-store.ts';
import type { SourceRecord } from '../../src/sources/source.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { systemClock } from '../../src/time/clock.ts';
import { DAY } from '../../src/time/duration.ts';
import { Points } from '../crash/crash-points.ts';
import { QUICK_FOLDER } from '../crash/in-process-run.ts';
import { newsroomConfig, secretsOf, type Where } from '../crash/newsroom-config.ts';
import { LONG_IDLE_MS, runUntilIdle } from '../crash/run-until-idle.ts';
import { skewedClock } from '../crash/skewed-clock.ts';

const TESTDATA = join(import.meta.dirname, 'testdata');

/** Versions whose data is kept. */
export type EarlierVersion = '0.1' | '0.2';

/** `testdata/<version>/<engine>/world.json`: what the earlier version listed at its end, and the world around it. */
interface EarlierWorld {
  /** When the earlier version ended. */
  readonly at: number;
  /** Tokens of `hana`; the second was revoked. */
  readonly token: string;
  readonly revokedToken: string;
  /** A story that `hana` has hidden. */
  readonly hidden: number;
  /** Calls to the judge on the last day. */
  readonly spent: number;
  readonly pipelines: Readonly<Record<string, EarlierPipeline>>;
  readonly users: readonly (User & {
    readonly following: readonly string[];
    readonly blocked: readonly string[];
    readonly drops: readonly string[];
  })[];
  readonly sources: readonly Pick<SourceRecord, 'sourceId' | 'itemsSeen' | 'lastSuccessAt' | 'memory'>[];
  /** Drops in the home of `ken`. */
  readonly home: readonly string[];
  readonly feeds: Readonly<Record<string, readonly FeedEntry[]>>;
  readonly posted: { readonly discord: readonly Message[]; readonly mastodon: readonly Status[] };
}

export interface EarlierPipeline {
  readonly items: Readonly<Record<ItemKey, ListedItem>>;
  readonly messages: Readonly<Record<string, ListedMessage>>;
  readonly tombstones: number;
  readonly runs: readonly Pick<RunRecord, 'outcome' | 'startedAt' | 'summary'>[];
}

interface ListedItem {
  readonly state: State;
  readonly reason: string;
  readonly attempts: number;
  readonly title: string;
  readonly createdAt: number;
  readonly score: number | null;
}

type ListedMessage = Pick<Delivery, 'destination' | 'state' | 'itemKeys' | 'remoteId' | 'attempts'>;

interface FeedEntry {
  readonly path: string;
  readonly at: number;
}

/** Addresses in the fixture, and the services of the simulator that they lead to. */
const ADDRESSES = [
  ['https://www.youtube.com', 'youtube'],
  ['http://discord.sim', 'discord'],
  ['http://mastodon.sim', 'mastodon'],
  ['http://gemini.sim', 'gemini'],
] as const;
const TEXT = [
  'The TypeScript compiler is twice as fast as it was last year.',
  'The checker was rewritten, and it reports the same errors as before.',
  'Large projects gain most, because they compile all files at once.',
  'Editors react sooner as well, even in very large repositories.',
  'Developers can try the new compiler today with their own projects.',
  'Plugins need a small change, which a guide explains step by step.',
  'The TypeScript team measured hundreds of projects in the last months.',
  'Almost every one of them was faster, and none of them was slower.',
  'The release is planned for spring, after a second round of tests.',
  'Feedback about the compiler is welcome in the usual discussion forum.',
];

/** Every page can be read now, also those that the earlier version could not read. */
const reader: ArticleReader = {
  async read(url) {
    const title = url.split('/').at(-1) ?? '';
    const text = [`About ${title}.`, ...TEXT].join('\n\n');
    const nothing = { canonicalUrl: null, byline: null, publishedAt: null, imageUrl: null };
    return {
      outcome: 'article',
      article: { url, title, text, language: 'en', headings: [], attachments: [], ...nothing },
    };
  },
  warmUp: async () => {},
};

/**
 * The newsroom of an earlier version in a fresh folder or Firestore project, with the world as that version left it. Its
 * addresses have no port of a run: requests are led to the simulator, and the two feeds are answered here.
 */
export class EarlierNewsroom implements AsyncDisposable {
  readonly world: EarlierWorld;
  readonly simulator: Simulator;
  /** With its configuration, and its data where it is in files. */
  readonly folder: string;
  readonly #where: Where;
  readonly #feeds: Record<string, FeedEntry[]>;
  readonly #titles = new Map<string, string>();
  readonly #clock = skewedClock(() => this.#offset);
  #offset: number;

  private constructor(where: Where, world: EarlierWorld, folder: string, simulator: Simulator) {
    this.#where = where;
    this.world = world;
    this.folder = folder;
    this.simulator = simulator;
    this.#feeds = Object.fromEntries(
      Object.entries(world.feeds).map(([name, entries]) => [name, [...entries]]),
    );
    this.#offset = world.at - systemClock.now();
  }

  static async load(where: Where, version: EarlierVersion): Promise<EarlierNewsroom> {
    const testdata = join(TESTDATA, version, where.engine);
    const world = JSON.parse(readFileSync(join(testdata, 'world.json'), 'utf8'));
    let newsroom: EarlierNewsroom | undefined;
    const simulator = await startSimulator({
      clock: { now: () => newsroom?.now() ?? world.at },
      discord: { limits: false },
      mastodon: { limits: false },
      youtube: { videoMs: 30 * DAY },
    });
    const folder = mkdtempSync(join(QUICK_FOLDER, 'kawaraban-upgrade-'));
    newsroom = new EarlierNewsroom(where, world, folder, simulator);
    simulator.discord.restore(world.posted.discord);
    simulator.mastodon.restore(JSON.parse(newsroom.#toSimulator(JSON.stringify(world.posted.mastodon))));
    writeFileSync(join(folder, 'kawaraban.yaml'), configText(where));
    if (where.engine === 'sqlite') restoreFiles(testdata, join(folder, 'data'));
    else await restoreDocuments(testdata, where);
    return newsroom;
  }

  now(): number {
    return this.#clock.now();
  }

  later(ms: number): void {
    this.#offset += ms;
  }

  /** A new article in a feed. */
  publish(feed: string, path: string): void {
    this.#feeds[feed]?.unshift({ path, at: this.now() });
  }

  retitle(path: string, title: string): void {
    this.#titles.set(path, title);
  }

  /** Opens the newsroom with the present version. */
  open(): Promise<App> {
    const { simulator } = this;
    const webhook = simulator.discord.webhookUrl.replace(simulator.urls.discord, 'http://discord.sim');
    const secrets = { ...secretsOf(simulator), WEBHOOK: webhook, GEMINI: simulator.gemini.key };
    const config = newsroomConfig(configText(this.#where), this.folder, secrets);
    return openApp(config, {
      telemetry: silentTelemetry,
      version: '9.9.9',
      clock: this.#clock,
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
      interpose: (infrastructure) => this.#connect(infrastructure),
    });
  }

  /** Runs every pipeline until nothing is left to do now. */
  async run(app: App): Promise<void> {
    await runUntilIdle(app, this.#clock, new Points(), new AbortController().signal, LONG_IDLE_MS);
  }

  #connect({ engine, fetcher }: Infrastructure): Infrastructure {
    const connected: Fetcher = {
      fetch: async (request, signal) => {
        const feed = /^http:\/\/feeds\.sim\/(\w+)\.xml$/.exec(request.url)?.[1];
        if (feed !== undefined) return this.#feed(feed, request);
        const answer = await fetcher.fetch({ ...request, url: this.#toSimulator(request.url) }, signal);
        if (answer.outcome === 'failed') return answer;
        const body = Buffer.from(this.#fromSimulator(Buffer.from(answer.body).toString('utf8')));
        return { ...answer, url: this.#fromSimulator(answer.url), body };
      },
      [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
    };
    return { engine, fetcher: connected, reader };
  }

  #feed(name: string, { url, headers = {} }: FetchRequest): FetchOutcome {
    const entries = this.#feeds[name] ?? [];
    const etag = `"${entries.length}${[...this.#titles.values()].join('')}"`;
    const isFresh = Object.entries(headers).some(
      ([header, value]) => header.toLowerCase() === 'if-none-match' && value === etag,
    );
    const items = entries.map(({ path, at }) => {
      const link = `https://news.example/${path}`;
      const title = this.#titles.get(path) ?? `${path.startsWith('off') ? 'Weather' : 'TypeScript'}: ${path}`;
      return `<item><title>${title}</title><link>${link}</link><guid>${link}</guid><pubDate>${new Date(at).toUTCString()}</pubDate></item>`;
    });
    const channel = `<title>${name}</title><link>https://news.example/</link><description></description>`;
    const text = `<rss version="2.0"><channel>${channel}${items.join('')}</channel></rss>`;
    return {
      outcome: 'response',
      status: isFresh ? 304 : 200,
      headers: { etag, 'content-type': 'application/rss+xml' },
      body: isFresh ? new Uint8Array() : Buffer.from(text),
      url,
      movedTo: null,
      retryAt: null,
    };
  }

  #toSimulator(text: string): string {
    const { urls } = this.simulator;
    return ADDRESSES.reduce((all, [address, service]) => all.replaceAll(address, urls[service]), text);
  }

  #fromSimulator(text: string): string {
    const { urls } = this.simulator;
    return ADDRESSES.reduce((all, [address, service]) => all.replaceAll(urls[service], address), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configText(where: Where): string {
  const text = readFileSync(join(TESTDATA, 'kawaraban.yaml'), 'utf8');
  if (where.engine === 'sqlite') return text;
  const firestore = `{ emulator: "${where.emulator}" }`;
  return `${text}engine: { kind: distributed, project: ${where.project}, firestore: ${firestore} }\ntimelines: { store: memory }\n`;
}

function restoreFiles(testdata: string, folder: string): void {
  mkdirSync(folder);
  for (const file of readdirSync(testdata).filter((name) => name.endsWith('.sql'))) {
    const db = new DatabaseSync(join(folder, file.replace(/sql$/, 'db')));
    db.exec(readFileSync(join(testdata, file), 'utf8'));
    db.close();
  }
}

async function restoreDocuments(
  testdata: string,
  where: Where & { readonly engine: 'firestore' },
): Promise<void> {
  const packed = readFileSync(join(testdata, 'documents.json.gz'));
  const documents = JSON.parse(gunzipSync(packed).toString('utf8')) as Record<string, object>;
  const db = new Firestore({ projectId: where.project, host: where.emulator, ssl: false });
  try {
    const batch = db.batch();
    for (const [path, data] of Object.entries(documents)) batch.set(db.doc(path), decoded(data) as object);
    await batch.commit();
  } finally {
    await db.terminate();
  }
}

/** JSON has neither times nor bytes: they are objects with one field. */
function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== 'object') return value;
  if ('$timestamp' in value) return Timestamp.fromDate(new Date(String(value.$timestamp)));
  if ('$bytes' in value) return Buffer.from(String(value.$bytes), 'base64');
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, decoded(field)]));
}
