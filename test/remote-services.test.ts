import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { type Channel, createChannel, createClient, Metadata, Status } from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { TimelineServiceDefinition } from '../proto/gen/avion/timeline.ts';
import { startMinimalServices, VISIBILITY } from './minimal-services.ts';
import { Program } from './program.ts';
import { forThisFile, startRedis } from './redis.ts';
import { requires } from './requirements.ts';
import { StreamReader } from './stream-reader.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const POLL = { timeout: 60_000, interval: 50 };
const SERVICE = 'the-gateway-proves-itself-to-the-timelines-by-this';
const SECRET = 'a secret of quite enough characters for this';

interface Replica {
  readonly program: Program;
  readonly url: string;
  readonly grpc: string;
}

/**
 * The deployment of the original timeline service: the role `timeline` as a process of its own, with Redis and the user and post services of another
 * team, which implement only the calls of C4. There are no Google credentials anywhere.
 */
requires('redis-server')('the role timeline with remote services', () => {
  const redis = forThisFile(() => startRedis(['--appendonly', 'yes']));
  const services = forThisFile(startMinimalServices);
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-remote-'));
  const readers: StreamReader[] = [];
  const channels: Channel[] = [];
  const replicas: Replica[] = [];
  let replica: Replica;
  let time = Date.now() - 3_600_000;
  const later = (): number => {
    time += 1000;
    return time;
  };

  async function start(more = ''): Promise<Replica> {
    const name = `replica-${replicas.length + 1}`;
    const yaml = `
data: ./${name}
engine: { kind: distributed, project: there-is-none, redis: { nodes: ['${redis().address}'] } }
server:
  port: 0
  rate_limit: { per_address: 0, per_person: 0 }
  sign_in: { secret: { env: TOKEN_SECRET }, issuer: newsroom, audience: readers }
  grpc: { enabled: true, port: 0, service_token: { env: SERVICE_TOKEN } }
timelines:
  user_service: '${services().address}'
  post_service: '${services().address}'
  cap: 20
  stream: { drain: 0s }
${more}`;
    writeFileSync(join(folder, `${name}.yaml`), yaml);
    const env = {
      TOKEN_SECRET: SECRET,
      SERVICE_TOKEN: SERVICE,
      HOME: folder,
      METADATA_SERVER_DETECTION: 'none',
    };
    const args = ['start', '--role', 'timeline', '--json', '--config', `${name}.yaml`];
    const program = new Program(args, env, folder);
    const [, url = ''] = await program.waitForOutput(/"url": ?"([^"]+)"/);
    const [, grpc = ''] = await program.waitForOutput(/"grpc": ?"([^"]+)"/);
    const made = { program, url, grpc };
    replicas.push(made);
    return made;
  }

  beforeAll(async () => {
    for (const user of ['ann', 'ben', 'author']) services().following.set(user, []);
    services().following.set('ann', ['author']);
    replica = await start();
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });
  afterAll(async () => {
    for (const channel of channels) channel.close();
    await Promise.all(replicas.map(({ program }) => program.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  function channelTo({ grpc }: Replica): Channel {
    const channel = createChannel(grpc);
    channels.push(channel);
    return channel;
  }

  function timelines(at = replica) {
    return createClient(TimelineServiceDefinition, channelTo(at), {
      '*': { metadata: Metadata({ authorization: `Bearer ${SERVICE}` }) },
    });
  }

  /** As a provider with the shared secret signs it. */
  const token = (subject: string): Promise<string> =>
    new SignJWT({ scope: 'read' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('newsroom')
      .setAudience('readers')
      .setSubject(subject)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(SECRET));

  async function listen(subject: string, { url } = replica, after?: string): Promise<StreamReader> {
    const authorization = `Bearer ${await token(subject)}`;
    const query = after === undefined ? '' : `?since_id=${encodeURIComponent(after)}`;
    const reader = await StreamReader.open(`${url}/events/timeline/home${query}`, { authorization });
    readers.push(reader);
    if (reader.status === 200) await expect.poll(() => reader.lastId || reader.ended, POLL).toBeTruthy();
    return reader;
  }

  const publish = (channel: string, event: object) =>
    redis().command('PUBLISH', channel, JSON.stringify(event));

  /** As the post service does: it stores the drop, and publishes it on the channel of C2. */
  async function post(id: string, { userId = 'author', createdAt = later(), visibility = 'public' } = {}) {
    services().drops.push({ id, userId, createdAt, visibility: VISIBILITY[visibility as 'public'] });
    await publish('drop_created', { drop_id: id, user_id: userId, visibility, created_at: createdAt });
    return id;
  }

  it('C4 C5 C6 C24 needs no Google credentials: it serves homes over gRPC and streams, and stays up', async () => {
    const ann = await listen('ann');
    expect(ann.status).toBe(200);
    const id = await post('first');
    await expect.poll(() => ann.drops, POLL).toEqual([id]);
    expect((await timelines().getHomeTimeline({ userId: 'ann' })).dropIds).toEqual([id]);
    // A cookie is looked up where the accounts are. Only that fails.
    const cookie = `kawaraban_session=${'x'.repeat(43)}`;
    expect((await fetch(`${replica.url}/events/timeline/home`, { headers: { cookie } })).status).toBe(503);
    expect(replica.program.isRunning).toBe(true);
    const other = await start();
    other.program.child.kill('SIGTERM');
    expect((await other.program.ended).code).toBe(0);
    expect(replica.program.isRunning).toBe(true);
  });

  it('C4 C24 calls only the methods of C4 on the services: health checks neither fail nor mark them as down', async () => {
    const client = timelines();
    const health = createClient(HealthDefinition, channelTo(replica));
    for (let n = 0; n < 8; n++) {
      const ready = await fetch(`${replica.url}/readyz`);
      expect({ status: ready.status, body: await ready.json() }).toMatchObject({ status: 200 });
      for (const service of ['', 'avion.TimelineService', 'avion.UserService', 'avion.PostService'])
        expect(await health.check({ service })).toEqual({ status: 1 });
    }
    // An empty home: these services cannot look the user up.
    expect((await client.getHomeTimeline({ userId: 'ben' })).dropIds).toEqual([]);
    expect((await client.getHomeTimeline({ userId: 'ann' })).dropIds).not.toEqual([]);
    const { status, code } = await fetch(`${replica.url}/metrics`).then(async (response) => ({
      status: response.status,
      code: /kawaraban_service_calls_total\{[^}]*outcome="garbage"[^}]*\} \d+/.exec(await response.text()),
    }));
    expect({ status, code }).toEqual({ status: 200, code: null });
  });

  it('C7 C18 local and global are served from Redis where the post service offers no list of them', async () => {
    const client = timelines();
    const ids = [await post('public-1'), await post('public-2')];
    for (const read of [client.getLocalTimeline, client.getGlobalTimeline])
      await expect.poll(async () => (await read({ limit: 2 })).dropIds, POLL).toEqual(ids.toReversed());
    const { olderCursor } = await client.getLocalTimeline({ limit: 2 });
    const below = await client.getLocalTimeline({ limit: 100, maxId: olderCursor });
    expect(below).toMatchObject({ dropIds: ['first'], olderCursor: '' });
    // Homes are rebuilt; Redis had the only list of public drops.
    await redis().command('FLUSHALL');
    expect((await client.getHomeTimeline({ userId: 'ann' })).dropIds).toEqual([...ids.toReversed(), 'first']);
    expect((await client.getLocalTimeline({})).dropIds).toEqual([]);
    const next = await post('public-3');
    await expect.poll(async () => (await client.getLocalTimeline({})).dropIds, POLL).toEqual([next]);
    // What Redis loaded after a restart is served.
    await redis().kill();
    await redis().start();
    await expect
      .poll(async () => (await client.getLocalTimeline({}).catch(() => null))?.dropIds, POLL)
      .toEqual([next]);
    const last = await post('public-4');
    await expect.poll(async () => (await client.getLocalTimeline({})).dropIds, POLL).toEqual([last, next]);
    // Out of order, where the first one begins the timeline.
    await redis().command('FLUSHALL');
    const [newer, older] = [await post('public-6'), await post('public-5', { createdAt: time - 500 })];
    await expect.poll(async () => (await client.getLocalTimeline({})).dropIds, POLL).toEqual([newer, older]);
    expect(replica.program.err).toMatch(
      /does not offer GetRecentPublicDrops: local and global timelines have/,
    );
  });

  /** Forms of drop IDs, and of differences between the time in an ID and the time of the drop. */
  const FORMS: Readonly<Record<string, (n: number, at: number) => string>> = {
    decimal: (n) => `${1_870_000_000_000_000_000n + BigInt((n * 7919) % 97)}`,
    ULID: (n) => `01KA${((n * 7919) % 97).toString(32).toUpperCase().padStart(22, '0')}`,
    'UUIDv7 of another moment': (n, at) => {
      const time = (at + (n % 2 === 0 ? 3 : -3)).toString(16).padStart(12, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
    },
  };

  it.each(Object.keys(FORMS))(
    'C14 C15 C17 pages go from drop to drop by IDs that are %s, within Redis and below, also from one that was deleted',
    async (form) => {
      const reader = `reads ${form}`.replaceAll(' ', '-');
      const author = `writes ${form}`.replaceAll(' ', '-');
      services().following.set(author, []).set(reader, [author]);
      const from = later();
      const drops = Array.from({ length: 50 }, (_, n) => {
        // Two of each millisecond.
        const createdAt = from + (n >> 1);
        return { id: FORMS[form]?.(n, createdAt) ?? '', userId: author, createdAt };
      });
      services().drops.push(...drops);
      const all = drops
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id);
      const client = timelines();
      const seen: string[] = [];
      for (let maxId = ''; ; maxId = seen.at(-1) ?? '') {
        const { dropIds } = await client.getHomeTimeline({ userId: reader, limit: 3, maxId });
        if (dropIds.length === 0 || seen.length > all.length) break;
        seen.push(...dropIds);
      }
      expect(seen).toEqual(all);
      for (const n of [0, 7, 18]) {
        const ask = { userId: reader, limit: 100, sinceId: all[n] ?? '' };
        expect((await client.getHomeTimeline(ask)).dropIds).toEqual(all.slice(0, n));
      }
      const resumed = await listen(reader, replica, all[3]);
      await expect.poll(() => resumed.drops, POLL).toEqual(all.slice(0, 3).toReversed());
      const deleted = all[10] ?? '';
      services().drops.splice(
        services().drops.findIndex(({ id }) => id === deleted),
        1,
      );
      await publish('drop_deleted', { drop_id: deleted, user_id: author });
      const page = async () => (await client.getHomeTimeline({ userId: reader, limit: 20 })).dropIds;
      await expect.poll(page, POLL).not.toContain(deleted);
      const below = await client.getHomeTimeline({ userId: reader, limit: 5, maxId: deleted });
      expect(below.dropIds).toEqual(all.slice(11, 16));
    },
  );

  it.each(['since_id', 'max_id'])('C19 an unknown drop is refused as %s', async (field) => {
    const ask = { userId: 'ann', [field === 'max_id' ? 'maxId' : 'sinceId']: '1234567890' };
    await expect(timelines().getHomeTimeline(ask)).rejects.toMatchObject({
      code: Status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^${field}: `)),
    });
  });

  it('C2 C7 users of other hosts and unlisted drops are handled like others: unlisted ones reach followers alone', async () => {
    const [author, reader] = ['writer@host.example', 'reader@host.example'];
    services().following.set(author, []).set(reader, [author]);
    const stream = await listen(reader);
    const ids = [
      await post('far-public', { userId: author }),
      await post('far-unlisted', { userId: author, visibility: 'unlisted' }),
      await post('drop@host.example', { userId: author, visibility: 'unlisted' }),
    ];
    await expect.poll(() => stream.drops.toSorted(), POLL).toEqual(ids.toSorted());
    const client = timelines();
    const first = await client.getHomeTimeline({ userId: reader, limit: 1 });
    const rest = await client.getHomeTimeline({ userId: reader, maxId: first.olderCursor });
    expect([...first.dropIds, ...rest.dropIds]).toEqual(ids.toReversed());
    expect((await client.getLocalTimeline({ limit: 1 })).dropIds).toEqual(['far-public']);
    expect((await client.getGlobalTimeline({ limit: 1 })).dropIds).toEqual(['far-public']);
    // A rebuild gives the same as fan-out on write.
    await redis().command('DEL', `timeline:home:${reader}`, `{timeline:home:${reader}}:state`);
    expect((await client.getHomeTimeline({ userId: reader })).dropIds).toEqual(ids.toReversed());
  });

  it('C26 operators show and rebuild a home by its user’s ID where the services have no lookup by name', async () => {
    const env = {
      TOKEN_SECRET: SECRET,
      SERVICE_TOKEN: SERVICE,
      HOME: folder,
      METADATA_SERVER_DETECTION: 'none',
    };
    const run = (...args: string[]) =>
      new Program(['timeline', ...args, '--json', '--config', 'replica-1.yaml'], env, folder).ended;
    const { dropIds } = await timelines().getHomeTimeline({ userId: 'ann', limit: 2 });
    const shown = await run('show', 'ann', '--limit', '2');
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(shown.out)).toMatchObject({
      user: { id: 'ann' },
      following: 1,
      kept: expect.any(Number),
      newest: dropIds.map((id) => ({ id })),
    });
    expect(await run('rebuild', 'ann')).toMatchObject({ code: 0, out: expect.stringContaining('"rebuilt"') });
    expect(await run('rebuild', 'local')).toMatchObject({ code: 0 });
    expect((await timelines().getHomeTimeline({ userId: 'ann', limit: 2 })).dropIds).toEqual(dropIds);
  });

  it('C18 C24 stays ready while Redis is down, since homes are served, and reports what is degraded', async () => {
    const client = timelines();
    const health = createClient(HealthDefinition, channelTo(replica));
    const before = (await client.getHomeTimeline({ userId: 'ann' })).dropIds;
    await redis().kill();
    try {
      await expect
        .poll(async () => (await (await fetch(`${replica.url}/readyz`)).json()) as object, POLL)
        .toMatchObject({ ready: true, parts: { timelines: { ok: false } } });
      expect((await fetch(`${replica.url}/readyz`)).status).toBe(200);
      for (const service of ['', 'avion.TimelineService'])
        expect(await health.check({ service })).toEqual({ status: 1 });
      expect((await client.getHomeTimeline({ userId: 'ann' })).dropIds).toEqual(before);
      await expect(client.getLocalTimeline({})).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    } finally {
      await redis().start();
    }
    await expect
      .poll(async () => (await (await fetch(`${replica.url}/readyz`)).json()) as object, POLL)
      .toMatchObject({ ready: true, parts: { timelines: { ok: true } } });
  });

  it('C24 a role that needs Firestore reports what is missing, in a sentence', async () => {
    const yaml =
      'engine: { kind: distributed, project: there-is-none }\nserver: { port: 0 }\ntimelines: { store: memory }\n';
    writeFileSync(join(folder, 'worker.yaml'), yaml);
    const env = { HOME: folder, METADATA_SERVER_DETECTION: 'none' };
    const program = new Program(['start', '--role', 'worker', '--config', 'worker.yaml'], env, folder);
    onTestFinished(() => program.kill());
    const { code, out, err } = await program.ended;
    expect({ code, out }).toEqual({ code: 77, out: '' });
    expect(err).toMatch(/^kawaraban: There are no Google credentials for Firestore\. Set .*\n$/);
  });
});
