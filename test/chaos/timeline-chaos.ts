import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { type Channel, createChannel, createClient, Metadata } from 'nice-grpc';
import { TimelineServiceDefinition } from '../../proto/gen/avion/timeline.ts';
import { type App, openApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { Program } from '../program.ts';
import { type RedisServer, startRedis } from '../redis.ts';
import { seeded } from '../seeded-random.ts';
import { ChaosReader, pause } from './chaos-reader.ts';
import { ExpectedTimelines } from './expected-timelines.ts';

/** `aof`: Redis persists everything. `memory`: a restart of Redis loses everything. `merge`: few authors are fanned out on write. */
export const CHAOS_CONFIGURATIONS = ['aof', 'memory', 'merge'] as const;
export type ChaosConfiguration = (typeof CHAOS_CONFIGURATIONS)[number];

export interface ChaosOptions {
  readonly configuration: ChaosConfiguration;
  readonly seed: number;
  /** How long drops are posted and processes are killed; afterwards everything has to converge. */
  readonly ms: number;
  readonly log: (line: string) => void;
  /** Ends the run and every process that it started. */
  readonly signal?: AbortSignal;
}

export interface ChaosReport {
  readonly configuration: ChaosConfiguration;
  readonly seed: number;
  readonly drops: number;
  readonly deleted: number;
  readonly received: number;
  readonly events: number;
  readonly reconnects: number;
  readonly killed: { readonly redis: number; readonly replicas: number; readonly stopped: number };
  readonly pagesRead: number;
  readonly pagesWrong: number;
  readonly readersWrong: number;
  readonly eventsTwice: number;
  readonly eventsAfterDelete: number;
  readonly receivedLost: number;
  /** Violations found, as text. */
  readonly wrong: readonly string[];
}

const SECRET = 'a secret of quite enough characters for this';
const SERVICE = 'the-replicas-prove-themselves-to-the-services';
const AUTHORS = 6;
const READERS = 8;
const REPLICAS = 2;
/** Cap of the timelines: small, so that pages also continue from the post service. */
const CAP = 200;
const CONVERGE_WITHIN_MS = 120_000;

interface Replica {
  readonly name: string;
  program: Program | null;
  url: string | null;
  grpc: string;
  channel: Channel | null;
}

/**
 * Replicas and Redis are killed while drops are posted, deleted and received, and people follow and
 * unfollow; beside it runs a model of what each timeline should show, with which pages and readers are compared at the end.
 */
export async function runTimelineChaos(options: ChaosOptions): Promise<ChaosReport> {
  const chaos = new TimelineChaos(options);
  try {
    await chaos.open();
    await chaos.act();
    return await chaos.compare();
  } finally {
    await chaos.close();
  }
}

class TimelineChaos {
  readonly #options: ChaosOptions;
  readonly #random: () => number;
  readonly #expected = new ExpectedTimelines();
  readonly #folder = mkdtempSync(join(tmpdir(), 'kawaraban-chaos-'));
  readonly #replicas: Replica[] = [];
  readonly #readers: { readonly person: string; readonly reader: ChaosReader }[] = [];
  readonly #authors: string[] = [];
  readonly #people: string[] = [];
  readonly #wrong: string[] = [];
  readonly #killed = { redis: 0, replicas: 0, stopped: 0 };
  #redis!: RedisServer;
  #redisUp = true;
  #here!: App;
  #serving!: Awaited<ReturnType<App['serve']>>;
  #pagesRead = 0;
  #posted = 0;
  #receivedCount = 0;

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.#random = seeded(options.seed);
  }

  async open(): Promise<void> {
    this.#redis = await startRedis(this.#options.configuration === 'memory' ? [] : ['--appendonly', 'yes']);
    const grpc = '{ enabled: true, port: 0, service_token: { env: SERVICE_TOKEN } }';
    const text = this.#configured('here', grpc, '');
    const loaded = parseConfig(text, join(this.#folder, 'here.yaml'), ENV);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    this.#here = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
    this.#serving = await this.#here.serve();
    for (let n = 0; n < AUTHORS; n++) this.#authors.push(await this.#addPerson(`author${n}`));
    for (let n = 0; n < READERS; n++) this.#people.push(await this.#addPerson(`reader${n}`));
    for (const person of this.#people)
      for (const author of this.#authors) if (this.#random() < 0.7) await this.#follow(person, author);
    for (let n = 0; n < REPLICAS; n++)
      this.#replicas.push({ name: `replica-${n}`, program: null, url: null, grpc: '', channel: null });
    await Promise.all(this.#replicas.map((replica) => this.#start(replica)));
    for (const person of this.#people) await this.#read(person, 'home');
    const [first = ''] = this.#people;
    await this.#read(first, 'local');
    await this.#read(first, 'global');
  }

  /** One action after the other, chosen by the seed; kills happen concurrently. */
  async act(): Promise<void> {
    const end = performance.now() + this.#options.ms;
    const killing = this.#kill(end);
    let loggedAt = performance.now();
    while (performance.now() < end && !this.#options.signal?.aborted) {
      await this.#step();
      await pause(this.#random() * 8);
      if (performance.now() - loggedAt > 30_000) {
        loggedAt = performance.now();
        const left = Math.round((end - loggedAt) / 1000);
        const { redis, replicas, stopped } = this.#killed;
        this.#options.log(
          `${this.#posted} drops, Redis killed ${redis} times, replicas killed ${replicas} and stopped ${stopped} times, ${left} s left`,
        );
      }
    }
    await killing;
    this.#options.signal?.throwIfAborted();
  }

  async compare(): Promise<ChaosReport> {
    const pagesWrong = await this.#untilNoneOf(() => this.#wrongPages());
    const readersWrong = await this.#untilNoneOf(async () => this.#wrongReaders());
    const global = new Set(await this.#walk('global', null).catch(() => []));
    const newest = new Set(this.#expected.timeline('global').slice(0, CAP));
    const lost = [...this.#expected.received.keys()].filter((id) => newest.has(id) && !global.has(id));
    for (const words of [...pagesWrong, ...readersWrong]) this.#wrong.push(words);
    for (const id of lost) this.#wrong.push(`received drop ${id} is not in the global timeline`);
    let events = 0;
    let reconnects = 0;
    const twice: string[] = [];
    const afterDelete: string[] = [];
    for (const { person, reader } of this.#readers) {
      events += reader.events;
      reconnects += reader.reconnects;
      const who = `${reader.timeline} of ${person}`;
      for (const id of reader.wrong.twice) twice.push(`${who} received twice: ${id}`);
      for (const id of reader.wrong.afterDelete) afterDelete.push(`${who} received ${id} after its deletion`);
    }
    return {
      configuration: this.#options.configuration,
      seed: this.#options.seed,
      drops: this.#posted,
      deleted: this.#expected.deleted.size,
      received: this.#receivedCount,
      events,
      reconnects,
      killed: this.#killed,
      pagesRead: this.#pagesRead,
      pagesWrong: pagesWrong.length,
      readersWrong: readersWrong.length,
      eventsTwice: twice.length,
      eventsAfterDelete: afterDelete.length,
      receivedLost: lost.length,
      wrong: [...this.#wrong, ...twice, ...afterDelete],
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map(({ reader }) => reader.stop()));
    for (const { channel, program } of this.#replicas) {
      channel?.close();
      await program?.kill();
    }
    await this.#serving?.[Symbol.asyncDispose]();
    await this.#here?.[Symbol.asyncDispose]();
    await this.#redis?.[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #step(): Promise<void> {
    const chance = this.#random();
    if (chance < 0.62) await this.#post();
    else if (chance < 0.74) await this.#delete();
    else if (chance < 0.84) await this.#receive();
    else if (chance < 0.9) await this.#changeFollow();
    else if (chance < 0.95) this.#pick(this.#readers).reader.disconnect();
    else await this.#readSomePage();
  }

  async #post(): Promise<void> {
    const author = this.#pick(this.#authors);
    const visibility = this.#pick(['public', 'public', 'public', 'followers', 'private'] as const);
    const { drop } = await this.#here.social.post({ userId: author, visibility, text: `${this.#posted}` });
    this.#posted += 1;
    const { id, createdAt } = drop;
    this.#expected.drops.set(id, { id, author, visibility, createdAt });
  }

  async #delete(): Promise<void> {
    // Among the newest, where fan-out may still be under way.
    const newest = [...this.#expected.drops.keys()].slice(-20);
    if (newest.length === 0) return;
    const id = this.#pick(newest);
    await this.#here.social.deleteDrop(id);
    this.#expected.delete(id);
  }

  /** As a server of the fediverse publishes it: on the channel alone. */
  async #receive(): Promise<void> {
    if (!this.#redisUp) return;
    const id = `far-${this.#receivedCount}`;
    const createdAt = Date.now() - Math.floor(this.#random() * 2_000);
    const event = JSON.stringify({ drop_id: id, created_at: createdAt });
    const receivers = await this.#redis.command('PUBLISH', 'ap_drop_received', event).catch(() => 0);
    if (Number(receivers) === 0) return;
    this.#receivedCount += 1;
    this.#expected.received.set(id, createdAt);
    await pause(20);
  }

  async #changeFollow(): Promise<void> {
    const person = this.#pick(this.#people);
    const author = this.#pick(this.#authors);
    if (this.#expected.following(person).has(author)) {
      await this.#here.social.unfollow(person, author);
      this.#expected.unfollow(person, author);
    } else await this.#follow(person, author);
  }

  async #follow(person: string, author: string): Promise<void> {
    await this.#here.social.follow(person, author);
    this.#expected.follow(person, author);
  }

  /** A page during the chaos: in order, without repeats. */
  async #readSomePage(): Promise<void> {
    const name = this.#pick(['local', 'global', ...this.#people]);
    try {
      const { ids } = await this.#page(name, {});
      this.#pagesRead += 1;
      if (new Set(ids).size !== ids.length) this.#wrong.push(`a page of ${name} repeats a drop`);
    } catch {
      // Redis or a replica is down.
    }
  }

  async #kill(end: number): Promise<void> {
    while (performance.now() < end && !this.#options.signal?.aborted) {
      await pause(2_000 + this.#random() * 6_000);
      if (performance.now() >= end) return;
      const chance = this.#random();
      if (chance < 0.35) {
        this.#redisUp = false;
        await pause(100);
        await this.#redis.kill();
        this.#killed.redis += 1;
        await pause(this.#random() * 4_000);
        await this.#redis.start();
        this.#redisUp = true;
      } else {
        const replica = this.#pick(this.#replicas);
        replica.url = null;
        replica.channel?.close();
        replica.channel = null;
        if (chance < 0.8) {
          await replica.program?.kill();
          this.#killed.replicas += 1;
        } else {
          replica.program?.child.kill('SIGTERM');
          await replica.program?.ended;
          this.#killed.stopped += 1;
        }
        await this.#start(replica);
      }
    }
  }

  async #read(person: string, timeline: 'home' | 'local' | 'global'): Promise<void> {
    const reader = new ChaosReader({
      timeline,
      headers: { authorization: `Bearer ${await tokenOf(person)}` },
      replica: () => this.#running()?.url ?? null,
      load: () => this.#page(timeline === 'home' ? person : timeline, {}),
    });
    this.#readers.push({ person, reader });
  }

  #running(): Replica | undefined {
    const running = this.#replicas.filter(({ url }) => url !== null);
    return running.length === 0 ? undefined : this.#pick(running);
  }

  async #page(
    name: string,
    ask: { readonly maxId?: string },
    at?: Replica,
  ): Promise<{ ids: string[]; newer: string; older: string }> {
    const replica = at ?? this.#running();
    if (replica?.channel === null || replica === undefined) throw new Error('No replica is running.');
    const client = createClient(TimelineServiceDefinition, replica.channel);
    const request = { limit: 100, ...ask };
    const options = { metadata: Metadata({ authorization: `Bearer ${SERVICE}` }) };
    const page = await (name === 'local'
      ? client.getLocalTimeline(request, options)
      : name === 'global'
        ? client.getGlobalTimeline(request, options)
        : client.getHomeTimeline({ ...request, userId: name }, options));
    return { ids: [...page.dropIds], newer: page.newerCursor, older: page.olderCursor };
  }

  /** The newest of a timeline over several pages. */
  async #walk(name: string, at: Replica | null): Promise<string[]> {
    const found: string[] = [];
    for (let maxId = ''; found.length < 3 * CAP; ) {
      const { ids, older } = await this.#page(name, maxId === '' ? {} : { maxId }, at ?? undefined);
      this.#pagesRead += 1;
      found.push(...ids);
      if (older === '') return found;
      maxId = older;
    }
    return found;
  }

  async #wrongPages(): Promise<string[]> {
    const wrong: string[] = [];
    for (const replica of this.#replicas)
      for (const name of ['local', 'global', ...this.#people]) {
        const most = name === 'global' ? CAP : 3 * CAP;
        const expected = this.#expected.timeline(name).slice(0, most);
        const found = (await this.#walk(name, replica).catch((error: unknown) => [String(error)])).slice(
          0,
          most,
        );
        if (expected.join() !== found.join())
          wrong.push(`${name} at ${replica.name}: ${difference(expected, found)}`);
      }
    return wrong;
  }

  #wrongReaders(): string[] {
    return this.#readers.flatMap(({ person, reader }) => {
      const name = reader.timeline === 'home' ? person : reader.timeline;
      const expected = this.#expected.timeline(name).slice(0, 50);
      const missing = expected.filter((id) => !reader.shown.has(id));
      const deleted = [...reader.shown].filter((id) => this.#expected.deleted.has(id));
      if (missing.length === 0 && deleted.length === 0) return [];
      const authors = new Set(missing.map((id) => this.#expected.drops.get(id)?.author ?? 'received'));
      return [
        `reader of ${reader.timeline} (${person}): ${missing.length} missing (${missing.slice(0, 3).join(' ')}, authors ${[...authors].join(' ')}), ${deleted.length} deleted ones shown, at ${reader.position}`,
      ];
    });
  }

  async #untilNoneOf(check: () => Promise<string[]>): Promise<string[]> {
    for (const deadline = performance.now() + CONVERGE_WITHIN_MS; ; ) {
      const wrong = await check();
      if (wrong.length === 0 || performance.now() > deadline) return wrong;
      await pause(1_000);
    }
  }

  async #start(replica: Replica): Promise<void> {
    const services = `
  user_service: '${this.#serving.grpc}'
  post_service: '${this.#serving.grpc}'
  service_token: { env: SERVICE_TOKEN }
`;
    const grpc = '{ enabled: true, port: 0, service_token: { env: SERVICE_TOKEN } }';
    const file = `${replica.name}.yaml`;
    writeFileSync(join(this.#folder, file), this.#configured(replica.name, grpc, services));
    const program = new Program(['start', '--json', '--config', file], ENV, this.#folder);
    const [, url = ''] = await program.waitForOutput(/"url": ?"([^"]+)"/);
    const [, address = ''] = await program.waitForOutput(/"grpc": ?"([^"]+)"/);
    replica.program = program;
    replica.channel = createChannel(address);
    replica.url = url;
  }

  #configured(name: string, grpc: string, services: string): string {
    const merge =
      this.#options.configuration === 'merge' ? 'fan_out: { active_only_above: 2, merge_above: 4 }' : '';
    return `
data: ${join(this.#folder, name)}
server:
  port: 0
  stop_within: 2s
  rate_limit: { per_address: 0, per_person: 0 }
  sign_in: { secret: { env: TOKEN_SECRET }, issuer: newsroom, audience: readers }
  grpc: ${grpc}
telemetry: { log_level: error }
timelines:
  redis: { nodes: ['${this.#redis.address}'] }
  cap: ${CAP}
  stream: { drain: 1s }
  ${merge}
${services}`;
  }

  async #addPerson(name: string): Promise<string> {
    return (await this.#here.social.addUser({ name, displayName: name, kind: 'person' })).id;
  }

  #pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random() * of.length)] as T;
  }
}

const ENV = { TOKEN_SECRET: SECRET, SERVICE_TOKEN: SERVICE };

function tokenOf(person: string): Promise<string> {
  return new SignJWT({ scope: 'read write' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('newsroom')
    .setAudience('readers')
    .setSubject(person)
    .setExpirationTime('12h')
    .sign(new TextEncoder().encode(SECRET));
}

function difference(expected: readonly string[], found: readonly string[]): string {
  const missing = expected.filter((id) => !found.includes(id));
  const extra = found.filter((id) => !expected.includes(id));
  const place = expected.findIndex((id, n) => found[n] !== id);
  return `${missing.length} missing (${missing.slice(0, 3).join(' ')}), ${extra.length} too many (${extra.slice(0, 3).join(' ')}), from place ${place} of ${expected.length}`;
}
