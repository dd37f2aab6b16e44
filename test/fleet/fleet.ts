import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import type { MadeFeed, MadeItem } from '../../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { writeArticle } from '../../simulator/texts/article.ts';
import { CHANNELS } from '../../simulator/youtube/video.ts';
import { DAY, formatDuration } from '../../src/time/duration.ts';
import { type Emulator, type EmulatorKind, startEmulator } from '../emulators.ts';
import { Program } from '../program.ts';
import { type RedisServer, startRedis } from '../redis.ts';

export interface FleetOptions {
  /** Items in all, shared among the three pipelines. */
  readonly items: number;
  /** How many replicas of each role; two by default. */
  readonly replicas?: Readonly<Partial<Record<Role, number>>>;
  /** Emulators that run already; without them the fleet starts its own. */
  readonly emulators?: { readonly firestore: string; readonly pubsub: string };
  /** After this long another worker claims the video of one that was killed. */
  readonly lease?: string;
  readonly log: (line: string) => void;
}

/** How many items each pipeline gets. */
export interface Shares {
  readonly curated: number;
  readonly summarised: number;
  /** New videos appear over time, so there are a few more in the end. */
  readonly videos: number;
}

/** Seven in ten are curated, one in four is a video. One in twenty is summarised, since that takes one step of one item at a time. */
export function sharesOf(items: number): Shares {
  const summarised = Math.max(1, Math.round(items / 20));
  const videos = Math.max(1, Math.round(items / 4 / CHANNELS.length)) * CHANNELS.length;
  return { curated: Math.max(1, items - summarised - videos), summarised, videos };
}

const MAX_FEED_ITEMS = 200;
/** So far back that few videos appear during the trial. */
const LOOK_BACK = DAY;

const ROLES = ['web', 'timeline', 'worker', 'scheduler'] as const;
export type Role = (typeof ROLES)[number];
/** Not a secret: this newsroom lives for minutes, on loopback. */
const TOKEN = 'the-token-of-a-fleet-that-lives-for-minutes';

/** A replica with its place in the fleet; it is restarted under the same name. */
export interface Replica {
  readonly name: string;
  readonly role: Role | 'people';
  program: Program | null;
  url: string | null;
  starts: number;
}

/**
 * A whole newsroom as a company runs it, on one machine: Firestore and Pub/Sub (emulators), Redis, a simulated internet, one replica
 * that stores people and drops, and replicas of each role, each a process of its own.
 */
export class Fleet implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly replicas: readonly Replica[];
  readonly config: string;
  readonly shares: Shares;
  readonly #feeds: readonly MadeSource[];
  readonly #published = { curated: 0, summarised: 0 };
  readonly #folder: string;
  readonly #parts: readonly AsyncDisposable[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #peopleAt: string;

  private constructor(
    parts: { simulator: Simulator; firestore: Emulator; pubsub: Emulator; redis: RedisServer },
    folder: string,
    peopleAt: string,
    options: FleetOptions,
  ) {
    const { simulator, firestore, pubsub, redis } = parts;
    this.simulator = simulator;
    this.#parts = [redis, pubsub, firestore, simulator];
    this.#folder = folder;
    this.#peopleAt = peopleAt;
    this.shares = sharesOf(options.items);
    this.#feeds = (['curated', 'summarised'] as const).flatMap((pipeline) =>
      Array.from({ length: Math.ceil(this.shares[pipeline] / MAX_FEED_ITEMS) }, (_, n) => {
        const id = `${pipeline}-${n + 1}`;
        return { id, pipeline, feed: simulator.feeds.create({ id }) };
      }),
    );
    this.config = join(folder, 'kawaraban.yaml');
    writeFileSync(
      this.config,
      configOf({
        simulator,
        firestore: firestore.host,
        pubsub: pubsub.host,
        redis: redis.address,
        feeds: this.#feeds,
        lease: options.lease ?? '15s',
      }),
    );
    this.#env = {
      BOT: simulator.discord.botToken,
      MASTODON: simulator.mastodon.token,
      YOUTUBE: simulator.youtube.key,
      TOKEN,
      METADATA_SERVER_DETECTION: 'none',
      KAWARABAN_PORT: '0',
      KAWARABAN_LOG_LEVEL: 'warn',
      // As `npm start` does: a restarted replica reuses the compile cache.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    };
    const replica = (role: Replica['role'], n: number): Replica => ({
      name: `${role}-${n}`,
      role,
      program: null,
      url: null,
      starts: 0,
    });
    const replicasOf = (role: Role): Replica[] =>
      Array.from({ length: options.replicas?.[role] ?? 2 }, (_, n) => replica(role, n + 1));
    this.replicas = [replica('people', 1), ...ROLES.flatMap(replicasOf)];
  }

  static async open(options: FleetOptions): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-fleet-'));
    const { videos } = sharesOf(options.items);
    options.log('Starting Firestore, Pub/Sub, Redis and the simulated internet …');
    const [firestore, pubsub, redis, simulator] = await Promise.all([
      emulatorFor('firestore', options),
      emulatorFor('pubsub', options),
      startRedis(),
      startSimulator({
        discord: { limits: false },
        mastodon: { limits: false },
        youtube: { videoMs: Math.floor((LOOK_BACK * CHANNELS.length) / videos), quota: 1_000_000 },
      }),
    ]);
    const fleet = new Fleet(
      { simulator, firestore, pubsub, redis },
      folder,
      `127.0.0.1:${await freePort()}`,
      options,
    );
    try {
      options.log('Starting the replicas of each role …');
      // All other replicas call the one that stores people and drops.
      await fleet.start(fleet.replicas[0] as Replica);
      await Promise.all(fleet.replicas.slice(1).map((replica) => fleet.start(replica)));
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  async start(replica: Replica): Promise<void> {
    replica.starts++;
    const data = join(this.#folder, replica.name);
    mkdirSync(data, { recursive: true });
    const people = replica.role === 'people';
    const program = new Program(
      ['start', '--role', people ? 'timeline' : replica.role, '--config', this.config, '--json'],
      {
        ...this.#env,
        KAWARABAN_DATA: data,
        KAWARABAN_GRPC_PORT: people ? (this.#peopleAt.split(':')[1] ?? '0') : '0',
        ...(!people && { KAWARABAN_USER_SERVICE: this.#peopleAt, KAWARABAN_POST_SERVICE: this.#peopleAt }),
      },
      this.#folder,
    );
    replica.program = program;
    const [, url] = await program.waitForOutput(/"url":"([^"]+)"/).catch((cause: unknown) => {
      throw new Error(`${replica.name} did not start: ${program.err.slice(-2000)}`, { cause });
    });
    replica.url = url ?? null;
  }

  /** As `kill -9`. */
  async kill(replica: Replica): Promise<void> {
    await replica.program?.kill();
    replica.program = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.replicas) await this.kill(replica);
    for (const part of this.#parts) await part[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Lower bound of the number of videos: they appear over time, and the newest of a channel may not be over yet. */
  get minVideos(): number {
    return this.shares.videos - CHANNELS.length;
  }

  /** Lower bound of the number of items that can be admitted by now. */
  get published(): number {
    return this.#published.curated + this.#published.summarised + this.minVideos;
  }

  /** Publishes this fraction of the articles in the feeds. Videos appear over time. */
  publish(part: number): void {
    for (const pipeline of ['curated', 'summarised'] as const) {
      const feeds = this.#feeds.filter((each) => each.pipeline === pipeline);
      const upTo = Math.round(this.shares[pipeline] * Math.min(1, part));
      for (let nth = this.#published[pipeline] + 1; nth <= upTo; nth++)
        feeds[nth % feeds.length]?.feed.publish(articleOf(pipeline, nth));
      this.#published[pipeline] = upTo;
    }
  }
}

interface MadeSource {
  readonly id: string;
  readonly pipeline: 'curated' | 'summarised';
  readonly feed: MadeFeed;
}

/** One in ten is about what the curator likes. */
function articleOf(pipeline: MadeSource['pipeline'], nth: number): MadeItem {
  const liked = pipeline === 'summarised' || nth % 10 === 0;
  const { paragraphs, background } = writeArticle('en', liked ? 'typescript' : 'cooking', pipeline, nth);
  const first = liked ? 'The TypeScript compiler got faster again.' : 'It simmers.';
  return {
    title: `${liked ? 'TypeScript compiler' : 'A stew'}, part ${nth} of ${pipeline}`,
    text: [first, ...paragraphs, ...background],
  };
}

function configOf(parts: {
  simulator: Simulator;
  firestore: string;
  pubsub: string;
  redis: string;
  feeds: readonly MadeSource[];
  lease: string;
}): string {
  const { simulator, firestore, pubsub, redis, feeds, lease } = parts;
  const { urls, discord } = simulator;
  const everything = { newest: 1000 };
  const lookBack = formatDuration(LOOK_BACK);
  const channels = CHANNELS.map(({ handle }, n) => ({ id: `channel-${n + 1}`, handle }));
  const sourcesOf = (pipeline: string): string[] =>
    feeds.filter((each) => each.pipeline === pipeline).map(({ id }) => id);
  return JSON.stringify({
    engine: {
      kind: 'distributed',
      project: `demo-fleet-${randomUUID()}`,
      firestore: { emulator: firestore },
      pubsub: { emulator: pubsub },
      redis: { nodes: [redis] },
    },
    network: { allow: ['127.0.0.1'], host_spacing: '0s', requests_per_host: 8 },
    server: { host: '127.0.0.1', grpc: { enabled: true, service_token: { env: 'TOKEN' } } },
    timelines: { service_token: { env: 'TOKEN' }, stream: { drain: '0s' } },
    identity: { same_story: { enabled: false } },
    sources: {
      ...Object.fromEntries(
        feeds.map(({ id, feed }) => [id, { feed: feed.url, every: '2s', first_contact: everything }]),
      ),
      ...Object.fromEntries(
        channels.map(({ id, handle }) => [
          id,
          {
            youtube: handle,
            key: { env: 'YOUTUBE' },
            base_url: urls.youtube,
            look_back: lookBack,
            every: '2s',
          },
        ]),
      ),
    },
    publishers: {
      discord: {
        kind: 'discord-bot',
        token: { env: 'BOT' },
        channel: discord.channels.newsroom,
        base_url: urls.discord,
      },
      mastodon: { kind: 'mastodon', instance: urls.mastodon, token: { env: 'MASTODON' } },
    },
    pipelines: {
      curated: {
        kind: 'curate',
        sources: sourcesOf('curated'),
        every: '3s',
        interests: [{ topic: 'TypeScript', aliases: ['compiler'], priority: 'high' }],
        min_relevance_score: 40,
        min_articles: 1,
        max_articles: 10,
        max_judged_per_run: 2000,
        first_contact: everything,
        publish: ['discord', 'timeline'],
      },
      summarised: {
        kind: 'summarise',
        sources: sourcesOf('summarised'),
        every: '2s',
        language: 'en',
        max_per_run: 100,
        first_contact: everything,
        publish: ['mastodon', 'timeline'],
      },
      videos: {
        kind: 'process',
        sources: channels.map(({ id }) => id),
        every: '5s',
        look_back: lookBack,
        queue: 'pubsub',
        // Long enough to be killed in the middle.
        processor: { command: ['sleep', '1'], concurrency: 4 },
        lease,
        retry_limit: 50,
        backoff: { first: '1s', factor: 1, most: '1s' },
      },
    },
  });
}

async function emulatorFor(kind: EmulatorKind, { emulators }: FleetOptions): Promise<Emulator> {
  if (emulators === undefined) return startEmulator(kind);
  return { host: emulators[kind], [Symbol.asyncDispose]: async () => {} };
}
