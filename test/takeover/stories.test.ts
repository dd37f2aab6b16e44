import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { type Clock, systemClock } from '../../src/time/clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/time/duration.ts';
import { emulatorForThisFile, freshProject } from '../emulators.ts';
import { Program } from '../program.ts';
import { requires } from '../requirements.ts';
import { FirestoreRest } from './firestore-rest.ts';
import {
  ORIGINAL_TIMESPANS,
  type OriginalStory,
  OriginalStoryReader,
  type OriginalTimespan,
} from './original-story-reader.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const never = new AbortController().signal;
const PERSON = 'dang';
/** Interval of new items on Hacker News; an ID is the time in such steps. */
const ITEM_MS = 30 * SECOND;
const MAX_LIST_LENGTH = 2000;

/** `NODE_ENV` and its prefix of the collections; the first one has a longer test. */
const ENVIRONMENTS = [
  ['production', 'prod-'],
  ['staging', 'staging-'],
  ['ci', 'ci-'],
  ['development', 'dev-'],
] as const;

let folder: string;
let simulator: Simulator;
let later: number;
const opened: AsyncDisposable[] = [];
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + later,
  // Never negative, however far `later` goes back.
  monotonic: () => systemClock.monotonic() + later + DAY,
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-takeover-stories-'));
  // The runs lead up to the present, in which another process takes part.
  later = -3 * HOUR;
  simulator = await startSimulator({ clock, hackernews: { itemMs: ITEM_MS } });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function writeConfig(engine: unknown): string {
  const text = JSON.stringify({
    ...(engine !== null && { engine, timelines: { store: 'memory' } }),
    data: './data',
    server: { port: 0 },
    network: { allow: ['127.0.0.1'], host_spacing: '0s' },
    sources: {},
    pipelines: {},
    stories: { enabled: true, base_url: `${simulator.urls.hackernews}/v0` },
  });
  writeFileSync(join(folder, 'kawaraban.yaml'), text);
  return text;
}

async function open(engine: unknown): Promise<App> {
  const loaded = parseConfig(writeConfig(engine), join(folder, 'kawaraban.yaml'), {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const app = await openApp(loaded.config, {
    telemetry: silentTelemetry,
    version: '0',
    clock,
    passwordCost: { n: 2 ** 12, r: 8, p: 1 },
  });
  opened.push(app);
  return app;
}

interface Page {
  readonly stories: readonly OriginalStory[];
}

/** The HTTP API of a running program, as a guest and as a user who signs in with the name from Hacker News. */
class Api {
  readonly #url: string;
  #headers: Readonly<Record<string, string>> = {};

  private constructor(url: string) {
    this.#url = url;
  }

  static async of(app: App): Promise<Api> {
    const server = await app.serve(0);
    opened.push(server);
    return new Api(server.url);
  }

  async signUp(app: App): Promise<this> {
    const link = await app.auth.accounts.ownerLink();
    const body = { link: link?.token, name: PERSON, password: 'a long enough password' };
    return this.#enter('/welcome', body);
  }

  signIn(): Promise<this> {
    return this.#enter('/session', { name: PERSON, password: 'a long enough password' });
  }

  async #enter(path: string, body: unknown): Promise<this> {
    const response = await this.#send('POST', path, body);
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { csrfToken } = (await response.json()) as { csrfToken: string };
    this.#headers = { cookie, 'x-csrf-token': csrfToken };
    return this;
  }

  async list(timespan: OriginalTimespan): Promise<readonly OriginalStory[]> {
    const response = await this.#send('GET', `/stories?timespan=${timespan}&limit=500`);
    return ((await response.json()) as Page).stories;
  }

  async hidden(): Promise<Map<number, number>> {
    const { hidden } = (await (await this.#send('GET', '/hidden')).json()) as {
      hidden: { id: number; addedAt: number }[];
    };
    return new Map(hidden.map(({ id, addedAt }) => [id, addedAt]));
  }

  async hide(...ids: number[]): Promise<void> {
    await this.#send('POST', '/hidden', ids.length === 1 ? { id: ids[0] } : { ids });
  }

  async unhide(id: number): Promise<void> {
    await this.#send('DELETE', `/hidden/${id}`);
  }

  async #send(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}

requires('gcloud')('the original story reader’s data on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');

  /** IDs of stories around a moment that Hacker News has in full, the newest first. */
  function storiesBefore(moment: number, count: number): number[] {
    const found: number[] = [];
    for (let id = Math.floor(moment / ITEM_MS); found.length < count; id--) {
      const item = simulator.hackernews.item(id, moment);
      if (
        item?.type === 'story' &&
        !item.dead &&
        item.title &&
        item.by &&
        item.time &&
        item.score !== undefined
      )
        found.push(id);
    }
    return found;
  }

  /** A story document as the original's worker wrote it when it synced last. */
  async function writeStory(rest: FirestoreRest, prefix: string, id: number, syncedAt: number) {
    const item = simulator.hackernews.item(id, syncedAt);
    if (item === null || item === undefined) throw new Error(`no item ${id}`);
    const { by, descendants = 0, kids, score, time = 0, title, url } = item;
    const data = {
      by,
      descendants,
      id,
      // In each form that the original leaves: absent, empty, filled.
      ...(id % 3 !== 0 && { kids: id % 3 === 1 ? [] : kids }),
      score,
      time: new Date(time * SECOND),
      title,
      ...(url === undefined ? id % 2 === 0 && { url: '' } : { url }),
      updated: new Date(syncedAt),
    };
    await rest.set(`${prefix}stories`, String(id).padStart(10, '0'), data);
    const cached = { by, descendants, id, score, time: time * SECOND, title, url: url ?? '' };
    return cached as OriginalStory;
  }

  /** Everything that the original left, as of `later`. */
  async function writeOriginals(rest: FirestoreRest, prefix: string, yearSize: number) {
    const now = clock.now();
    const write = (moment: number, count: number, syncedAt: number): Promise<OriginalStory[]> =>
      Promise.all(storiesBefore(moment, count).map((id) => writeStory(rest, prefix, id, syncedAt)));
    const fresh = await write(now - 20 * MINUTE, 4, now - 15 * MINUTE);
    const stale = await write(now - 5 * HOUR, 4, now - 2 * HOUR);
    const week = await write(now - 3 * DAY, 3, now - 7 * HOUR);
    const month = await write(now - 20 * DAY, 3, now - 50 * HOUR);
    const year = await write(now - 100 * DAY, 3, now - 60 * DAY);
    const all = await write(now - 800 * DAY, 3, now - 700 * DAY);
    const cache = (timespan: OriginalTimespan, stories: readonly OriginalStory[], age: number) =>
      rest.set(`${prefix}cache`, timespan, {
        stories: stories.toSorted((a, b) => b.score - a.score || b.id - a.id),
        cachedAt: now - age,
      });
    // The day's list lacks the newest stories, the week's was ranked a day ago, the month's has outlived its time.
    await cache('Day', stale, 10 * MINUTE);
    await cache('Week', week, DAY);
    await cache(
      'Month',
      [...week, ...month].map((one) => ({ ...one, score: 1 })),
      8 * DAY,
    );
    const many = Array.from({ length: yearSize }, (_, n) => ({
      ...(year[0] ?? expect.fail('no story')),
      id: 1000 + n,
      score: yearSize - n,
      title: `Story ${n} of the year`,
    }));
    await cache('Year', many, 5 * DAY);
    // The user document is there for one, and missing for another.
    await rest.set(`${prefix}users`, PERSON, {});
    const hidden = [stale[0]?.id ?? 0, week[0]?.id ?? 0, 1001];
    for (const id of hidden) {
      await rest.set(`${prefix}users/${PERSON}/hidden`, String(id), { addedAt: now - 9 * DAY + id });
      await rest.set(`${prefix}users/pg/hidden`, String(id), { addedAt: now - 9 * DAY + id });
    }
    return { fresh, stale, week, month, year, all, hidden };
  }

  const engineOf = (project: string) => ({
    kind: 'distributed',
    project,
    firestore: { emulator: emulator.host },
  });

  /** IDs that were requested from Hacker News. */
  function requestedIds(): number[] {
    return simulator.journal
      .entries('hackernews')
      .flatMap(({ path }) => /^\/v0\/item\/(\d+)\.json$/.exec(path)?.[1] ?? [])
      .map(Number);
  }

  /** Context of a test of one environment. */
  async function takeOver(environment: string, prefix: string, yearSize: number) {
    vi.stubEnv('NODE_ENV', environment);
    const project = freshProject();
    const rest = new FirestoreRest(emulator.host, project);
    const left = await writeOriginals(rest, prefix, yearSize);
    const original = new OriginalStoryReader(rest, prefix, () => clock.now());
    const sameAsOriginal = async (api: Api, username?: string): Promise<void> => {
      for (const timespan of ORIGINAL_TIMESPANS)
        expect(await api.list(timespan), `${timespan} of ${username ?? 'a guest'}`).toEqual(
          await original.getStories(timespan, username),
        );
    };
    const app = await open(engineOf(project));
    return { rest, project, left, original, sameAsOriginal, app };
  }

  it('X22 E1 E2 E3 E4 E7 E8 E13 lists, hides and syncs as the original would, run after run', async () => {
    const [environment, prefix] = ENVIRONMENTS[0];
    const here = await takeOver(environment, prefix, MAX_LIST_LENGTH);
    const { rest, project, left, original, sameAsOriginal, app: first } = here;
    const guest = await Api.of(first);
    await sameAsOriginal(guest);
    // Its own stories, and the day's at once.
    expect(new Set((await guest.list('Week')).map(({ id }) => id))).toEqual(
      new Set([...left.week, ...left.stale].map(({ id }) => id)),
    );
    const person = await (await Api.of(first)).signUp(first);
    expect(await person.hidden()).toEqual(await original.hidden(PERSON));
    await sameAsOriginal(person, PERSON);

    // The worker continues from the newest known ID, and refreshes only what is stale.
    const latest = await original.latestId();
    expect(latest).toBe(left.fresh[0]?.id);
    await first.stories?.sync(never);
    const requested = requestedIds();
    const stale = [...left.stale, ...left.week, ...left.month].map(({ id }) => id);
    expect(requested.filter((id) => id <= latest).toSorted()).toEqual(stale.toSorted());
    expect(requested.filter((id) => id > latest)).not.toEqual([]);
    expect(await original.latestId()).toBeGreaterThan(latest);
    await sameAsOriginal(guest);

    // Hiding twice keeps the time of the first, and what the original hid can be unhidden.
    const top = (await person.list('Day'))[0]?.id ?? 0;
    const before = await original.hidden(PERSON);
    const hidingAt = clock.now();
    await person.hide(top);
    const hiddenAt = (await original.hidden(PERSON)).get(top) ?? 0;
    expect(hiddenAt).toBeGreaterThanOrEqual(hidingAt);
    later += 5 * MINUTE;
    await person.hide(top, ...left.hidden);
    expect(await original.hidden(PERSON)).toEqual(new Map([...before, [top, hiddenAt]]));
    await person.unhide(left.hidden[0] ?? 0);
    expect((await original.hidden(PERSON)).has(left.hidden[0] ?? 0)).toBe(false);
    await sameAsOriginal(person, PERSON);
    expect((await rest.get(`${prefix}users`, PERSON))?.data).toEqual({});

    // Hours later, with new stories; then after a restart.
    later = -HOUR;
    await first.stories?.sync(never);
    await sameAsOriginal(guest);
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    later = 0;
    const second = await open(engineOf(project));
    await second.stories?.sync(never);
    await sameAsOriginal(await Api.of(second));
    await sameAsOriginal(await (await Api.of(second)).signIn(), PERSON);

    // Stories that need no refresh are as the original left them.
    const stories = new Map((await original.stories()).map((one) => [one.id, one]));
    for (const one of [...left.year, ...left.all]) expect(stories.get(one.id)).toEqual(one);
    expect(await original.hidden('pg')).toEqual(new Map(left.hidden.map((id) => [id, expect.any(Number)])));
  });

  it.each(ENVIRONMENTS.slice(1))(
    'X22 E1 E3 E8 E13 NODE_ENV %s continues in its own collections, and leaves the others alone',
    async (environment, prefix) => {
      const { rest, left, original, sameAsOriginal, app } = await takeOver(environment, prefix, 20);
      const other = ENVIRONMENTS[0][1];
      await rest.set(`${other}stories`, '0000000001', { id: 1 });
      await app.stories?.sync(never);
      expect(await original.latestId()).toBeGreaterThan(left.fresh[0]?.id ?? 0);
      const person = await (await Api.of(app)).signUp(app);
      await sameAsOriginal(person, PERSON);
      expect(await rest.list(`${other}stories`)).toMatchObject([{ id: '0000000001', data: { id: 1 } }]);
      expect(await rest.list(`${other}cache`)).toEqual([]);
    },
  );

  it('X22 E1 E8 the command line lists what the original left, by NODE_ENV', async () => {
    later = 0;
    const project = freshProject();
    const rest = new FirestoreRest(emulator.host, project);
    await writeOriginals(rest, 'staging-', 20);
    const original = new OriginalStoryReader(rest, 'staging-', () => clock.now());
    writeConfig(engineOf(project));
    for (const timespan of ['Day', 'Week'] as const) {
      const env = { NODE_ENV: 'staging', METADATA_SERVER_DETECTION: 'none' };
      const result = await new Program(['stories', 'list', timespan, '--limit', '500', '--json'], env, folder)
        .ended;
      expect(result.code, result.err).toBe(0);
      expect((JSON.parse(result.out) as Page).stories).toEqual(await original.getStories(timespan));
    }
  });
});

describe('the same on the embedded engine', () => {
  it('E3 E7 E13 hiding twice keeps the time of the first, can be undone, and survives a restart', async () => {
    const first = await open(null);
    await first.stories?.sync(never);
    const person = await (await Api.of(first)).signUp(first);
    const [top, next] = await person.list('Week');
    await person.hide(top?.id ?? 0);
    const hidden = await person.hidden();
    later += 5 * MINUTE;
    await person.hide(top?.id ?? 0, next?.id ?? 0);
    expect(await person.hidden()).toEqual(new Map([...hidden, [next?.id, expect.any(Number)]]));
    await person.unhide(next?.id ?? 0);
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    const second = await open(null);
    const again = await (await Api.of(second)).signIn();
    expect(await again.hidden()).toEqual(hidden);
    expect((await again.list('Week'))[0]?.id).toBe(next?.id);
    later += HOUR;
    const [synced] = (await second.stories?.sync(never)) ?? [];
    expect(synced?.tally?.added).toBeGreaterThan(0);
    expect((await again.list('Week')).some(({ id }) => id === top?.id)).toBe(false);
  });
});
