import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { sampleConfig } from '../src/config/sample.ts';
import { FirestoreConnection } from '../src/storage/firestore/connection.ts';
import { FirestoreRelay } from '../src/storage/firestore/relay.fixture.ts';
import { silentEvents } from '../src/telemetry/events.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { systemClock } from '../src/time/clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

const never = new AbortController().signal;

function room() {
  const around = { folder: '', simulator: null as Simulator | null, opened: [] as AsyncDisposable[] };
  beforeEach(async () => {
    around.folder = mkdtempSync(join(tmpdir(), 'kawaraban-stories-'));
    around.simulator = await startSimulator();
  });
  afterEach(async () => {
    for (const one of around.opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    await around.simulator?.[Symbol.asyncDispose]();
    rmSync(around.folder, { recursive: true, force: true });
  });
  return {
    get simulator(): Simulator {
      if (around.simulator === null) throw new Error('not started');
      return around.simulator;
    },
    async open(text: string, env: Record<string, string> = {}): Promise<App> {
      const loaded = parseConfig(text, join(around.folder, 'kawaraban.yaml'), env);
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
      const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
      around.opened.push(app);
      return app;
    },
    keep<T extends AsyncDisposable>(one: T): T {
      around.opened.push(one);
      return one;
    },
  };
}

async function best(app: App, timespan: 'Day' | 'Month' | 'Year', set?: string) {
  const desk = app.stories?.sets;
  const found = desk?.find(set);
  if (!desk || !found) throw new Error('no stories');
  const response = await desk.page(found, { timespan, limit: 20 });
  if (response.outcome !== 'page') throw new Error(response.outcome);
  return response.page.stories;
}

describe('the story reader’s recipe on the embedded engine', { timeout: 240_000 }, () => {
  const here = room();
  const recipe = (): string =>
    readFileSync(join(import.meta.dirname, '..', 'recipes', 'stories.yaml'), 'utf8')
      .replace('source: hackernews', `source: hackernews\n  base_url: ${here.simulator.urls.hackernews}/v0`)
      .concat('\nnetwork: { allow: [127.0.0.1] }\n');

  it('E13 E14 syncs what Hacker News has, including deleted and incomplete items, and ranks it', async () => {
    const app = await here.open(recipe());
    const [synced] = (await app.stories?.sync(never)) ?? [];
    expect(synced?.tally?.added).toBeGreaterThan(400);
    const day = await best(app, 'Day');
    expect(day).toHaveLength(20);
    expect(day.map(({ score }) => score)).toEqual(day.map(({ score }) => score).toSorted((a, b) => b - a));
    const { hackernews } = here.simulator;
    for (const { id, title } of day)
      expect(hackernews.item(id, Date.now())?.title?.replace(/\s+/g, ' ').trim()).toBe(title);
    expect(await app.stories?.status()).toMatchObject([
      {
        set: 'hackernews',
        lastRun: { outcome: 'done', counts: { added: synced?.tally?.added } },
        today: { requests: 1 },
      },
    ]);
  });

  it('E13 one worker at a time', async () => {
    const [one, other] = [await here.open(recipe()), await here.open(recipe())];
    const outcomes = await Promise.all([one.stories?.sync(never), other.stories?.sync(never)]);
    const results = outcomes.map((sets) => sets?.[0]?.tally);
    expect(results.filter((result) => result === null)).toHaveLength(1);
    // What one process synced, the other reads at once.
    expect(await best(one, 'Day')).toEqual(await best(other, 'Day'));
  });

  it('E10 a person’s page over HTTP has what another process wrote a moment ago', async () => {
    const [serving, working] = [await here.open(recipe()), await here.open(recipe())];
    await working.stories?.sync(never);
    const server = await serving.serve(0);
    try {
      const read = async (): Promise<{ stories: unknown[] }> => {
        const response = await fetch(`${server.url}/api/v1/stories?timespan=Month&limit=3`);
        return (await response.json()) as { stories: unknown[] };
      };
      expect((await read()).stories).toHaveLength(3);
      const [set] = working.stories?.sets.sets ?? [];
      const story = { by: 'x', descendants: 0, kids: [], title: 'Breaking', url: '', updated: 0 };
      await set?.store.upsert([{ story: { ...story, id: 1, score: 1_000_000, time: Date.now() } }]);
      expect((await read()).stories[0]).toMatchObject({ title: 'Breaking' });
      expect((await fetch(`${server.url}/api/v1/hidden`)).status).toBe(401);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });

  it('a backfill adds older stories', async () => {
    const app = await here.open(recipe());
    const to = here.simulator.hackernews.maxItem(Date.now()) - 20_000;
    const result = await app.stories?.backfill({ from: to - 400, to }, never, () => {});
    expect(result).toMatchObject({ outcome: 'done', next: to + 1 });
    expect((await best(app, 'Month')).length).toBe(20);
  });
});

describe('what the judge scored', { timeout: 240_000 }, () => {
  const here = room();

  async function scored(extra: string): Promise<App> {
    const sample = sampleConfig(here.simulator.urls, {
      SAMPLE_DISCORD_WEBHOOK: here.simulator.discord.webhookUrl,
      SAMPLE_MASTODON_TOKEN: here.simulator.mastodon.token,
    });
    const app = await here.open(`${sample.text.replace(/^stories:\n(?: .*\n?)*/m, '')}\n${extra}`, {
      ...sample.env,
    });
    await app.pipelines.get('morning')?.run(never);
    return app;
  }

  async function sameLists(app: App): Promise<void> {
    const synced = await app.stories?.sync(never);
    expect(synced?.find(({ set }) => set === 'morning')?.tally?.added).toBeGreaterThan(10);
    const day = await best(app, 'Month', 'morning');
    const items = await app.pipelines.get('morning')?.ledger.list({ limit: 100 });
    const scores = (items?.items ?? []).flatMap(({ verdict }) => verdict?.score ?? []);
    expect(day[0]?.score).toBe(Math.max(...scores));
    expect(day.map(({ score }) => score)).toEqual(day.map(({ score }) => score).toSorted((a, b) => b - a));
    for (const { id, title, url } of day) {
      expect(Number.isSafeInteger(id)).toBe(true);
      expect(items?.items.find((item) => item.url === url)?.title ?? title).toBe(title);
    }
    // A second run finds nothing to change.
    const before = await best(app, 'Year', 'morning');
    await app.stories?.sync(never);
    expect(await best(app, 'Year', 'morning')).toEqual(before);
    await app.stories?.sets.hide('ann', [before[0]?.id ?? 0]);
    const set = app.stories?.sets.find('morning');
    if (!set) throw new Error('no set');
    const page = await app.stories?.sets.page(set, { timespan: 'Year', limit: 5, username: 'ann' });
    expect(page?.outcome === 'page' && page.page.stories[0]?.id).toBe(before[1]?.id);
  }

  it('E15 makes the same lists over one’s own feeds, beside Hacker News', async () => {
    const url = `${here.simulator.urls.hackernews}/v0`;
    const app = await scored(`stories: { enabled: true, source: both, base_url: '${url}' }`);
    await sameLists(app);
    expect(app.stories?.sets.sets.map(({ name }) => name)).toContain('hackernews');
    expect(await best(app, 'Day', 'hackernews')).toHaveLength(20);
  });

  requires('gcloud')('on the distributed engine', () => {
    const emulator = emulatorForThisFile('firestore');
    it('E15 makes the same lists', async () => {
      const app = await scored(`engine:
  kind: distributed
  project: ${freshProject()}
  firestore: { emulator: '${emulator.host}' }
stories: { enabled: true, source: verdicts, environment: ci }`);
      await sameLists(app);
      const [status] = (await app.stories?.status()) ?? [];
      expect(status?.lastRun?.counts.reads).toBeGreaterThan(0);
      expect(status?.today.requests).toBeGreaterThan(3);
    });

    it('E1 E2 E3 E4 E7 E8 E9 E11 the documents of the contract are written, and a cold start reads one list', async () => {
      const project = freshProject();
      const relay = here.keep(await new FirestoreRelay(emulator.host).start());
      const connection = here.keep(
        new FirestoreConnection({
          project,
          emulator: emulator.host,
          clock: systemClock,
          events: silentEvents,
        }),
      );
      const text = `
engine: { kind: distributed, project: ${project}, firestore: { emulator: '${relay.address}' } }
timelines: { store: memory }
network: { allow: ['127.0.0.1'] }
sources: {}
pipelines: {}
stories: { enabled: true, source: hackernews, environment: staging, base_url: '${here.simulator.urls.hackernews}/v0' }`;
      const app = await here.open(text);
      await app.stories?.sync(never);
      const year = await best(app, 'Year');
      const [first, second] = year;
      const [set] = app.stories?.sets.sets ?? [];
      if (!first || !second || !set) throw new Error('no stories');
      const story = await connection.get(['staging-stories', String(first.id).padStart(10, '0')]);
      expect(Object.keys(story.data() ?? {})).toEqual(
        expect.arrayContaining([
          'by',
          'descendants',
          'id',
          'kids',
          'score',
          'time',
          'title',
          'url',
          'updated',
        ]),
      );
      expect(story.data()).toMatchObject({ id: first.id, score: first.score, title: first.title });
      expect(story.get('time').toMillis()).toBe(first.time);
      await app.stories?.sets.hide('ann', [first.id]);
      await app.stories?.sets.hide('ann', [first.id]);
      const hidden = await connection.get(['staging-users/ann/hidden', String(first.id)]);
      expect(hidden.data()).toEqual({ addedAt: expect.any(Number) });
      expect((await connection.get(['staging-users', 'ann'])).data()).toEqual({});
      const page = await app.stories?.sets.page(set, { timespan: 'Year', limit: 1, username: 'ann' });
      expect(page?.outcome === 'page' && page.page.stories[0]?.id).toBe(second.id);
      const cache = await connection.get(['staging-cache', 'Year']);
      expect(cache.get('stories')[0]).toEqual(first);
      expect(cache.get('cachedAt')).toBeGreaterThan(0);

      const cold = await here.open(text);
      relay.calls.clear();
      expect(await best(cold, 'Year')).toEqual(year);
      expect([...relay.calls]).toEqual([['BatchGetDocuments', 1]]);
    });
  });
});
