import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { loadConfig } from '../src/config/config.ts';
import { loopback } from '../src/fetch/loopback.fixture.ts';
import { newEntry } from '../src/reader/contract/entry-store-subject.ts';
import { SignedImageUrls } from '../src/server/http/image-routes.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { DAY } from '../src/time/duration.ts';

let folder: string;
let file: string;
let simulator: Simulator;
let app: App;
let server: RunningServer;
let described: { paths: Record<string, Record<string, Described>> };
let cookie = '';
let csrf = '';
/** Routes that answered with a success status. */
const seen = new Set<string>();

interface Described {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}
// biome-ignore lint/suspicious/noExplicitAny: answers are compared by their shape
type Answer = { status: number; headers: Headers; json: any };

/** Sends a request as the owner and validates the response against the OpenAPI document. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  as: 'owner' | 'guest' = 'owner',
): Promise<Answer> {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      ...(as === 'guest' ? {} : { cookie, 'x-csrf-token': csrf }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json: unknown = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
  if (described !== undefined) check(method, path, answer, json);
  return { status: answer.status, headers: answer.headers, json };
}

function check(method: string, path: string, answer: Response, json: unknown): void {
  const [plain = ''] = path.split('?');
  const found = Object.entries(described.paths).find(
    ([pattern, methods]) =>
      method.toLowerCase() in methods &&
      new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`).test(
        `/api/v1${plain}`,
      ),
  );
  expect(found, `${method} ${path} is described`).toBeDefined();
  const [pattern = '', methods = {}] = found ?? [];
  const response = methods[method.toLowerCase()]?.responses[String(answer.status)];
  expect(response, `${method} ${pattern} may answer ${answer.status}`).toBeDefined();
  if (answer.status < 400) seen.add(`${method} ${pattern}`);
  const [mediaType, content] = Object.entries(response?.content ?? {})[0] ?? [];
  if (mediaType === undefined || content === undefined || mediaType.startsWith('image/')) return;
  expect(answer.headers.get('content-type')).toContain(mediaType.split(';')[0]);
  const schema = JSON.stringify(content.schema).includes('#/components/schemas/Problem')
    ? (described as unknown as { components: { schemas: { Problem: object } } }).components.schemas.Problem
    : content.schema;
  const read = z.fromJSONSchema(schema as never).safeParse(json);
  expect(
    read.success,
    `${method} ${path}: ${read.success ? '' : read.error.message} ${JSON.stringify(json).slice(0, 400)}`,
  ).toBe(true);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kawaraban-api-'));
  file = join(folder, 'kawaraban.yaml');
  simulator = await startSimulator({});
  await writeFile(
    file,
    `# mine
network: { allow: ["127.0.0.1"], host_spacing: 0s }
server: { port: 0, rate_limit: { per_address: 1000, per_person: 400 }, max_body: 64KB }
sources:
  herald: { feed: "${simulator.urls.feeds}/byte-herald/feed.xml", first_contact: { newest: 20 } }
  gone: { feed: "${simulator.urls.feeds}/no/such/feed.xml" }
publishers:
  discord: { kind: discord-webhook, url: { env: HOOK } }
pipelines:
  morning:
    kind: curate
    sources: [herald, gone]
    interests: [{ topic: databases, aliases: [database, SQL, PostgreSQL] }, { topic: TypeScript }]
    min_relevance_score: 50
    max_articles: 2
    min_articles: 1
    first_contact: { newest: 20 }
    publish: [discord, timeline]
`,
  );
  const loaded = loadConfig(file, { HOOK: simulator.discord.webhookUrl });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  app = await openApp(loaded.config, {
    telemetry: silentTelemetry,
    version: '0.0.0',
    passwordCost: { n: 2 ** 12, r: 8, p: 1 },
  });
  server = await app.serve();
  const link = await app.auth.accounts.ownerLink();
  const welcome = await fetch(`${server.url}/api/v1/welcome`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: link?.token, name: 'hana', password: 'a long enough password' }),
  });
  cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? '';
  csrf = ((await welcome.json()) as { csrfToken: string }).csrfToken;
  described = (await call('GET', '/openapi.json')).json;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function jobDone(id: string): Promise<Answer['json']> {
  await expect.poll(async () => (await call('GET', `/jobs/${id}`)).json.state).not.toBe('running');
  return (await call('GET', `/jobs/${id}`)).json;
}

describe('the control API', () => {
  it('X13 shows what a run would post, and posts nothing', async () => {
    const { status, json } = await call('POST', '/pipelines/morning/runs', { dryRun: true });
    expect(status).toBe(202);
    expect((await call('POST', '/pipelines/morning/runs', {})).status).toBe(409);
    const done = await jobDone(json.id);
    expect(done).toMatchObject({ state: 'done', dryRun: true, startedBy: 'hana (web)' });
    expect(done.messages.length).toBeGreaterThan(0);
    expect(simulator.discord.messages()).toHaveLength(0);
  });

  it('X13 runs a pipeline now, with its numbers and runs to see afterwards', async () => {
    const { json } = await call('POST', '/pipelines/morning/runs', { dryRun: false });
    expect(await jobDone(json.id)).toMatchObject({ state: 'done', detail: null });
    expect(simulator.discord.messages().length).toBeGreaterThan(0);
    expect((await call('GET', '/jobs')).json.jobs).toHaveLength(2);
    expect((await call('GET', '/pipelines/morning/runs?limit=5')).json.runs[0]).toMatchObject({
      outcome: 'done',
    });
    expect((await call('GET', '/pipelines')).json.pipelines[0]).toMatchObject({
      id: 'morning',
      state: 'idle',
    });
    expect((await call('GET', '/pipelines/morning')).status).toBe(200);
    for (const [id, { ledger }] of app.pipelines)
      await app.engine.countsLog.put(id, Date.now(), await ledger.counts());
    const { entries } = (await call('GET', '/pipelines/morning/counts?days=1')).json;
    expect(entries.at(-1).byState.published).toBeGreaterThan(0);
    for (const path of ['runs', 'counts'])
      expect((await call('GET', `/pipelines/none/${path}`)).status).toBe(404);
    expect((await call('POST', '/pipelines/none/runs', {})).status).toBe(404);
    expect((await call('DELETE', `/jobs/${json.id}`)).status).toBe(404);
  });

  it('X13 lists and searches items in pages, explains their history, and lets the owner decide', async () => {
    const first = (await call('GET', '/items?pipeline=morning&limit=2')).json;
    const second = (await call('GET', `/items?pipeline=morning&limit=2&cursor=${first.next}`)).json;
    expect(second.items[0].key).not.toBe(first.items[0].key);
    const { items } = (await call('GET', '/items?pipeline=morning&state=rejected')).json;
    const { key, title } = items[0];
    const found = (await call('GET', `/search?q=${encodeURIComponent(title.slice(0, 12))}`)).json;
    expect(found.items.map((item: { key: string }) => item.key)).toContain(key);
    const where = `pipeline=morning&key=${encodeURIComponent(key)}`;
    expect((await call('GET', `/item?${where}`)).json.history.length).toBeGreaterThan(0);
    const decide = (decision: string, item = key) =>
      call('POST', '/item/decision', { pipeline: 'morning', key: item, decision });
    expect((await decide('retry')).json).toMatchObject({ state: 'waiting' });
    expect((await decide('park')).json).toMatchObject({ state: 'parked' });
    expect((await decide('drop')).status).toBe(200);
    expect((await decide('sent')).status).toBe(409);
    expect((await decide('retry', 'https://nowhere.example/')).status).toBe(404);
    expect((await decide('burn')).status).toBe(400);
    const history = (await call('GET', `/item?${where}`)).json.history;
    expect(history.map(({ who }: { who: string }) => who)).toContain('hana (web)');
    for (const bad of ['x', '%00', 'eyJ4IjoxfQ'])
      expect((await call('GET', `/search?q=a&cursor=${bad}`)).status, bad).toBe(400);
  });

  it('X13 lists messages, and accepts a decision only on those that wait for a person', async () => {
    const { deliveries } = (await call('GET', '/deliveries?pipeline=morning&state=sent')).json;
    expect(deliveries.length).toBeGreaterThan(0);
    const decision = { pipeline: 'morning', key: deliveries[0].key, decision: 'again' };
    expect((await call('POST', '/deliveries/decision', decision)).status).toBe(409);
    expect((await call('GET', '/deliveries?pipeline=none')).status).toBe(404);
    expect((await call('GET', '/deliveries?pipeline=morning&cursor=x')).status).toBe(400);
  });

  it('X7 shows the configuration in force without its secrets', async () => {
    const { json } = await call('GET', '/configuration');
    expect(json.settings.publishers.discord.url).toEqual({ env: 'HOOK' });
    expect(json.settings.server.rate_limit.per_person).toBe(400);
    expect(JSON.stringify(json)).not.toContain(simulator.discord.webhookUrl);
    expect((await call('GET', '/usage')).json).toEqual({ store: null, streams: { open: 0 } });
    expect((await call('GET', '/judges')).status).toBe(200);
  });

  it('X14 R2 R3 changes sources at once and leaves the configuration file alone', async () => {
    const before = await readFile(file, 'utf8');
    const ids = async (): Promise<string[]> =>
      (await call('GET', '/sources')).json.sources.map(({ id }: { id: string }) => id);
    const herald = `${simulator.urls.feeds}/byte-herald/feed.xml`;
    const { json: shown } = await call('POST', '/sources/preview', { address: herald });
    expect(shown.candidates).toMatchObject([{ known: 'herald', trouble: null }]);
    expect(shown.candidates[0].items.length).toBeGreaterThan(0);
    expect((await call('POST', '/sources/preview', { address: 'javascript:alert(1)' })).status).toBe(422);
    expect((await call('POST', '/sources/preview', { address: 'http://169.254.169.254/feed' })).status).toBe(
      422,
    );
    expect((await call('POST', '/sources', { address: herald })).status).toBe(409);
    const broken = { address: 'https://127.0.0.1:1/x' };
    expect((await call('POST', '/sources', broken)).status).toBe(422);
    expect((await call('POST', '/sources', { ...broken, anyway: true, pipelines: ['none'] })).status).toBe(
      409,
    );
    expect((await call('POST', '/sources', { ...broken, anyway: true, name: 'Broken' })).json).toEqual({
      id: 'broken',
      followed: false,
    });
    expect(await ids()).toEqual(['herald', 'gone', 'broken']);

    const changed = await call('PATCH', '/sources/herald', {
      name: 'Renamed',
      enabled: false,
      folders: ['News', 'World'],
      pipelines: ['morning'],
    });
    expect(changed.json).toMatchObject({
      origin: 'file',
      name: 'Renamed',
      enabled: false,
      folders: ['News', 'World'],
      assignedPipelines: ['morning'],
      nextAt: null,
    });
    expect((await call('GET', '/sources/herald', undefined, 'guest')).json.name).toBe('Renamed');
    expect((await call('GET', '/folders', undefined, 'guest')).json.folders).toEqual([
      { path: ['News'], sources: 1 },
      { path: ['News', 'World'], sources: 1 },
    ]);
    expect((await call('POST', '/sources/herald/poll')).status).toBe(409);
    expect((await call('PATCH', '/sources/herald', { enabled: true })).json.enabled).toBe(true);
    expect((await call('POST', '/sources/herald/poll')).status).toBe(202);
    for (const [method, path, body] of [
      ['PATCH', '/sources/none', { enabled: true }],
      ['POST', '/sources/none/poll', undefined],
      ['DELETE', '/sources/none', undefined],
      ['GET', '/sources/none', undefined],
    ] as const)
      expect((await call(method, path, body)).status, `${method} ${path}`).toBe(404);
    expect((await call('PATCH', '/sources/herald', { name: '' })).status).toBe(400);
    const refused = await call('DELETE', '/sources/herald');
    expect([refused.status, refused.json.detail]).toEqual([409, expect.stringContaining(file)]);
    expect((await call('DELETE', '/sources/broken')).status).toBe(204);
    expect((await call('DELETE', '/sources/broken')).status).toBe(404);
    expect(await ids()).toEqual(['herald', 'gone']);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('X14 R2 imports OPML with its folders, and exports it', async () => {
    const opml = `<opml version="2.0"><body><outline text="Tech"><outline text="Data">
      <outline type="rss" text="New" xmlUrl="https://new.example/feed"/></outline></outline>
      <outline type="rss" text="Inside" xmlUrl="http://10.0.0.7/feed"/></body></opml>`;
    const dry = (await call('POST', '/sources/opml', { opml, dryRun: true })).json;
    expect(dry).toEqual({ added: [{ id: 'new', url: 'https://new.example/feed' }], known: 0, skipped: 1 });
    expect((await call('GET', '/sources/new')).status).toBe(404);
    expect((await call('POST', '/sources/opml', { opml, pipeline: 'none' })).status).toBe(409);
    const options = { opml, pipeline: 'morning', folder: 'Mine' };
    expect((await call('POST', '/sources/opml', options)).json.added).toHaveLength(1);
    expect((await call('GET', '/sources/new')).json).toMatchObject({
      name: 'New',
      origin: 'opml',
      folders: ['Mine', 'Tech', 'Data'],
      pipelines: ['morning'],
      assignedPipelines: ['morning'],
    });
    expect((await call('POST', '/sources/opml', options)).json).toMatchObject({ added: [], known: 1 });
    expect((await call('POST', '/sources/opml', { opml: 'not opml' })).status).toBe(409);
    expect((await call('GET', '/sources.opml')).json).toMatch(/Mine.*Tech.*Data.*new\.example/s);
    expect((await call('DELETE', '/sources/new')).status).toBe(204);
  });

  it('refuses guests on every route', async () => {
    const routes = server.routes.filter(({ definition: form }) => form?.access === 'owner');
    expect(routes.length).toBeGreaterThan(15);
    for (const { method, url } of routes) {
      const answer = await fetch(`${server.url}${url.replaceAll(/:\w+/g, 'x')}`, { method });
      expect(answer.status, `${method} ${url}`).toBe(401);
    }
  });
});

describe('a picture', () => {
  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const path = (url: string): string =>
    (new SignedImageUrls(app.auth.keyFor('images')).pathFor(url) ?? '').replace('/api/v1', '');

  it('X13 is proxied with the media type of its content, and X6 nothing else is proxied', async () => {
    const elsewhere = await loopback((request, response) => {
      const kind = request.url?.slice(1);
      response.setHeader('content-type', kind === 'lie' ? 'text/html' : 'image/png');
      if (kind === 'gone') response.statusCode = 404;
      response.end(kind === 'svg' ? SVG : kind === 'huge' ? Buffer.alloc(6_000_000, PNG) : PNG);
    });
    try {
      const good = await call('GET', path(`${elsewhere.url}/lie`), undefined, 'guest');
      expect(good.status).toBe(200);
      expect(good.headers.get('content-type')).toBe('image/png');
      expect(good.headers.get('cache-control')).toContain('max-age');
      expect(good.headers.get('content-security-policy')).toContain('sandbox');
      expect((await call('GET', path(`${elsewhere.url}/svg`))).status).toBe(404);
      expect((await call('GET', path(`${elsewhere.url}/gone`))).status).toBe(404);
      expect((await call('GET', path(`${elsewhere.url}/huge`))).status).toBe(502);
      expect(await call('GET', path('http://169.254.169.254/latest'))).toMatchObject({ status: 502 });
      const unsigned = `/image?u=${encodeURIComponent(`${elsewhere.url}/lie`)}&s=x`;
      expect((await call('GET', unsigned)).status).toBe(404);
      expect(elsewhere.requests).toHaveLength(4);
    } finally {
      await elsewhere[Symbol.asyncDispose]();
    }
  });
});

describe('people and drops', () => {
  it('are created, followed, blocked and deleted as the OpenAPI document says', async () => {
    expect((await call('POST', '/users', { name: 'kumo', kind: 'person' })).status).toBe(201);
    expect((await call('POST', '/users', { name: 'kumo' })).status).toBe(409);
    expect((await call('PUT', '/users/kumo/follow')).json).toEqual({ following: true, changed: true });
    expect((await call('GET', '/users/hana/following')).json.users).toContainEqual(
      expect.objectContaining({ name: 'kumo' }),
    );
    expect((await call('GET', '/users/kumo/followers')).json.users).toHaveLength(1);
    expect((await call('GET', '/users/kumo/relation')).json).toMatchObject({ following: true });
    expect((await call('PUT', '/users/kumo/block')).status).toBe(200);
    expect((await call('GET', '/blocks')).json.users).toHaveLength(1);
    expect((await call('PUT', '/users/kumo/follow')).status).toBe(409);
    expect((await call('DELETE', '/users/kumo/block')).json).toEqual({ blocked: false, changed: true });
    expect((await call('DELETE', '/users/kumo/follow')).json).toEqual({ following: false, changed: false });
    const posted = await call('POST', '/drops', { text: 'hello', title: 'A title' });
    expect(posted.status).toBe(201);
    expect((await call('GET', `/drops/${String(posted.json.id)}`)).json).toEqual(posted.json);
    const edited = await call('PATCH', `/drops/${String(posted.json.id)}`, { text: 'hello again' });
    expect(edited.json).toMatchObject({ text: 'hello again', title: 'A title' });
    expect((await call('DELETE', `/drops/${String(posted.json.id)}`)).status).toBe(204);
    expect((await call('DELETE', `/drops/${String(posted.json.id)}`)).status).toBe(404);
    expect((await call('POST', '/drops', { text: '' })).status).toBe(400);
  });
});

it('R19 a verdict of the built-in judge says what it counted, for clients in other languages', async () => {
  const { items } = (await call('GET', '/items?pipeline=morning&limit=50')).json as {
    items: { verdict: { reason: string; topics: string[]; mentions?: { topic: string; times: number }[] } }[];
  };
  const judged = items.filter(({ verdict }) => verdict !== null && verdict.topics.length > 0);
  expect(judged.length).toBeGreaterThan(0);
  for (const { verdict } of judged)
    for (const { topic, times } of verdict.mentions ?? expect.fail('no mentions')) {
      expect(verdict.topics).toContain(topic);
      expect(verdict.reason).toContain(times === 1 ? 'once' : `${times}`);
    }
});

it('Q18 shows the interests of a pipeline with proposals of aliases', async () => {
  const { json } = await call('GET', '/pipelines/morning/interests');
  expect(json.items).toBeGreaterThan(0);
  for (const interest of json.interests) {
    expect(interest).toMatchObject({ topic: expect.any(String), known: expect.any(Boolean) });
    if (interest.known) expect(interest.proposals).toEqual([]);
  }
  expect((await call('GET', '/pipelines/none/interests')).status).toBe(404);
  expect((await call('GET', '/pipelines/morning/interests', undefined, 'guest')).status).toBe(401);
});

describe('the aliases of interests', () => {
  const path = '/pipelines/morning/interests';
  const decide = (words: readonly string[], decision: string, topic = 'databases') =>
    call('PATCH', path, { topic, words, decision });

  it('Q25 are accepted, refused and taken back, and say who did it', async () => {
    const accepted = await decide([' SQLite ', 'ｌｅｄｇｅｒ'], 'accepted');
    expect(accepted.json.interests[0]).toMatchObject({
      topic: 'databases',
      aliases: ['database', 'SQL', 'PostgreSQL', 'SQLite', 'ｌｅｄｇｅｒ'],
      added: [{ word: 'SQLite', by: 'hana' }, { word: 'ｌｅｄｇｅｒ' }],
      refused: [],
    });
    expect((await decide(['sqlite'], 'accepted')).json).toEqual(accepted.json);
    const refused = await decide(['ledger'], 'refused');
    expect(refused.json.interests[0]).toMatchObject({
      added: [{ word: 'SQLite' }],
      refused: [{ word: 'ledger', by: 'hana' }],
    });
    const shown = (await call('GET', path)).json;
    expect(shown.interests[0]).toMatchObject(refused.json.interests[0]);
    expect((await call('GET', '/pipelines/morning/settings')).json.changed).toBeNull();
    const before = await decide(['sqlite', 'ledger'], 'none');
    expect(before.json.interests[0]).toMatchObject({ added: [], refused: [] });
  });

  it.each([
    ['of the configuration file', 'refused', ['postgresql'], [['words.0', 'alias_in_file']]],
    ['that is the topic of another interest', 'accepted', ['TYPESCRIPT'], [['words.0', 'alias_in_file']]],
    [
      'without letters, and one that is too long',
      'accepted',
      ['!', 'x'.repeat(51)],
      [
        ['words.0', 'alias_invalid'],
        ['words.1', 'too_long'],
      ],
    ],
    [
      'with control characters',
      'accepted',
      ['one\ntwo', 'a\u202eb', 'a\u0000b'],
      [
        ['words.0', 'alias_invalid'],
        ['words.1', 'alias_invalid'],
        ['words.2', 'alias_invalid'],
      ],
    ],
    ['that is empty', 'accepted', ['  '], [['words.0', 'required']]],
    ['of an unknown kind', 'hidden', ['word'], [['decision', 'invalid']]],
  ])('Q25 refuses a word %s, and names every problem', async (_, decision, words, problems) => {
    const { status, json } = await decide(words, decision);
    expect(status).toBe(400);
    expect(json.errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual(
      problems,
    );
    expect((await call('GET', path)).json.interests[0].added).toEqual([]);
  });

  it('Q25 one word is an alias of one interest only, and an interest has at most 50', async () => {
    await decide(['Bun'], 'accepted', 'TypeScript');
    const taken = await decide(['bun'], 'accepted');
    expect(taken.json.errors).toMatchObject([{ code: 'alias_taken', parameters: { topic: 'TypeScript' } }]);
    await decide(['Bun'], 'none', 'TypeScript');
    const many = Array.from({ length: 48 }, (_, n) => `word ${n}`);
    const tooMany = await decide(many, 'accepted');
    expect(tooMany.json.errors).toMatchObject([{ field: 'words.47', code: 'too_many_aliases' }]);
    expect((await decide(many.slice(1), 'accepted')).json.interests[0].aliases).toHaveLength(50);
    await decide(many, 'none');
    expect((await decide(['word'], 'accepted', 'gardens')).json.errors).toMatchObject([{ field: 'topic' }]);
  });

  it('Q25 only the owner decides', async () => {
    const body = { topic: 'databases', words: ['SQLite'], decision: 'accepted' };
    expect((await call('PATCH', path, body, 'guest')).status).toBe(401);
    expect((await call('PATCH', '/pipelines/none/interests', body)).status).toBe(404);
    expect((await call('GET', path)).json.interests[0].added).toEqual([]);
  });
});

describe('the settings of a pipeline', () => {
  const path = '/pipelines/morning/settings';

  it('R23 shows the configured ones beside those in force, and who changed them', async () => {
    expect((await call('GET', path)).json).toMatchObject({ effective: { minScore: 50 }, changed: null });
    const changed = await call('PATCH', path, { minScore: 100, every: '45m' });
    expect(changed.json).toMatchObject({
      configured: { minScore: 50, schedule: '0 9 * * *', everyMs: null },
      effective: { minScore: 100, schedule: null, everyMs: 45 * 60_000 },
      changed: { by: 'hana' },
    });
    const status = (await call('GET', '/pipelines')).json.pipelines[0];
    expect(status).toMatchObject({ minScore: 100, schedule: 'every 45 min' });
  });

  it('R23 a pipeline is paused, resumed and reset', async () => {
    await call('PATCH', path, { enabled: false });
    expect((await call('GET', '/pipelines')).json.pipelines[0]).toMatchObject({
      state: 'paused',
      nextRunAt: null,
    });
    const zone = await call('PATCH', path, {
      enabled: true,
      schedule: '0 7 * * 1-5',
      timeZone: 'Europe/Berlin',
    });
    expect(zone.json.effective).toMatchObject({
      schedule: '0 7 * * 1-5',
      timeZone: 'Europe/Berlin',
      enabled: true,
    });
    const reset = await call('PATCH', path, { schedule: null, minScore: null, enabled: null });
    expect(reset.json).toMatchObject({ effective: reset.json.configured, changed: null });
  });

  it.each([
    ['schedule', { schedule: 'every morning' }, 'invalid_cron'],
    ['every', { every: '3 apples' }, 'invalid_duration'],
    ['every', { every: '1s' }, 'invalid_duration'],
    ['minScore', { minScore: 101 }, 'too_large'],
    ['colour', { colour: 'red' }, 'unknown_field'],
  ])('R23 refuses an invalid %s', async (field, change, code) => {
    const { status, json } = await call('PATCH', path, change);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'invalid_request', errors: [{ field, code }] });
  });

  it('R23 only the owner sees and changes them', async () => {
    expect((await call('GET', path, undefined, 'guest')).status).toBe(401);
    expect((await call('PATCH', path, { enabled: false }, 'guest')).status).toBe(401);
    expect((await call('GET', '/pipelines/no/settings')).status).toBe(404);
  });
});

describe('the retention of the reader', () => {
  const path = '/settings/retention';
  const articles = async (): Promise<readonly string[]> => {
    const page = await app.engine.entries.list('hana', { sourceIds: ['old'] }, { order: 'newest', limit: 9 });
    return page.entries.map(({ entry }) => entry.title);
  };

  it('R15 R23 is changed by the owner, and the next sweep removes by it', async () => {
    await app.engine.entries.add(
      ['Older', 'Newer'].map((title, n) =>
        newEntry(title, { sourceId: 'old', publishedAt: Date.now() - (9 - n) * DAY }),
      ),
      Date.now() - 8 * DAY,
      () => null,
    );
    const configured = { entriesMs: 90 * DAY, textsMs: 30 * DAY, keepPerSource: 100 };
    expect((await call('GET', path)).json).toEqual({ configured, effective: configured, changed: null });
    const changed = await call('PATCH', path, { entries: '7d', texts: 'keep', keepPerSource: 1 });
    expect(changed.json).toMatchObject({
      configured,
      effective: { entriesMs: 7 * DAY, textsMs: null, keepPerSource: 1 },
      changed: { by: 'hana' },
    });
    expect((await call('GET', path)).json).toEqual(changed.json);
    await app.retention.sweep({ dryRun: false }, new AbortController().signal);
    expect(await articles()).toEqual(['Newer']);
    const kept = await call('PATCH', path, { entries: 'keep' });
    expect(kept.json.effective).toEqual({ entriesMs: null, textsMs: null, keepPerSource: 1 });
    const reset = await call('PATCH', path, { entries: null, texts: null, keepPerSource: null });
    expect(reset.json).toEqual({ configured, effective: configured, changed: null });
  });

  it.each([
    ['entries', { entries: '12h' }, 'invalid_keep_time'],
    ['entries', { entries: 'for ever' }, 'invalid_keep_time'],
    ['texts', { texts: '40000d' }, 'invalid_keep_time'],
    ['texts', { texts: 30 }, 'invalid'],
    ['keepPerSource', { keepPerSource: -1 }, 'too_small'],
    ['keepPerSource', { keepPerSource: 10_001 }, 'too_large'],
    ['notified', { notified: '90d' }, 'unknown_field'],
  ])('R23 refuses an invalid %s: %j', async (field, change, code) => {
    const { status, json } = await call('PATCH', path, change);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'invalid_request', errors: [{ field, code }] });
  });

  it('R23 only the owner sees and changes it', async () => {
    expect((await call('GET', path, undefined, 'guest')).status).toBe(401);
    expect((await call('PATCH', path, { entries: '1d' }, 'guest')).status).toBe(401);
  });
});

describe('the API as a whole', () => {
  it('documents every route, and every documented route was validated', async () => {
    const undescribed = server.routes.filter(
      ({ url, definition: form, method }) => url.startsWith('/api/v1/') && form === null && method !== 'HEAD',
    );
    expect(undescribed).toEqual([]);
    const fillings: Readonly<Record<string, string>> = { id: 'hana', name: 'local', timeline: 'home' };
    for (const [path, methods] of Object.entries(described.paths)) {
      if (!('get' in methods) || seen.has(`GET ${path}`)) continue;
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => fillings[name] ?? 'x');
      await call('GET', filled.replace('/api/v1', ''));
    }
    const plain = Object.entries(described.paths).filter(
      ([path, methods]) => 'get' in methods && !path.includes('{'),
    );
    expect(plain.length).toBeGreaterThan(15);
  });

  it('X13 shows the documentation as a page without scripts', async () => {
    const page = await fetch(`${server.url}/api`);
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const html = await page.text();
    expect(html).toContain('/api/v1/pipelines/:id/runs');
    expect(html).not.toMatch(/<script|style=|https?:\/\/(?!json)/i);
    expect((await fetch(`${server.url}/api/style.css`)).headers.get('content-type')).toContain('text/css');
  });

  const raw = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}${path}`, { ...init, headers: { cookie, 'x-csrf-token': csrf, ...init.headers } });
  const json = { 'content-type': 'application/json' };
  it.each([
    ['an unknown path', '/api/v1/nothing', {}, 404],
    ['a method that means nothing', '/api/v1/pipelines', { method: 'PUT' }, 405],
    ['broken JSON', '/api/v1/password', { method: 'PUT', body: '{', headers: json }, 400],
    ['no JSON at all', '/api/v1/password', { method: 'PUT', body: '', headers: json }, 400],
    [
      'another kind of body',
      '/api/v1/password',
      { method: 'PUT', body: 'a=b', headers: { 'content-type': 'text/csv' } },
      415,
    ],
    [
      'a body that is too large',
      '/api/v1/item/decision',
      { method: 'POST', body: `"${'x'.repeat(70_000)}"`, headers: json },
      413,
    ],
    [
      'a poisoned body',
      '/api/v1/password',
      { method: 'PUT', body: '{"__proto__":{"x":1}}', headers: json },
      400,
    ],
    ['a path that cannot be read', '/api/v1/users/%E0%A4%A', {}, 400],
  ])('answers %s with a problem', async (_what, path, init, status) => {
    const answer = await raw(path, init as RequestInit);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({
      status,
      title: expect.any(String),
      detail: expect.any(String),
    });
    expect(status !== 405 || answer.headers.get('allow')?.includes('GET')).toBe(true);
    for (const [name, value] of [
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      ['cross-origin-opener-policy', 'same-origin'],
    ] as const)
      expect(answer.headers.get(name)).toBe(value);
  });

  it('rate limits requests, announces the limit in headers, and counts users apart from guests', async () => {
    const ours = await raw('/api/v1/newsroom');
    expect(ours.headers.get('ratelimit-policy')).toBe('"default";q=400;w=60');
    const answers = await Promise.all(Array.from({ length: 450 }, () => raw('/api/v1/newsroom')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused[0]?.json()).toMatchObject({ status: 429, title: 'Too many requests' });
    const guest = await fetch(`${server.url}/api/v1/newsroom`);
    expect(guest.status).toBe(200);
    expect(guest.headers.get('ratelimit-policy')).toBe('"default";q=1000;w=60');
    expect((await fetch(`${server.url}/healthz`)).headers.get('ratelimit')).toBeNull();
  });
});
