import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { type CliOutput, cli } from '../../src/cli/cli.fixture.ts';
import { EXIT } from '../../src/cli/errors.ts';
import type { Item, ItemKey } from '../../src/item/item.ts';
import type { Delivery } from '../../src/outbox/outbox.ts';
import { decideItem } from '../../src/pipelines/decide-item.ts';
import type { Pipeline } from '../../src/pipelines/pipeline.ts';
import { readManifest } from '../../src/storage/sqlite/backup.ts';
import { upgradeCopies } from '../../src/storage/sqlite/way-back.ts';
import { DAY, HOUR, MINUTE } from '../../src/time/duration.ts';
import type { Where } from '../crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from '../emulators.ts';
import { requires } from '../requirements.ts';
import { contentOf } from './content-of.ts';
import { EarlierNewsroom, type EarlierPipeline, type EarlierVersion } from './earlier-newsroom.ts';

describe.each(['0.1', '0.2'] as const)('data of %s, in files', (version) => {
  describeUpgrade(version, () => ({ engine: 'sqlite' }));
});

requires('gcloud')('data of 0.1, on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  describeUpgrade('0.1', () => ({ engine: 'firestore', emulator: emulator.host, project: freshProject() }));
});

/** What the feeds had when the earlier version ended, by what becomes of it. */
const ANNOUNCED = ['old-1', 'old-2', 'one', 'two', 'three', 'four', 'six', 'seven'];
const OPEN = ['five', 'waits-one', 'waits-two', 'slow-one'];
const OFF_TOPIC = ['off-old', 'off-one', 'off-two'];
const FRESH = ['fresh-one', 'fresh-two'];
const NOTICES = ['old', 'one', 'two', 'three', 'four', 'five'].map((name) => `notice-${name}`);
const UNREADABLE_NOTICES = ['slow-notice', 'gone-notice'];
const VIDEOS = ['AVrDkQ95Spw', 'AVrDkQ95SYA', 'AVrDkQ95SGA', 'AVrDkQ95S7w'];
const CORRECTED = 'TypeScript: notice-one (corrected)';

/** Files that are migrated, and to which schema. */
const MIGRATED: Readonly<Record<EarlierVersion, readonly string[]>> = {
  '0.1': ['runs.db 3', 'sources.db 2', 'sources.db 3', 'sources.db 4', 'social.db 6', 'social.db 7'],
  '0.2': ['runs.db 3', 'sources.db 3', 'sources.db 4', 'social.db 7'],
};

/** The newsroom is opened once: the first tests only look at it, the last one runs it. */
function describeUpgrade(version: EarlierVersion, where: () => Where): void {
  let newsroom: EarlierNewsroom;
  let app: App;
  let place: Where;
  let checked: CliOutput;
  beforeAll(async () => {
    place = where();
    newsroom = await EarlierNewsroom.load(place, version);
    const before = contentOf(newsroom.folder);
    checked = await cli(['upgrade-check', '--json'], { cwd: newsroom.folder });
    expect(contentOf(newsroom.folder)).toEqual(before);
    app = await newsroom.open();
  });
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
    await newsroom?.[Symbol.asyncDispose]();
  });

  it('I13 upgrade-check named the changes before', () => {
    expect(checked.code, checked.err).toBe(EXIT.changes);
    const { outcome, dataOf, configuration, data, firestore } = JSON.parse(checked.out);
    expect({ outcome, dataOf, problems: configuration.problems }).toEqual({
      outcome: 'changes',
      dataOf: null,
      problems: [],
    });
    if (place.engine === 'firestore') {
      expect(firestore).toMatchObject({ refused: null, missingIndexes: [] });
      expect(firestore.steps).toEqual([expect.stringContaining('documents of earlier versions')]);
      return;
    }
    const migrated = data.files.flatMap((file: { name: string; migrations: { to: number }[] }) =>
      file.migrations.map(({ to }) => `${file.name} ${to}`),
    );
    expect(migrated).toEqual(MIGRATED[version]);
    expect(data).toMatchObject({ refused: null, inUseBy: null, copies: [], space: { copy: true } });
    expect(data.steps).toContain('Creates reader.db, which fills as sources are read');
  });

  it('I14 the earlier data is kept as a copy that can be restored, and the data names its program', async () => {
    const { folder } = newsroom;
    if (place.engine === 'firestore') return;
    const [copy] = upgradeCopies(join(folder, 'data'));
    const { files } = await readManifest(copy?.folder ?? '');
    const schemas = Object.fromEntries(files.map(({ name, schema }) => [name, schema]));
    expect(schemas).toMatchObject(
      version === '0.1' ? { 'social.db': 5, 'sources.db': 1 } : { 'social.db': 6, 'sources.db': 2 },
    );
    const after = await cli(['upgrade-check', '--json'], { cwd: folder });
    const { dataOf, data } = JSON.parse(after.out);
    expect(dataOf).toBe('9.9.9');
    expect(data.files.flatMap((file: { migrations: unknown[] }) => file.migrations)).toEqual([]);
    expect(data.copies).toEqual([{ folder: copy?.folder, program: null }]);
  });

  it('I14 X17 X22 items, messages, runs and tombstones are as that version listed them', async () => {
    for (const [id, earlier] of Object.entries(newsroom.world.pipelines))
      expect(await listedIn(app, id), id).toEqual(earlier);
  });

  it('I14 X22 users, follows, blocks and drops are as they were, and the timelines have them', async () => {
    const { social, timelineAdmin, newsroom: page } = app;
    const { users, home } = newsroom.world;
    for (const { following, blocked, drops, ...user } of users) {
      expect(await social.findUser(user.id)).toEqual(user);
      expect((await social.getFollowingList(user.id)).toSorted()).toEqual(following);
      expect(await social.getBlockedList(user.id)).toEqual(blocked);
      const found = await social.getDropsByUserId(user.id, { limit: 100 });
      expect(found.map(({ id }) => id)).toEqual(drops);
    }
    expect(await social.listUsers()).toHaveLength(users.length);
    expect((await timelineAdmin.show('ken', 40))?.newest.map(({ id }) => id)).toEqual(home);
    const global = await page.timelines.page('timeline:global', { limit: 100 });
    const received = global.ok ? global.page.entries.filter(({ id }) => id.startsWith('far-')) : [];
    expect(received.map(({ id }) => id)).toEqual(['far-1']);
  });

  it('I14 X22 passwords and tokens are valid, and a revoked token is not', async () => {
    const { accounts, tokens } = app.auth;
    const { token, revokedToken } = newsroom.world;
    const roles = (await accounts.list()).map(({ name, role }) => `${name} ${role}`);
    expect(roles.toSorted()).toEqual(['hana owner', 'ken reader']);
    expect(await accounts.ownerLink()).toBeNull();
    const signIn = (name: string) => accounts.signIn(name, 'correct horse battery', '192.0.2.1', 'a test');
    expect((await signIn('hana')).ok).toBe(true);
    expect((await signIn('ken')).ok).toBe(false);
    const known = { kind: 'known', identity: { name: 'hana', role: 'owner' } };
    expect(await tokens.authenticate(token)).toMatchObject(known);
    expect(await tokens.authenticate(revokedToken)).toMatchObject({ kind: 'refused', why: 'revoked' });
  });

  it('I14 X22 X9 source states, hidden stories and the calls of today are as they were', async () => {
    const { sources, hidden, spent } = newsroom.world;
    const records = await app.engine.sources.list();
    expect(records).toMatchObject(sources);
    expect(records.map(({ memory }) => memory)).toEqual(sources.map(({ memory }) => memory));
    const page = await app.stories?.sets.hidden('hana', { limit: 10 });
    expect(page?.stories.map(({ id }) => id)).toEqual([hidden]);
    const [spend] = await app.newsroom.judges();
    expect(spend).toMatchObject({ judge: 'gemini', today: { calls: spent }, limits: { callsPerDay: 11 } });
  });

  it('I14 X2 X18 X20 X21 X22 nothing is published twice, and what was open is published once', async () => {
    const { simulator, world } = newsroom;
    // Every lease of the earlier version has expired.
    newsroom.later(5 * MINUTE);
    await newsroom.run(app);
    // What that version spent today counts for the limits of today.
    expect(simulator.gemini.calls()).toHaveLength(11 - world.spent);
    expect(statusesOf(newsroom)).toEqual(NOTICES.filter((name) => name !== 'notice-three').toSorted());

    newsroom.retitle('notice-one', CORRECTED);
    for (const path of FRESH) newsroom.publish('articles', path);
    newsroom.later(DAY);
    await newsroom.run(app);
    await app[Symbol.asyncDispose]();
    // A second start takes nothing over a second time.
    app = await newsroom.open();
    newsroom.later(HOUR);
    await newsroom.run(app);

    const before = messagesOf(world.posted.discord);
    const after = messagesOf(simulator.discord.messages());
    const articles = addressesOf([...ANNOUNCED, ...OPEN, ...FRESH]);
    const videos = VIDEOS.map((id) => `https://www.youtube.com/watch?v=${id}`);
    expect(after.bot).toEqual([...articles, ...videos].toSorted());
    // A webhook cannot be read back: what may have arrived is left to a person.
    expect(after.webhook).toEqual([...before.webhook, ...addressesOf([...OPEN, ...FRESH])].toSorted());
    expect(statusesOf(newsroom)).toEqual([...NOTICES, ...UNREADABLE_NOTICES].toSorted());
    const corrected = simulator.mastodon.statuses().find(({ text }) => text.endsWith('/notice-one'));
    expect(corrected?.text).toContain(CORRECTED);

    const parked = ['three', 'four', 'six', 'seven'];
    const published = ['one', 'two', ...OPEN, ...FRESH];
    expect(await statesIn(app, 'digest')).toEqual({
      ...each(parked, 'parked'),
      ...each(published, 'published'),
      ...each(OFF_TOPIC, 'rejected'),
    });
    expect(await statesIn(app, 'summaries')).toEqual({
      'notice-before': 'baseline',
      ...each([...NOTICES.slice(1), ...UNREADABLE_NOTICES], 'published'),
    });
    expect(await statesIn(app, 'videos')).toEqual(
      each(
        VIDEOS.slice(1).map((id) => `watch?v=${id}`),
        'published',
      ),
    );
    expect(await droppedBy(app, 'digest')).toEqual(articles);
    expect(await droppedBy(app, 'videos')).toEqual(videos.toSorted());
    // Followed since the second run. For 0.1 an article that was swept was new again; 0.2 knows what a source had reported.
    const off = version === '0.1' ? OFF_TOPIC : OFF_TOPIC.slice(1);
    const followed = [...ANNOUNCED.slice(2), ...OPEN, ...FRESH, ...off];
    expect(await droppedBy(app, 'articles')).toEqual(addressesOf(followed));
    const decided = 'https://news.example/three' as ItemKey;
    expect(await decideItem(pipelineOf(app, 'digest'), decided, { kind: 'sent' }, 'hana')).toMatchObject({
      done: true,
    });
    expect((await pipelineOf(app, 'digest').ledger.find(decided))?.state).toBe('published');
    for (const [id, { tombstones }] of Object.entries(world.pipelines))
      expect((await pipelineOf(app, id).ledger.counts()).tombstones).toBe(tombstones);
  });
}

async function listedIn(app: App, id: string): Promise<EarlierPipeline> {
  const { ledger, outbox } = pipelineOf(app, id);
  const { items } = await ledger.list({ limit: 100 });
  const { deliveries } = await outbox.list({ limit: 100 });
  const runs = await app.engine.runs.recent(id, 50);
  return {
    items: Object.fromEntries(items.map((item) => [item.key, listedItem(item)])),
    messages: Object.fromEntries(deliveries.map((delivery) => [delivery.key, listedMessage(delivery)])),
    tombstones: (await ledger.counts()).tombstones,
    runs: runs.map(({ outcome, startedAt, summary }) => ({ outcome, startedAt, summary })),
  };
}

function listedItem({ state, reason, attempts, title, createdAt, verdict }: Item) {
  return { state, reason, attempts, title, createdAt, score: verdict?.score ?? null };
}

function listedMessage({ destination, state, itemKeys, remoteId, attempts }: Delivery) {
  return { destination, state, itemKeys, remoteId, attempts };
}

function pipelineOf(app: App, id: string): Pipeline {
  return app.pipelines.get(id) ?? expect.fail(`no pipeline ${id}`);
}

/** Addresses of everything that was announced on Discord, as often as it was, by sender. */
function messagesOf(messages: EarlierNewsroom['world']['posted']['discord']) {
  const of = (isWebhook: boolean): string[] =>
    messages
      .filter(({ webhook_id }) => (webhook_id !== undefined) === isWebhook)
      .flatMap(({ embeds }) => embeds.map(({ url }) => url ?? ''))
      .toSorted();
  return { bot: of(false), webhook: of(true) };
}

function statusesOf({ simulator }: EarlierNewsroom): string[] {
  return simulator.mastodon
    .statuses()
    .map(({ text }) => text.split('/').at(-1) ?? '')
    .toSorted();
}

async function statesIn(app: App, id: string): Promise<Record<string, string>> {
  const { items } = await pipelineOf(app, id).ledger.list({ limit: 100 });
  return Object.fromEntries(items.map(({ url, state }) => [url.split('/').at(-1), state]));
}

/** Addresses in the drops of a user, as often as they are there. */
async function droppedBy({ social }: App, name: string): Promise<string[]> {
  const user = (await social.listUsers()).find((one) => one.name === name) ?? expect.fail(`no user ${name}`);
  const refs = await social.getDropsByUserId(user.id, { limit: 100 });
  const drops = await social.getDrops(refs.map(({ id }) => id));
  return drops.map(({ url }) => url ?? '').toSorted();
}

function addressesOf(paths: readonly string[]): string[] {
  return paths.map((path) => `https://news.example/${path}`).toSorted();
}

function each<T>(names: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
