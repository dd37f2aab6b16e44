import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import type { Delivery } from '../src/outbox/outbox.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { HOUR } from '../src/time/duration.ts';
import {
  type Destination,
  newsroomConfig,
  newsroomText,
  publishNews,
  quickReader,
  secretsOf,
} from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';

/** Common mistakes in a destination: each has a clear outcome, and nothing is lost once it is corrected. */
describe('a misconfigured destination', { timeout: 240_000 }, () => {
  let simulator: Simulator;
  let folder: string;
  let feed: string;
  let later = 0;
  const clock = skewedClock(() => later);
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-misconfigured-'));
    simulator = await startSimulator({ clock, discord: { limits: false }, mastodon: { limits: false } });
    feed = publishNews(simulator, 'bad', 1).url;
  });
  afterEach(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Wrong {
    /** Settings of the destination that are wrong. */
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly secrets?: Readonly<Record<string, string>>;
    /** Contact of the operator. */
    readonly contact?: string;
  }

  function written(destination: Destination, { settings = {}, contact }: Wrong): string {
    const newsroom = JSON.parse(newsroomText({ kind: 'summarise', destination, feed }, simulator));
    Object.assign(newsroom.publishers[destination], settings);
    newsroom.pipelines.desk.publish = [destination];
    if (contact !== undefined) newsroom.network.contact = contact;
    return JSON.stringify(newsroom);
  }

  /** One run, an hour after the last one; returns the status of the item and its message. */
  async function run(destination: Destination, wrong: Wrong = {}) {
    later += HOUR;
    const env = { ...secretsOf(simulator), ...wrong.secrets };
    const app = await openApp(newsroomConfig(written(destination, wrong), folder, env), {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      interpose: (infrastructure) => ({ ...infrastructure, reader: quickReader }),
    });
    try {
      const pipeline = app.pipelines.get('desk') ?? expect.unreachable();
      await pipeline.run(new AbortController().signal);
      const [item] = (await pipeline.ledger.list({ limit: 5 })).items;
      const { deliveries } = await pipeline.outbox.list({ limit: 5 });
      return { state: item?.state, item, deliveries };
    } finally {
      await app[Symbol.asyncDispose]();
    }
  }

  const postsAt = (destination: Destination): number =>
    destination === 'mastodon' ? simulator.mastodon.statuses().length : simulator.discord.messages().length;

  /** The message waits, with the reason and what to check, and is sent once as soon as the mistake is corrected. */
  async function waitsAndRecovers(destination: Destination, wrong: Wrong, why: RegExp): Promise<void> {
    for (let times = 0; times < 2; times++) {
      const { state, deliveries } = await run(destination, wrong);
      expect(state).toBe('accepted');
      expect(deliveries).toMatchObject([{ state: 'intended', detail: expect.stringMatching(why) }]);
      expectNoSecret(deliveries, wrong);
    }
    expect(postsAt(destination)).toBe(0);
    const { state, deliveries } = await run(destination);
    expect(state).toBe('published');
    expect(deliveries).toMatchObject([{ state: 'sent' }]);
    expect(postsAt(destination)).toBe(1);
  }

  function expectNoSecret(deliveries: readonly Delivery[], { secrets = {} }: Wrong): void {
    for (const secret of Object.values(secrets)) expect(JSON.stringify(deliveries)).not.toContain(secret);
  }

  it.each([
    ['bot', undefined, 'https://kawaraban.example'],
    ['webhook', 'https://news.example/about', 'https://news.example/about'],
  ] as const)('A6 a Discord %s calls itself as Discord asks for', async (destination, contact, url) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await run(destination, contact === undefined ? {} : { contact })).state).toBe('published');
    expect([...simulator.discord.userAgents]).toEqual([`DiscordBot (${url}, ${version})`]);
  });

  it('A6 an unknown channel', () =>
    waitsAndRecovers('bot', { settings: { channel: '1100000000000099999' } }, /404.*Unknown Channel.*check/));

  it('X7 a bot’s token that was revoked', () =>
    waitsAndRecovers('bot', { secrets: { BOT: 'a.token.that-was-revoked' } }, /401.*check/));

  it('X7 a webhook that was deleted', () =>
    waitsAndRecovers(
      'webhook',
      { secrets: { WEBHOOK: simulator.discord.webhookUrl.replace(/[^/]+$/, 'anothersecretword') } },
      /40[14].*check/,
    ));

  it('X7 a Mastodon token that was revoked', () =>
    waitsAndRecovers('mastodon', { secrets: { MASTODON: 'a-token-that-was-revoked' } }, /401.*check/));

  it('X2 an instance that answers HTML: it is not taken as success, and the message is posted once', async () => {
    simulator.injectFault({ service: 'mastodon', how: 'html', match: { method: 'POST' } });
    const first = await run('mastodon');
    expect(first).toMatchObject({ state: 'deferred', item: { reason: 'api_failed', attempts: 1 } });
    expect(first.deliveries).toMatchObject([{ state: 'unknown' }]);
    let last = await run('mastodon');
    for (let rounds = 0; rounds < 3 && last.state !== 'published'; rounds++) last = await run('mastodon');
    expect(last.state).toBe('published');
    expect(postsAt('mastodon')).toBe(1);
  });

  it('B18 a message that is too long after all shortening: refused with the reason, and sent with another template', async () => {
    const template = `${'fixed words '.repeat(60)}{url}`;
    const { state, item, deliveries } = await run('mastodon', { settings: { template } });
    expect(deliveries).toMatchObject([
      { state: 'refused', detail: expect.stringMatching(/after all shortening.*too long/) },
    ]);
    expect(state).toBe('deferred');
    expect(item).toMatchObject({ reason: 'api_failed', attempts: 1 });
    expect(postsAt('mastodon')).toBe(0);
    expect((await run('mastodon')).state).toBe('published');
    expect(postsAt('mastodon')).toBe(1);
  });

  it.each(['webhook', 'bot', 'mastodon'] as const)(
    'X11 a template of %s with a wrong name is refused before anything starts, with its position',
    (destination) => {
      const text = written(destination, { settings: { template: '{sumary} {url}' } });
      const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), secretsOf(simulator));
      expect(loaded.ok ? [] : loaded.problems).toMatchObject([
        {
          path: `publishers.${destination}.template`,
          line: expect.any(Number),
          message: expect.stringMatching(/\{sumary\} is not known: did you mean `summary`/),
        },
      ]);
    },
  );
});
