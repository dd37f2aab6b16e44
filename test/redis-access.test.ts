import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../scripts/free-port.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { RunningServers } from '../src/app/serve.ts';
import { parseConfig } from '../src/config/config.ts';
import type { User } from '../src/social/social-store.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { TestAuthority } from './certificates.ts';
import { startRedis, startRedisCluster, startRedisSentinels } from './redis.ts';
import { requires } from './requirements.ts';
import { StreamReader } from './stream-reader.ts';

const PASSWORD = 'the-password-of-the-acl-user';
const SENTINEL_PASSWORD = 'the-password-of-the-sentinels';
/** What docs/guides/tls.md recommends. */
const ACL = ['kawaraban', 'on', `>${PASSWORD}`, '~*', '&*', '+@all', '-@dangerous', '+info'];

requires('redis-server', 'openssl')('access to Redis', () => {
  let folder: string;
  const open: AsyncDisposable[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-redis-access-'));
  });
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Newsroom {
    readonly app: App;
    readonly author: User;
    readonly stream: StreamReader;
    post(text: string): Promise<string>;
    local(): Promise<readonly string[]>;
  }

  async function serve(redis: string): Promise<{ app: App; server: RunningServers }> {
    const text = `
data: ${folder}/data
server: { port: 0 }
timelines:
  stream: { drain: 0s }
  redis: ${redis}`;
    const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), { PASSWORD, SENTINEL_PASSWORD });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
    open.push(app);
    const server = await app.serve();
    open.push(server);
    return { app, server };
  }

  async function start(redis: string): Promise<Newsroom> {
    const { app, server } = await serve(redis);
    const author = await app.social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
    const stream = await StreamReader.open(`${server.url}/events/timeline/local`);
    open.push({ [Symbol.asyncDispose]: async () => stream.close() });
    await expect.poll(() => stream.lastId).not.toBe('');
    return {
      app,
      author,
      stream,
      post: async (words) =>
        (await app.social.post({ userId: author.id, text: words, visibility: 'public' })).drop.id,
      local: async () => {
        const response = await fetch(`${server.url}/api/v1/timelines/local`);
        if (!response.ok) return [];
        const { drops } = (await response.json()) as { drops: { id: string }[] };
        return drops.map(({ id }) => id);
      },
    };
  }

  async function postArrives({ stream, post, local }: Newsroom): Promise<void> {
    const id = await post('hello');
    await expect.poll(() => stream.drops).toContain(id);
    await expect.poll(local).toContain(id);
  }

  /** TLS beside the plain port, by which the tests look. */
  async function tlsSettings(authority: TestAuthority, names?: string[]): Promise<readonly string[]> {
    const { certificate, key } = authority.issue({ ...(names && { names }) });
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', authority.ca];
    return ['--tls-port', `${await freePort()}`, ...files];
  }

  it('I12 Redis is reached over TLS with a client certificate, as an ACL user', async () => {
    const authority = new TestAuthority(folder);
    const settings = await tlsSettings(authority, ['DNS:redis.internal']);
    const redis = await startRedis([...settings, '--user', ...ACL]);
    open.push(redis);
    const { certificate, key } = authority.issue();
    const newsroom = await start(`
    nodes: ['127.0.0.1:${settings[1]}']
    tls: { ca: '${authority.ca}', certificate: '${certificate}', key: '${key}', server_name: redis.internal }
    username: kawaraban
    password: { env: PASSWORD }
    prefix: 'secure:'`);
    await postArrives(newsroom);
    expect(await redis.command('KEYS', 'secure:*')).not.toEqual([]);
    const clients = String(await redis.command('CLIENT', 'LIST')).split('\n');
    expect(clients.filter((client) => client.includes('user=kawaraban')).length).toBeGreaterThan(1);
  });

  it('I12 a Redis Cluster is reached over TLS', async () => {
    const authority = new TestAuthority(folder);
    const ports: string[] = [];
    const cluster = await startRedisCluster(async () => {
      const settings = await tlsSettings(authority);
      ports.push(settings[1] ?? '');
      return [...settings, '--tls-cluster', 'yes'];
    });
    open.push(cluster);
    const { certificate, key } = authority.issue();
    const newsroom = await start(`
    nodes: [${ports.map((port) => `'127.0.0.1:${port}'`)}]
    cluster: true
    tls: { ca: '${authority.ca}', certificate: '${certificate}', key: '${key}' }`);
    await postArrives(newsroom);
  });

  it('I12 the master that Sentinels name is found again after a failover, and open streams go on', async () => {
    const sentinels = await startRedisSentinels(['--user', ...ACL], SENTINEL_PASSWORD);
    open.push(sentinels);
    const [master, replica] = sentinels.servers;
    const newsroom = await start(`
    sentinel:
      nodes: [${sentinels.addresses.map((address) => `'${address}'`)}]
      master: news
      password: { env: SENTINEL_PASSWORD }
    username: kawaraban
    password: { env: PASSWORD }`);
    const { stream, local, post } = newsroom;
    await postArrives(newsroom);
    await expect.poll(() => replica.command('DBSIZE')).toBeGreaterThan(0);
    await master.kill();
    const during = await post('while there is no master');
    await expect.poll(local).toContain(during);
    await expect.poll(async () => String(await replica.command('ROLE'))).toMatch(/^master/);
    await postArrives(newsroom);
    // What was posted without a master was delivered, or the stream was told to load everything again.
    expect(stream.drops.includes(during) || stream.events.some(({ event }) => event === 'reset')).toBe(true);
    // The old master comes back as a replica, and the new one stays in use.
    await master.start();
    await expect.poll(async () => String(await master.command('ROLE'))).toMatch(/^slave/);
    await postArrives(newsroom);
    expect(stream.ended).toBe(false);
    expect(stream.duplicates).toEqual([]);
  });

  it('C24 a stop does not wait for a Redis that was never reached', async () => {
    for (const redis of [
      "{ nodes: ['127.0.0.1:1'] }",
      "{ nodes: ['127.0.0.1:1'], cluster: true }",
      "{ sentinel: { nodes: ['127.0.0.1:1'] } }",
    ]) {
      const { app, server } = await serve(redis);
      const stream = await StreamReader.open(`${server.url}/events/timeline/local`);
      expect(stream.status).toBe(200);
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      stream.close();
    }
  });
});
