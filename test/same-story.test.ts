import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { ItemKey } from '../src/item/item.ts';
import { StoryGroups } from '../src/same-story/same-story.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { HOUR, MINUTE } from '../src/time/duration.ts';
import { newsroomConfig, quickReader } from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';
import { StreamReader } from './stream-reader.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const POLL = { interval: 50, timeout: 30_000 };
const QUAKE = 'Strong earthquake of magnitude 6.8 shakes northern Honshu, no tsunami expected';
const SENATE = 'Senate of Brightwater passes the budget for 2027 after a night of talks';

/** Titles about one event, of which the rules are in doubt; which of them depends on how the rules are tuned. */
const SIMILAR = [
  ['Larkfield council approves new tram line', 'New tram line for Larkfield wins approval of councillors'],
  ['Oakvale dam closed after crack is found', 'Crack found in Oakvale dam, engineers close it'],
  ['Northport airport halts flights over volcanic ash', 'Volcanic ash grounds planes at Northport airport'],
  ['Brightwater museum returns stolen bronze statue', 'Stolen bronze handed back by Brightwater museum'],
  ['Harbour ferry runs aground near Larkfield', 'Larkfield ferry hits rocks in harbour'],
  ['Cheaper trains for students from May', 'Students to pay less for trains from May on'],
  [
    'Larkfield election website knocked offline by cyberattack',
    'Larkfield election results page hit by cyberattack',
  ],
  ['Harbour ferry runs aground near Larkfield, 40 rescued', 'Forty saved as Larkfield ferry hits rocks'],
] as const;

function pairInDoubt(): readonly [string, string] {
  const found = SIMILAR.find(([one, other]) => {
    const groups = new StoryGroups();
    groups.add({ key: 'one' as ItemKey, title: one, publishedAt: 0 });
    return groups.add({ key: 'other' as ItemKey, title: other, publishedAt: 0 }).doubts.length > 0;
  });
  if (found === undefined) throw new Error('None of the pairs is in doubt: write another one.');
  return found;
}

interface Shown {
  readonly id: number;
  readonly title: string;
  readonly state: { readonly read: boolean };
  readonly others: readonly { readonly id: number; readonly title: string }[];
  readonly story?: { readonly by: string; readonly text: string; readonly unasked?: string } | null;
}

/** `reading` rejects everything and reads the feeds; `digest` publishes what it finds then. */
function describeSameStory(engine: string, engineSettings: () => object): void {
  describe(`the same story, on ${engine}`, () => {
    let folder: string;
    let simulator: Simulator;
    let feeds: Record<'herald' | 'wire' | 'lab', MadeFeed>;
    let later = 0;
    const clock = skewedClock(() => later);
    let settings: object;
    let embedder: { readonly kind: 'openai' | 'gemini'; readonly [setting: string]: unknown } | undefined;
    let app: App;
    let server: RunningServer;
    const readers: StreamReader[] = [];
    const cookies: Record<string, Record<string, string>> = { guest: {} };

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-same-story-'));
      simulator = await startSimulator({ clock });
      feeds = {
        herald: simulator.feeds.create({ id: 'herald' }),
        wire: simulator.feeds.create({ id: 'wire' }),
        lab: simulator.feeds.create({ id: 'lab' }),
      };
      settings = engineSettings();
      embedder = undefined;
    });
    afterEach(async () => {
      await stop();
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    async function start(): Promise<void> {
      const source = (feed: MadeFeed) => ({ feed: feed.url, every: '1s', first_contact: { newest: 100 } });
      const pipeline = {
        kind: 'curate',
        sources: ['herald', 'wire', 'lab'],
        interests: ['Honshu', 'Larkfield', 'Oakvale', 'Northport', 'Brightwater', 'students'].map(
          (topic) => ({ topic }),
        ),
        first_contact: { newest: 100 },
        every: '10000h',
        min_articles: 1,
        max_articles: 10,
      };
      const text = JSON.stringify({
        data: './data',
        ...settings,
        ...(embedder && { embedder }),
        network: { allow: ['127.0.0.1'], host_spacing: '0s' },
        server: { port: 0, rate_limit: { per_address: 100_000, per_person: 100_000 } },
        sources: { herald: source(feeds.herald), wire: source(feeds.wire), lab: source(feeds.lab) },
        pipelines: {
          reading: { ...pipeline, min_relevance_score: 100, publish: [] },
          digest: { ...pipeline, min_relevance_score: 1, publish: ['timeline'] },
        },
      });
      app = await openApp(
        newsroomConfig(text, folder, { MODEL_KEY: simulator[embedder?.kind ?? 'openai'].key }),
        {
          telemetry: silentTelemetry,
          version: '0',
          clock,
          passwordCost: { n: 2 ** 12, r: 8, p: 1 },
          interpose: (infrastructure) => ({ ...infrastructure, reader: quickReader }),
        },
      );
      server = await app.serve();
    }

    async function stop(): Promise<void> {
      for (const reader of readers.splice(0)) reader.close();
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    }

    async function join_(name: string, link: { readonly token: string } | null): Promise<void> {
      const response = await fetch(`${server.url}/api/v1/welcome`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link: link?.token, name, password: 'a long enough password' }),
      });
      const { csrfToken } = (await response.json()) as { csrfToken: string };
      const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
      cookies[name] = { cookie, 'x-csrf-token': csrfToken };
    }

    const send = (who: string, method: string, path: string, body?: unknown): Promise<Response> =>
      fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: { ...cookies[who], ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });

    async function edit(kind: 'split' | 'join', body: object): Promise<string> {
      const response = await send('ann', 'POST', `/reader/stories/${kind}`, body);
      expect(response.status, await response.clone().text()).toBe(200);
      return ((await response.json()) as { undo: string }).undo;
    }

    async function run(pipeline: string): Promise<void> {
      later += MINUTE;
      await app.pipelines.get(pipeline)?.run(new AbortController().signal);
    }

    /** The titles of each story, sorted. */
    async function stories(): Promise<string[][]> {
      const { entries } = (await (await send('guest', 'GET', '/reader/entries')).json()) as {
        entries: Shown[];
      };
      return entries.map(({ title, others }) => [title, ...others.map((one) => one.title)].sort()).sort();
    }

    async function idOf(title: string): Promise<number> {
      const { entries } = (await (await send('guest', 'GET', '/reader/entries')).json()) as {
        entries: Shown[];
      };
      const found = entries
        .flatMap((entry) => [entry, ...entry.others])
        .find((entry) => entry.title === title);
      if (found === undefined) throw new Error(`no entry "${title}"`);
      return found.id;
    }

    async function shown(title: string, who = 'ann'): Promise<Shown> {
      return (await (await send(who, 'GET', `/reader/entries/${await idOf(title)}`)).json()) as Shown;
    }

    /** The items of each message of the digest, by title. */
    async function messages(): Promise<string[][]> {
      const digest = app.pipelines.get('digest');
      const found = new Map<string, string[]>();
      for (const item of (await digest?.ledger.list({ limit: 100 }))?.items ?? [])
        for (const { itemKeys } of (await digest?.outbox.ofItem(item.key)) ?? [])
          found.set(itemKeys.join(), [...(found.get(itemKeys.join()) ?? []), item.title].sort());
      return [...found.values()].sort();
    }

    async function explained(pipeline: string, title: string): Promise<string> {
      const items = (await app.pipelines.get(pipeline)?.ledger.list({ limit: 100 }))?.items ?? [];
      const key = items.find((item) => item.title === title)?.key;
      if (key === undefined) throw new Error(`no item "${title}"`);
      const explanation = await app.newsroom.explain(pipeline, key, 'owner');
      return explanation?.told.map(({ text }) => text).join('\n') ?? '';
    }

    const again = (title: string): string => title.replace('shakes', 'rocks');

    it('Q14 an entry says why it is in its story: names, figures and words, on the page and in explain', async () => {
      feeds.herald.publish({ title: QUAKE, publishedAt: clock.now() - HOUR });
      await start();
      await join_('ann', await app.auth.accounts.ownerLink());
      await run('reading');
      feeds.wire.publish({ title: again(QUAKE) });
      await run('reading');
      expect(await stories()).toEqual([[QUAKE, again(QUAKE)].sort()]);
      const { story } = await shown(again(QUAKE));
      expect(story).toMatchObject({ verdict: 'same', title: QUAKE, by: 'rules' });
      expect(story?.text).toMatch(/^Same story as "Strong earthquake.*": names .*Honshu.*; words .*\.$/);
      expect((await shown(QUAKE)).story).toBeNull();
      expect(await explained('reading', again(QUAKE))).toContain(story?.text);
    });

    it('Q15 a split holds for later entries, later runs, restarts and the digest, and can be undone', async () => {
      feeds.herald.publish({ title: QUAKE, publishedAt: clock.now() - HOUR });
      await start();
      await join_('ann', await app.auth.accounts.ownerLink());
      await join_('ben', await app.auth.accounts.invite());
      await run('reading');
      feeds.wire.publish({ title: again(QUAKE) });
      await run('reading');
      const id = await idOf(again(QUAKE));
      for (const [who, status] of [
        ['guest', 401],
        ['ben', 403],
      ] as const)
        expect((await send(who, 'POST', '/reader/stories/split', { id })).status).toBe(status);
      const stream = await StreamReader.open(`${server.url}/events/reader`);
      readers.push(stream);
      await expect.poll(() => stream.events.length, POLL).toBeGreaterThan(0);

      const undo = await edit('split', { id });
      expect(await stories()).toEqual([[QUAKE], [again(QUAKE)]].sort());
      await expect
        .poll(() => stream.events.find(({ event }) => event === 'stories')?.data, POLL)
        .toEqual({ ids: [await idOf(QUAKE), id] });
      expect((await shown(again(QUAKE))).story?.text).toMatch(
        /^Not the same story as ".*": split by ann on /,
      );
      expect((await shown(again(QUAKE), 'guest')).story?.text).toContain('split by a person on');
      expect((await send('ann', 'POST', '/reader/stories/split', { id })).status).toBe(409);
      expect((await send('ann', 'POST', '/reader/stories/split', { id: 1 })).status).toBe(404);

      await stop();
      await start();
      feeds.lab.publish({ title: QUAKE.replace('Strong', 'Powerful') });
      await run('reading');
      const told = [QUAKE, again(QUAKE), QUAKE.replace('Strong', 'Powerful')];
      expect((await stories()).flat().sort()).toEqual(told.toSorted());
      const apart = await stories();
      expect(apart.some((story) => story.includes(told[0] ?? '') && story.includes(told[1] ?? ''))).toBe(
        false,
      );
      await run('digest');
      const sent = await messages();
      expect(sent.flat().sort()).toEqual(told.toSorted());
      expect(sent.some((story) => story.includes(told[0] ?? '') && story.includes(told[1] ?? ''))).toBe(
        false,
      );

      expect((await send('ann', 'POST', '/reader/stories/undo', { token: undo })).status).toBe(204);
      const together = (await stories()).find((story) => story.includes(told[0] ?? ''));
      expect(together).toContain(told[1]);
      expect((await shown(told[1] ?? '')).story?.text).toMatch(/^Same story as/);
      expect((await send('ann', 'POST', '/reader/stories/undo', { token: undo })).status).toBe(404);
    });

    it('Q15 a join holds for the digest and after a restart, says by whom, and can be undone', async () => {
      feeds.herald.publish({ title: QUAKE, publishedAt: clock.now() - HOUR });
      feeds.wire.publish({ title: SENATE });
      await start();
      await join_('ann', await app.auth.accounts.ownerLink());
      await run('reading');
      expect(await stories()).toHaveLength(2);
      const [one, two] = [await idOf(QUAKE), await idOf(SENATE)];
      const undo = await edit('join', { id: one, with: two });
      expect(await stories()).toEqual([[QUAKE, SENATE].sort()]);
      const texts = [await shown(QUAKE), await shown(SENATE)].map(({ story }) => story?.text ?? '');
      expect(texts.join(' ')).toMatch(/Same story as ".*": joined by ann on \d{4}-\d\d-\d\d\./);
      expect((await send('ann', 'POST', '/reader/stories/join', { id: two, with: one })).status).toBe(409);
      expect((await send('ann', 'POST', '/reader/stories/join', { id: two, with: 1 })).status).toBe(404);
      const later_ = texts[0] === '' ? SENATE : QUAKE;
      expect(await explained('reading', later_)).toContain('joined by ann on');

      await stop();
      await start();
      await run('digest');
      expect(await messages()).toEqual([[QUAKE, SENATE].sort()]);
      expect((await send('ann', 'POST', '/reader/stories/undo', { token: undo })).status).toBe(204);
      expect(await stories()).toHaveLength(2);
      expect((await shown(later_)).story).toBeNull();
    });

    // The engine stores vectors; it does not matter whose they are.
    const kinds = engine === 'Firestore' ? (['openai'] as const) : (['openai', 'gemini'] as const);
    describe.each(kinds)('with an embedding model of %s', (kind) => {
      const titles = pairInDoubt();
      const use = (more: object = {}): void => {
        embedder = {
          kind,
          ...(kind === 'openai'
            ? { model: 'embedding-sim', base_url: `${simulator.urls.openai}/v1`, key: { env: 'MODEL_KEY' } }
            : {
                model: 'gemini-embedding-001',
                base_url: `${simulator.urls.gemini}/v1beta`,
                key: { env: 'MODEL_KEY' },
              }),
          min_similarity: 0.5,
          ...more,
        };
      };
      const model = () => simulator[kind].embeddings;
      const readBoth = async (): Promise<void> => {
        feeds.herald.publish({ title: titles[0], summary: '', publishedAt: clock.now() - HOUR });
        await start();
        await run('reading');
        feeds.wire.publish({ title: titles[1], summary: '' });
        await run('reading');
      };

      it('Q16 it decides pairs in doubt, in one call, and each text is embedded once', async () => {
        use();
        await readBoth();
        expect(await stories()).toEqual([titles.toSorted()]);
        expect(
          model()
            .calls()
            .map(({ texts }) => texts.length),
        ).toEqual([2]);
        expect((await shown(titles[1], 'guest')).story).toMatchObject({ by: 'embedder', verdict: 'same' });
        expect(await explained('reading', titles[1])).toMatch(
          /decided by the embedding model \(similarity 0\.\d+\)/,
        );
        await run('digest');
        expect(await messages()).toEqual([titles.toSorted()]);
        const { today } = (await app.newsroom.judges()).find(({ judge }) => judge === 'embedder') ?? {};
        expect(today?.calls).toBe(model().calls().length);
        expect(today?.tokens).toBeGreaterThan(5);

        // Another process knows the vectors: nothing is asked again.
        const before = model().calls().length;
        await stop();
        await start();
        feeds.lab.publish({ title: titles[1], summary: '', publishedAt: clock.now() - MINUTE });
        await run('reading');
        const texts = model()
          .calls()
          .flatMap((call) => call.texts);
        expect(new Set(texts).size).toBe(texts.length);
        expect(model().calls().length).toBe(before);
      });

      it('Q16 what it finds too different stays apart, and says so', async () => {
        use({ min_similarity: 0.9999 });
        await readBoth();
        expect(await stories()).toHaveLength(2);
        expect((await shown(titles[1], 'guest')).story?.text).toMatch(
          /^Not the same story as ".*": decided by the embedding model/,
        );
      });

      it('Q16 with an exhausted budget the rules decide, and that is said', async () => {
        use({ limits: { tokens_per_day: 1 } });
        await readBoth();
        expect(await stories()).toHaveLength(2);
        expect(model().calls()).toEqual([]);
        expect((await shown(titles[1], 'guest')).story).toMatchObject({ by: 'rules', unasked: 'budget' });
        expect(await explained('reading', titles[1])).toContain(
          'the budget of the embedding model is used up',
        );
      });

      it('Q16 a failing server is asked twice, then left alone for a while, and the rules decide', async () => {
        use();
        simulator.injectFault({ service: kind, how: 'status', status: 500, times: 'always' });
        await readBoth();
        const asked = (): number =>
          simulator.journal.entries(kind).filter(({ path }) => /embed/i.test(path)).length;
        expect(asked()).toBe(2);
        expect(await stories()).toHaveLength(2);
        expect((await shown(titles[1], 'guest')).story).toMatchObject({ by: 'rules', unasked: 'failed' });
        const { trouble } = (await app.newsroom.judges()).find(({ judge }) => judge === 'embedder') ?? {};
        expect(trouble?.why).toBe('server_error');
        await run('digest');
        expect(asked()).toBe(2);
      });

      it.each([
        [
          'of different lengths',
          [
            [1, 2, 3],
            [1, 2],
          ],
        ],
        ['too few', [[1, 2, 3]]],
        [
          'with something that is no number',
          [
            [1, null, 3],
            [1, 2, 3],
          ],
        ],
        [
          'of zeros',
          [
            [0, 0],
            [0, 0],
          ],
        ],
        ['empty', [[], []]],
      ])('Q16 vectors that are %s are not used', async (_, vectors) => {
        use();
        model().script = () => vectors;
        await readBoth();
        expect(await stories()).toHaveLength(2);
        expect((await shown(titles[1], 'guest')).story).toMatchObject({ by: 'rules', unasked: 'failed' });
      });
    });

    it('Q16 without an embedding model the rules decide', async () => {
      const titles = pairInDoubt();
      feeds.herald.publish({ title: titles[0], summary: '', publishedAt: clock.now() - HOUR });
      await start();
      await run('reading');
      feeds.wire.publish({ title: titles[1], summary: '' });
      await run('reading');
      expect(await stories()).toHaveLength(2);
      expect((await shown(titles[1], 'guest')).story).toBeNull();
      expect(await app.newsroom.judges()).toEqual([]);
    });
  });
}

describeSameStory('the embedded engine', () => ({}));

requires('gcloud')('with the emulator', () => {
  const emulator = emulatorForThisFile('firestore');
  describeSameStory('Firestore', () => ({
    engine: { kind: 'distributed', project: freshProject(), firestore: { emulator: emulator.host } },
  }));
});
