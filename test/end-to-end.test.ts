import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { sampleConfig } from '../src/config/sample.ts';
import type { Pipeline } from '../src/pipelines/pipeline.ts';
import type { RunProgress } from '../src/scheduler/run-report.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';

describe('one item from feed to message, on the embedded engine', { timeout: 240_000 }, () => {
  let folder: string;
  let simulator: Simulator;
  let app: App;
  const never = new AbortController().signal;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-walk-'));
    simulator = await startSimulator();
    app = await open();
  });
  afterEach(async () => {
    await app[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(): Promise<App> {
    const sample = sampleConfig(simulator.urls, {
      SAMPLE_DISCORD_WEBHOOK: simulator.discord.webhookUrl,
      SAMPLE_MASTODON_TOKEN: simulator.mastodon.token,
    });
    const loaded = parseConfig(sample.text, join(folder, 'kawaraban.yaml'), { ...sample.env });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    return openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
  }

  function pipelineOf(id = 'morning'): Pipeline {
    const pipeline = app.pipelines.get(id);
    if (pipeline === undefined) throw new Error('no pipeline');
    return pipeline;
  }

  async function run(id = 'morning') {
    const result = await pipelineOf(id).run(never);
    if (!result.ran) throw new Error(result.why);
    return result.report;
  }

  it('A1 feeds are read, articles judged, the best posted, and every verdict recorded', async () => {
    const report = await run();
    expect(report.admitted).toBeGreaterThan(20);
    const posted = simulator.discord.messages();
    expect(posted).toHaveLength(1);
    const published = await pipelineOf().ledger.list({ states: ['published'], limit: 50 });
    expect(posted[0]?.embeds).toHaveLength(5);
    // X3: items about the same story are in one message.
    expect(published.items.length).toBeGreaterThanOrEqual(5);
    const { byState } = await pipelineOf().ledger.counts();
    expect(byState.waiting).toBe(0);
    expect(byState.rejected).toBeGreaterThan(10);
  });

  it('A1 a dry run shows exactly the messages that a run then sends, and writes nothing', async () => {
    const { report, messages } = await pipelineOf().preview(never);
    expect(report).toMatchObject({ dryRun: true });
    expect(messages.map((m) => m.destination).sort()).toEqual(['discord', ...Array(5).fill('timeline')]);
    expect(simulator.discord.messages()).toHaveLength(0);
    expect((await pipelineOf().ledger.counts()).byState.waiting).toBe(0);
    expect(await app.engine.sources.list()).toEqual([]);

    await run();
    const [sent] = simulator.discord.messages();
    const shown = JSON.parse(messages.find((m) => m.destination === 'discord')?.body ?? '{}');
    expect(sent?.embeds.map((e) => e.url)).toEqual(shown.embeds.map((e: { url: string }) => e.url));
  });

  it('A13 the message ID that Discord returned is kept with every item of the digest', async () => {
    await run();
    const [message] = simulator.discord.messages();
    for (const item of (await pipelineOf().ledger.list({ states: ['published'], limit: 50 })).items) {
      const deliveries = await pipelineOf().outbox.ofItem(item.key);
      expect(deliveries.find((d) => d.destination === 'discord')?.remoteId).toBe(message?.id);
    }
  });

  it('C7 what was published is a drop on the local timeline', async () => {
    await run();
    const answer = await app.newsroom.timelines.page('timeline:local', {});
    if (!answer.ok) throw new Error('no page');
    expect(answer.page.entries).toHaveLength(5);
  });

  it('A5 a second start continues where the first stopped: nothing is sent twice, postponed items compete again', async () => {
    await run();
    await app[Symbol.asyncDispose]();
    app = await open();
    const second = await run();
    expect(second.admitted).toBe(0);
    expect(second.items.filter(({ outcome }) => outcome === 'rejected')).toEqual([]);
    const titles = simulator.discord.messages().flatMap((m) => m.embeds.map((e) => String(e.url)));
    expect(titles).toHaveLength(10);
    expect(new Set(titles).size).toBe(10);
  });

  it('X2 a message to a webhook whose reply was lost is not sent again: its items are parked and shown', async () => {
    simulator.injectFault({ service: 'discord', how: 'lost_reply', times: 1 });
    await run();
    expect(simulator.discord.messages()).toHaveLength(1);
    expect((await pipelineOf().ledger.counts()).byState.parked).toBeGreaterThanOrEqual(5);
    await pipelineOf().dispatch();
    expect(simulator.discord.messages()).toHaveLength(1);
  });

  it('X18 a rate limit costs no attempt: the message waits and is sent once', async () => {
    simulator.injectFault({ service: 'discord', how: 'rate_limit', times: 1 });
    await run();
    expect(simulator.discord.messages()).toHaveLength(0);
    expect((await pipelineOf().outbox.counts()).intended).toBe(1);
    expect((await pipelineOf().ledger.counts()).byState.parked).toBe(0);
  });

  it('B6 B8 B19 the summary bot screens one item in one step, summarises and posts it in the next', async () => {
    const outcomes: string[] = [];
    const record = ({ item }: RunProgress): void => void (item && outcomes.push(item.outcome));
    for (let i = 0; i < 6; i++) await pipelineOf('ministry').run(never, record);
    expect(outcomes).toContain('accepted');
    expect(outcomes).toContain('published');
    const { items } = await pipelineOf('ministry').ledger.list({ states: ['published'], limit: 50 });
    expect(simulator.mastodon.statuses()).toHaveLength(items.length);
    for (const item of items) expect(simulator.mastodon.posted(item.url)).toBe(1);
    expect(await pipelineOf('ministry').ledger.list({ states: ['baseline'], limit: 50 })).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ reason: 'first_contact' })]),
    });
  });

  it('D3 D6 a video is recorded once, processed once and published once', async () => {
    const report = await run('videos');
    expect(report.admitted).toBeGreaterThan(0);
    expect((await run('videos')).admitted).toBe(0);
    const stop = new AbortController();
    const running = pipelineOf('videos').runBackgroundWork(stop.signal);
    const { ledger, outbox } = pipelineOf('videos');
    await expect.poll(async () => (await ledger.counts()).byState.published).toBe(report.admitted);
    await expect.poll(async () => (await outbox.counts()).sent).toBe(report.admitted);
    stop.abort();
    await running;
    expect((await outbox.counts()).sent).toBe(report.admitted);
  });
});
