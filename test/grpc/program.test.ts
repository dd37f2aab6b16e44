import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Channel, createChannel, createClient, Metadata, Status } from 'nice-grpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TimelineServiceDefinition } from '../../proto/gen/avion/timeline.ts';
import type { App } from '../../src/app/app.ts';
import type { RunningServers } from '../../src/app/serve.ts';
import { cli } from '../../src/cli/cli.fixture.ts';
import { loadApp } from '../../src/cli/command.ts';
import { loadConfig } from '../../src/config/config.ts';
import { unusedPort } from '../../src/storage/grpc/faulty-service.fixture.ts';
import { Program } from '../program.ts';

const TOKEN = 'a-service-token-of-enough-characters';

let folder: string;
const open: AsyncDisposable[] = [];
const channels: Channel[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-grpc-'));
});
afterEach(async () => {
  for (const channel of channels.splice(0)) channel.close();
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The program with this configuration, in this process. */
async function start(
  name: string,
  yaml: string,
): Promise<{ app: App; serving: RunningServers; file: string }> {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, `data: ./${name}\n${yaml}`);
  const config = loadConfig(file, { SERVICE_TOKEN: TOKEN });
  if (!config.ok) throw new Error(JSON.stringify(config.problems));
  const app = await loadApp(config.config);
  open.push(app);
  const serving = await app.serve();
  open.push(serving);
  return { app, serving, file };
}

function timelinesAt(address: string) {
  const channel = createChannel(address);
  channels.push(channel);
  return createClient(TimelineServiceDefinition, channel);
}

const service = { metadata: Metadata({ authorization: `Bearer ${TOKEN}` }) };
const GRPC = 'server: { port: 0, grpc: { enabled: true, port: 0, service_token: { env: SERVICE_TOKEN } } }\n';

describe('the program with gRPC switched on', () => {
  it('C4 serves what is posted', async () => {
    const { app, serving } = await start('alone', `timelines: {}\n${GRPC}`);
    const ann = await app.social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
    const { drop } = await app.social.post({ userId: ann.id, visibility: 'public', text: 'hello' });
    const timelines = timelinesAt(serving.grpc ?? '');
    await expect.poll(async () => (await timelines.getLocalTimeline({})).dropIds).toEqual([drop.id]);
    await expect(timelines.getHomeTimeline({ userId: ann.id })).rejects.toMatchObject({
      code: Status.UNAUTHENTICATED,
    });
  });

  it('does not listen where it is switched off', async () => {
    const { serving } = await start('off', 'timelines: {}\nserver: { port: 0 }\n');
    expect(serving.grpc).toBeNull();
  });

  it('doctor finds a running one healthy', async () => {
    const { serving } = await start('running', `timelines: {}\n${GRPC}`);
    const port = serving.grpc?.split(':')[1] ?? '';
    writeFileSync(
      join(folder, 'doctor.yaml'),
      `data: ./doctor\ntimelines: {}\nserver: { port: 0, grpc: { enabled: true, port: ${port} } }\n`,
    );
    const result = await cli(['doctor', '--offline', '--config', 'doctor.yaml'], { cwd: folder });
    expect(result.out).toContain(`gRPC port: 127.0.0.1:${port} is healthy`);
  });
});

describe('a token made by the program', () => {
  it('C19 opens the home of its own person, as far as its scopes go, until it is revoked', async () => {
    const { app, serving } = await start('tokens', `timelines: {}\n${GRPC}`);
    const link = await app.auth.accounts.ownerLink();
    const welcome = { name: 'hana', password: 'a long enough password' };
    const opened = await app.auth.signIn.redeemLink(link?.token ?? '', welcome, 'test');
    if (!opened.ok) throw new Error('the sign-up was refused');
    const { identity } = opened.opened;
    const make = (scopes: ('read' | 'write')[]) =>
      app.auth.signIn.issueToken(identity, { label: 'test', scopes, lifetimeMs: 60_000 });
    const reading = await make(['read']);
    const writing = await make(['write']);
    const { drop } = await app.social.post({ userId: identity.userId, visibility: 'private', text: 'mine' });
    const timelines = timelinesAt(serving.grpc ?? '');
    const home = (token: string, userId = '') =>
      timelines.getHomeTimeline({ userId }, { metadata: Metadata({ authorization: `Bearer ${token}` }) });
    await expect.poll(async () => (await home(reading.token)).dropIds).toEqual([drop.id]);
    const denied = { code: Status.PERMISSION_DENIED };
    await expect(home(writing.token)).rejects.toMatchObject(denied);
    const other = await app.social.addUser({ name: 'other', displayName: 'Other', kind: 'person' });
    await expect(home(reading.token, other.id)).rejects.toMatchObject(denied);
    const refused = { code: Status.UNAUTHENTICATED };
    await expect(home(`${reading.token.slice(0, -4)}AAAA`)).rejects.toMatchObject(refused);
    expect(await app.auth.signIn.revokeToken(identity.userId, reading.record.id)).toBe(true);
    await expect(home(reading.token)).rejects.toMatchObject(refused);
  });
});

describe('the program with remote user and post services', () => {
  it('reads and writes people and drops over gRPC', async () => {
    const services = await start('services', `timelines: {}\n${GRPC}`);
    const remote = `timelines: { user_service: "${services.serving.grpc}", post_service: "${services.serving.grpc}", service_token: { env: SERVICE_TOKEN } }\n`;
    const program = await start('program', `${remote}${GRPC}`);
    const ann = await program.app.social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
    const ben = await program.app.social.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
    await program.app.social.follow(ann.id, ben.id);
    const { drop } = await program.app.social.post({ userId: ben.id, visibility: 'followers', text: 'hi' });
    expect(await services.app.social.findUser('ann')).toEqual(ann);
    for (const { serving } of [program, services]) {
      const timelines = timelinesAt(serving.grpc ?? '');
      const home = async () => (await timelines.getHomeTimeline({ userId: ann.id }, service)).dropIds;
      await expect.poll(home).toEqual([drop.id]);
    }
    const result = await cli(['doctor', '--config', program.file], {
      cwd: folder,
      env: { SERVICE_TOKEN: TOKEN },
    });
    expect(result.out).toContain(`User service (${services.serving.grpc}): answers`);
    const wrong = await cli(['doctor', '--config', program.file], {
      cwd: folder,
      env: { SERVICE_TOKEN: 'x'.repeat(40) },
    });
    expect(wrong.out).toContain('does not accept our token');
    expect(wrong.code).toBe(1);
  });

  it('C18 starts while they are down, answers UNAVAILABLE meanwhile, and reconnects when they are back', async () => {
    const port = await unusedPort();
    const address = `127.0.0.1:${port}`;
    const remote = `timelines: { user_service: "${address}", post_service: "${address}", service_token: { env: SERVICE_TOKEN } }\n`;
    const program = await start('program', `${remote}${GRPC}`);
    const timelines = timelinesAt(program.serving.grpc ?? '');
    const call = () => timelines.getHomeTimeline({ userId: 'unknown' }, service);
    await expect(call()).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    const services = await start(
      'services',
      `timelines: {}\n${GRPC.replace('port: 0, service', `port: ${port}, service`)}`,
    );
    const ann = await services.app.social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
    const { drop } = await services.app.social.post({ userId: ann.id, visibility: 'public', text: 'hi' });
    const home = async () => (await timelines.getHomeTimeline({ userId: ann.id }, service)).dropIds;
    await expect.poll(() => home().catch(() => null)).toEqual([drop.id]);
    const local = async () => (await timelines.getLocalTimeline({})).dropIds;
    await expect.poll(() => local().catch(() => null)).toEqual([drop.id]);
  });

  const PIPELINE =
    'sources: { herald: { feed: "http://127.0.0.1:9/feed.xml" } }\nnetwork: { allow: ["127.0.0.1"] }\n' +
    'pipelines: { desk: { kind: curate, sources: [herald], interests: [{ topic: News, priority: high }], publish: [timeline] } }\n';

  it('C24 a replica with pipelines waits for the user service and starts when it is available', async () => {
    const port = await unusedPort();
    const address = `127.0.0.1:${port}`;
    writeFileSync(
      join(folder, 'program.yaml'),
      `data: ./program\n${PIPELINE}timelines: { user_service: "${address}", post_service: "${address}", service_token: { env: SERVICE_TOKEN } }\nserver: { port: 0 }\n`,
    );
    const program = new Program(
      ['start', '--config', 'program.yaml', '--json'],
      { SERVICE_TOKEN: TOKEN, KAWARABAN_DATA: join(folder, 'program') },
      folder,
    );
    open.push({ [Symbol.asyncDispose]: () => program.kill() });
    await program.waitForOutput(/User service unavailable during startup, retrying in \d+ s/, 'err');
    const services = await start(
      'services',
      `timelines: {}\n${GRPC.replace('port: 0, service', `port: ${port}, service`)}`,
    );
    await program.waitForOutput(/"started":true/);
    expect(await services.app.social.findUser('desk')).toMatchObject({ kind: 'pipeline' });
  });

  it('C24 a replica that waits for the user service can be stopped', async () => {
    const address = `127.0.0.1:${await unusedPort()}`;
    writeFileSync(
      join(folder, 'program.yaml'),
      `data: ./program\n${PIPELINE}timelines: { user_service: "${address}", post_service: "${address}", service_token: { env: SERVICE_TOKEN } }\nserver: { port: 0 }\n`,
    );
    const program = new Program(
      ['start', '--config', 'program.yaml', '--json'],
      { SERVICE_TOKEN: TOKEN, KAWARABAN_DATA: join(folder, 'program') },
      folder,
    );
    open.push({ [Symbol.asyncDispose]: () => program.kill() });
    await program.waitForOutput(/User service unavailable during startup/, 'err');
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, err: expect.stringContaining('Stopped.') });
  });
});
