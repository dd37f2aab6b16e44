import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { decideItem } from '../src/app/control/decisions.ts';
import type { Role } from '../src/app/roles.ts';
import { type App, openApp } from '../src/app.ts';
import type { ItemKey } from '../src/item/item.ts';
import type { Pipeline } from '../src/pipelines/pipeline.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { type Clock, systemClock } from '../src/time/clock.ts';
import { SECOND } from '../src/time/duration.ts';
import { houseConfig, houseText, publishNews, quickReader, secretsOf } from './crash/house.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The whole program with a curator whose memory is in Firestore. */
requires('gcloud')('a curator on Firestore', () => {
  const firestore = emulatorForThisFile('firestore');
  const never = new AbortController().signal;
  let folder: string;
  let project: string;
  let simulator: Simulator;
  let later: number;
  const opened: AsyncDisposable[] = [];
  /** Time passes at once where a test says so. */
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + later,
    monotonic: () => systemClock.monotonic() + later,
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-curator-'));
    project = freshProject();
    later = 0;
    simulator = await startSimulator({ clock, discord: { limits: false } });
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(feed: string, ...roles: Role[]): Promise<App> {
    const where = { engine: 'firestore', emulator: firestore.host, project } as const;
    const text = houseText({ kind: 'curate', destination: 'webhook', feed, where }, simulator);
    const app = await openApp(houseConfig(text, folder, secretsOf(simulator)), {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
      ...(roles.length > 0 && { roles: new Set(roles) }),
      interpose: (ground) => ({ ...ground, reader: quickReader }),
    });
    opened.push(app);
    return app;
  }

  function deskOf(app: App): Pipeline {
    return app.pipelines.get('desk') ?? expect.fail('no pipeline');
  }

  async function run(app: App): Promise<void> {
    expect((await deskOf(app).run(never)).ran).toBe(true);
  }

  /** Asks the web replica as its owner. */
  async function ownerOf(app: App) {
    const server = await app.serve(0);
    opened.push(server);
    const link = await app.signing.accounts.ownerLink();
    const welcome = await fetch(`${server.url}/api/v1/welcome`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link: link?.token, name: 'hana', password: 'a long enough password' }),
    });
    const cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { csrfToken } = (await welcome.json()) as { csrfToken: string };
    return async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: {
          cookie,
          'x-csrf-token': csrfToken,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      // biome-ignore lint/suspicious/noExplicitAny: answers are compared by their shape
      return { status: answer.status, json: (text === '' ? null : JSON.parse(text)) as any };
    };
  }

  it('X13 X21 a web replica shows the dead letters that the scheduler made after its first look', async () => {
    const feed = publishNews(simulator, 'dead-letters', 1);
    const [web, scheduler] = [await open(feed.url, 'web'), await open(feed.url, 'scheduler', 'worker')];
    const ask = await ownerOf(web);
    const items = '/items?pipeline=desk&state=parked';
    const deliveries = '/deliveries?pipeline=desk&state=parked';
    expect((await ask('GET', items)).json.items).toEqual([]);
    expect((await ask('GET', deliveries)).json.deliveries).toEqual([]);

    // A webhook whose reply was lost cannot be asked what it has.
    simulator.misbehave({ service: 'discord', how: 'lost_reply', times: 1 });
    await run(scheduler);
    later += 6 * SECOND;
    const [item] = (await ask('GET', items)).json.items;
    expect(item).toMatchObject({ state: 'parked', reason: 'delivery_unknown' });
    const [message] = (await ask('GET', deliveries)).json.deliveries;
    expect(message).toMatchObject({ state: 'parked', itemKeys: [item.key] });
    expect((await deskOf(web).ledger.counts()).byState.parked).toBe(1);

    const decision = { pipeline: 'desk', key: item.key, decision: 'retry' };
    expect(await ask('POST', '/item/decision', decision)).toMatchObject({
      status: 200,
      json: { messages: 1 },
    });
    expect((await deskOf(web).ledger.find(item.key))?.state).toBe('waiting');
    later += 120 * SECOND;
    await run(scheduler);
    expect(simulator.discord.messages()).toHaveLength(2);
    expect((await deskOf(scheduler).ledger.find(item.key))?.state).toBe('published');
  });

  it('X2 X21 a decision on what a web replica saw earlier is refused when the article was published since', async () => {
    const feed = publishNews(simulator, 'stale-click', 1);
    const [web, scheduler] = [await open(feed.url, 'web'), await open(feed.url, 'scheduler', 'worker')];
    const ask = await ownerOf(web);
    simulator.misbehave({ service: 'discord', how: 'lost_reply', times: 1 });
    await run(scheduler);
    const [item] = (await ask('GET', '/items?pipeline=desk&state=parked')).json.items;
    const [message] = (await ask('GET', '/deliveries?pipeline=desk&state=parked')).json.deliveries;
    expect(item.state).toBe('parked');

    const { key } = item as { key: ItemKey };
    expect(await decideItem(deskOf(scheduler), key, { kind: 'sent' }, 'ken')).toMatchObject({ done: true });
    expect((await deskOf(scheduler).ledger.find(key))?.state).toBe('published');
    for (const decision of ['retry', 'park', 'drop', 'sent']) {
      const answer = await ask('POST', '/item/decision', { pipeline: 'desk', key, decision });
      expect(answer).toMatchObject({ status: 409, json: { title: 'Nothing was changed' } });
      expect(answer.json.detail).toMatch(/^an item that is published cannot /);
    }
    for (const decision of ['again', 'drop'])
      expect(
        await ask('POST', '/deliveries/decision', { pipeline: 'desk', key: message.key, decision }),
      ).toMatchObject({ status: 409 });

    later += 120 * SECOND;
    await run(scheduler);
    expect(simulator.discord.messages()).toHaveLength(1);
    for (const app of [web, scheduler]) {
      expect((await deskOf(app).ledger.counts()).byState).toMatchObject({
        published: 1,
        parked: 0,
        waiting: 0,
      });
      expect((await deskOf(app).ledger.find(key))?.state).toBe('published');
    }
  });
});
