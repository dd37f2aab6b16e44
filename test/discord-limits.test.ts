import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { createFetcher } from '../src/fetch/create-fetcher.ts';
import type { Fetcher } from '../src/fetch/fetcher.ts';
import type { ItemKey } from '../src/item/item.ts';
import { dispatchAll } from '../src/outbox/contract/test-outbox.ts';
import { messageOf, sampleContent } from '../src/publishers/contract/sample-content.ts';
import { discordBot } from '../src/publishers/discord/bot.ts';
import { discordWebhook } from '../src/publishers/discord/webhook.ts';
import type { Publisher } from '../src/publishers/publisher.ts';
import { RateLimits } from '../src/publishers/service-response.ts';
import { openMemoryLedger } from '../src/storage/memory/ledger.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { systemClock as clock } from '../src/time/clock.ts';
import { HOUR } from '../src/time/duration.ts';
import { ManualClock } from '../src/time/manual-clock.ts';

describe('Discord’s limits', () => {
  let simulator: Simulator;
  let fetcher: Fetcher;
  let rateLimits: RateLimits;
  beforeEach(async () => {
    rateLimits = new RateLimits(clock);
    simulator = await startSimulator({
      discord: { limits: { webhook: { requests: 3, perMs: 400 }, global: { requests: 12, perMs: 60_000 } } },
    });
    fetcher = createFetcher({ clock, log: silentLogger, allow: ['127.0.0.1'] });
  });
  afterEach(async () => {
    await fetcher[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
  });
  const webhookOf = (change: Partial<Parameters<typeof discordWebhook>[0]> = {}): Publisher =>
    discordWebhook({
      id: 'd',
      url: () => simulator.discord.webhookUrl,
      fetcher,
      clock,
      rateLimits,
      ...change,
    });
  const refusals = (): number =>
    simulator.journal.entries('discord').filter(({ status }) => status === 429).length;

  it('X18 an exhausted bucket is waited for without a 429', async () => {
    const publisher = webhookOf();
    const { outbox } = openMemoryLedger({ clock, policy: { retryLimit: 1, backoff: () => 1 } });
    const messages = Array.from({ length: 10 }, (_, n) => ({
      key: `k${n}`,
      itemKeys: [`https://example.org/${n}` as ItemKey],
      destination: 'd',
      body: publisher.render(sampleContent({ url: `https://example.org/${n}` })).body,
    }));
    await outbox.enqueue(messages);
    const done = await dispatchAll(publisher, { outbox, clock, owner: 'w' });
    expect(done.map(({ outcome }) => outcome.state)).toEqual(messages.map(() => 'sent'));
    expect(refusals()).toBe(0);
    expect(simulator.discord.messages().map(({ embeds }) => embeds[0]?.url)).toEqual(
      messages.map(({ itemKeys }) => itemKeys[0]),
    );
  });

  it('X18 X21 a limit received while the clock was ahead lasts no longer for it', async () => {
    const ahead = new ManualClock(Date.now() + 3 * HOUR);
    const publisher = webhookOf({ clock: ahead, rateLimits: new RateLimits(ahead) });
    simulator.injectFault({ service: 'discord', how: 'rate_limit', retryAfterMs: 20_000 });
    expect(await publisher.send(messageOf(publisher, 'k'))).toMatchObject({ outcome: 'held' });
    ahead.jump(-3 * HOUR);
    expect(publisher.rateLimitedUntil?.()).toBe(ahead.now() + 20_000);
    await ahead.advance(20_000);
    expect(publisher.rateLimitedUntil?.()).toBeLessThanOrEqual(ahead.now());
  });

  it('X18 a limit of one channel pauses that channel, and the global limit pauses all of them', async () => {
    const webhook = webhookOf();
    const { botToken, channels } = simulator.discord;
    const place = { channel: channels.newsroom, baseUrl: simulator.urls.discord };
    const bot = discordBot({ id: 'b', token: () => botToken, ...place, fetcher, clock, rateLimits });
    simulator.injectFault({ service: 'discord', how: 'rate_limit', retryAfterMs: 2000 });
    expect(await webhook.send(messageOf(webhook, 'k'))).toMatchObject({ outcome: 'held' });
    expect(webhook.rateLimitedUntil?.()).toBeGreaterThan(clock.now());
    expect(bot.rateLimitedUntil?.()).toBe(0);
    simulator.clearFaults();
    for (let n = 0; n < 20 && bot.rateLimitedUntil?.() === 0; n++)
      await webhook.send(messageOf(webhook, `k${n}`));
    // The bot has sent nothing and is rate limited all the same.
    expect(bot.rateLimitedUntil?.()).toBeGreaterThan(clock.now() + 10_000);
  });

  it('A6 a thread, a name and a colour arrive as configured', async () => {
    const forum = discordWebhook({
      id: 'f',
      url: () => simulator.discord.forumWebhookUrl,
      forum: true,
      username: 'The newsroom',
      colour: '#123456',
      fetcher,
      clock,
    });
    expect(await forum.send(messageOf(forum, 'k1'))).toMatchObject({ outcome: 'sent' });
    const [first] = simulator.discord.messages();
    expect(first).toMatchObject({ author: { username: 'The newsroom' }, embeds: [{ color: 0x123456 }] });
    const threadId = first?.channel_id ?? '';
    expect(simulator.discord.channelName(threadId)).toBe('An article about databases');
    const url = (): string => simulator.discord.forumWebhookUrl;
    const inThread = discordWebhook({ id: 't', url, threadId, fetcher, clock });
    const other = sampleContent({ url: 'https://example.org/2' });
    expect(await inThread.send(messageOf(inThread, 'k2', other))).toMatchObject({ outcome: 'sent' });
    expect(simulator.discord.messages(threadId)).toHaveLength(2);
  });
});
