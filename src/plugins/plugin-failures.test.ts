import { describe, expect, it, vi } from 'vitest';
import { plainFetcher } from '../fetch/loopback.fixture.ts';
import { interestsOf } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import { createLocalJudge } from '../judge/local/local-judge.ts';
import { messageOf, sampleContent } from '../publishers/contract/sample-content.ts';
import type { Publisher } from '../publishers/publisher.ts';
import { newSourceRecord } from '../sources/source.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { ConfiguredPlugins } from './configured-plugins.ts';
import { pluginJudge } from './plugin-judge.ts';
import { pluginPublisher } from './plugin-publisher.ts';
import type { PluginHost } from './plugin-services.ts';
import { pluginSource } from './plugin-source.ts';
import { pluginSourceStore } from './plugin-source-store.ts';

const never = (): Promise<never> => new Promise(() => {});
const throws = (): never => {
  throw new Error('broken');
};

/** A plugin whose `create` returns whatever a test needs: as at run time, its types are not checked. */
function hostOf(
  create: () => unknown,
  clock = new ManualClock(),
): PluginHost & { readonly clock: ManualClock } {
  const entry = {
    plugin: 'odd',
    kind: 'odd',
    settings: {},
    secrets: [],
    definition: {
      settings: { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: {} }) } },
      create,
    },
  } as const;
  const entries = new Map([['x', entry]]) as never;
  const plugins = new ConfiguredPlugins([], {
    sources: entries,
    judges: entries,
    publishers: entries,
    sourceStores: new Map([['store', entry]]) as never,
  });
  return {
    config: { plugins, file: '/etc/kawaraban.yaml' },
    fetcher: plainFetcher,
    clock,
    log: silentLogger,
  };
}

/** The answer to a call that never answers, after its time. */
async function afterTimeout<T>(clock: ManualClock, ms: number, call: () => Promise<T>): Promise<T> {
  const answer = call();
  // It may reject before it is awaited.
  answer.catch(() => {});
  await vi.waitFor(() => expect(clock.sleeping).toBeGreaterThan(0));
  await clock.advance(ms);
  return answer;
}

const running = new AbortController().signal;

describe('a source of a plugin', () => {
  const read = (answer: () => unknown) =>
    pluginSource(
      'x',
      'X',
      'odd',
      hostOf(() => ({ read: async () => answer() })),
    ).read({}, running);
  const good = { key: 'https://a.example/1', url: 'https://a.example/1', title: 'One', publishedAt: 1 };

  it('I3 reports only what the ledger takes, as its own, and warns of the rest', async () => {
    const sightings = [
      { ...good, sourceId: 'another', sourceName: 'Another', unknown: true },
      { ...good, title: '' },
      { ...good, url: 'javascript:alert(1)' },
      { ...good, publishedAt: Number.NaN },
      { ...good, author: 7 },
      'garbage',
    ];
    expect(await read(() => ({ outcome: 'read', sightings, memory: { seen: 1 } }))).toEqual({
      outcome: 'read',
      sightings: [{ ...good, sourceId: 'x', sourceName: 'X' }],
      memory: { seen: 1 },
      warnings: [
        expect.stringMatching(/^5 items of the plugin were left out: the title is empty; url: is not/),
      ],
    });
  });

  it.each([
    undefined,
    'text',
    {},
    { outcome: 'read' },
    { outcome: 'read', sightings: {}, memory: {} },
    { outcome: 'read', sightings: [], memory: { deep: {} } },
    { outcome: 'failed', why: 'mood' },
  ])('I3 an answer that is no reading is a failure (%j)', async (answer) => {
    expect(await read(() => answer)).toMatchObject({ outcome: 'failed', why: 'bad_answer' });
  });

  it('I3 an error, also of its creation, is a failure', async () => {
    expect(await read(throws)).toMatchObject({ outcome: 'failed', detail: 'the plugin failed: broken' });
    expect(await pluginSource('x', 'X', 'odd', hostOf(throws)).read({}, running)).toMatchObject({
      outcome: 'failed',
      detail: 'the plugin failed: broken',
    });
  });

  it('I3 one that hangs fails after two minutes, and a stop does not wait for it', async () => {
    const host = hostOf(() => ({ read: never }));
    const source = pluginSource('x', 'X', 'odd', host);
    expect(await afterTimeout(host.clock, 120_000, () => source.read({}, running))).toMatchObject({
      outcome: 'failed',
      why: 'timeout',
    });
    const stop = new AbortController();
    const reading = source.read({}, stop.signal);
    stop.abort(new Error('stop'));
    await expect(reading).rejects.toThrow('stop');
  });
});

describe('a judge of a plugin', () => {
  const article = { url: 'https://a.example/', title: 'Weaving', text: 'Weaving is slow, and good.' };
  const interests = interestsOf([{ topic: 'weaving', priority: 'high' }]);
  const local = createLocalJudge();
  const judgeOf = (change: Partial<Record<keyof Judge, unknown>>, clock?: ManualClock) =>
    pluginJudge(
      { id: 'x', timeoutMs: 5000, judge: async () => local },
      hostOf(() => ({ ...local, ...change }), clock),
    );

  it('I3 names itself in its verdicts, and its texts are sanitised', async () => {
    const judge = await judgeOf({
      screen: async () => ({
        outcome: 'judged',
        value: { decision: 'worth_it', reason: 'see <b>https://evil.example/</b> @all' },
        by: { judge: 'other', model: 'm', promptVersion: '1', usage: NO_USAGE },
      }),
    });
    expect(await judge.evaluate(article, interests)).toMatchObject({ outcome: 'judged', by: { judge: 'x' } });
    expect(await judge.screen(article, [])).toEqual({
      outcome: 'judged',
      value: { decision: 'worth_it', reason: 'see all' },
      by: { judge: 'x', model: 'm', promptVersion: '1', provisional: false, usage: NO_USAGE },
    });
  });

  const NO_USAGE = { calls: 0, inputTokens: 0, outputTokens: 0, microUsd: 0, ms: 0 };
  const verdict = (value: object) => ({
    outcome: 'judged',
    value: { score: 50, topics: ['weaving'], summary: 's', reason: 'r', ...value },
    by: { judge: 'x', model: 'm', promptVersion: '1', provisional: false, usage: NO_USAGE },
  });
  it.each([
    undefined,
    { outcome: 'judged', value: 3 },
    verdict({ score: 101 }),
    verdict({ score: Number.NaN }),
    verdict({ topics: ['cooking'] }),
    { ...verdict({}), by: undefined },
  ])('I3 X18 nonsense is later, never a score (%j)', async (answer) => {
    const judge = await judgeOf({ evaluate: async () => answer });
    expect(await judge.evaluate(article, interests)).toMatchObject({ outcome: 'later', why: 'bad_answer' });
  });

  it('I3 X18 an error or no answer is later; a stop is a stop', async () => {
    const clock = new ManualClock();
    const judge = await judgeOf({ evaluate: throws, screen: never }, clock);
    expect(await judge.evaluate(article, interests)).toMatchObject({
      outcome: 'later',
      why: 'server_error',
      detail: 'the plugin failed: broken',
    });
    expect(await afterTimeout(clock, 5000, () => judge.screen(article, []))).toMatchObject({
      outcome: 'later',
      why: 'timeout',
    });
    await expect(judge.screen(article, [], AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  });

  it.each([throws, () => null, () => ({ ...local, screen: 1 })])(
    'I3 one that cannot be created refuses the start by name',
    async (create) => {
      await expect(
        pluginJudge({ id: 'x', timeoutMs: 5000, judge: async () => local }, hostOf(create)),
      ).rejects.toThrow(
        /^judges\.x: the plugin odd cannot create it: (broken|it returned no object|it has no screen)$/,
      );
    },
  );
});

describe('a publisher of a plugin', () => {
  const whole: Omit<Publisher, 'id'> = {
    abilities: { nativeIdempotencyMs: 0, canReadBack: true, itemsPerMessage: 1 },
    render: () => ({ body: 'body', templateVersion: '1' }),
    send: async () => ({ outcome: 'sent', remoteId: '1' }),
    readBack: async () => ({ outcome: 'absent' }),
    revise: () => 'revised',
    edit: async () => ({ outcome: 'edited' }),
  };
  const publisherOf = (change: Partial<Record<keyof Publisher, unknown>>, clock?: ManualClock) =>
    pluginPublisher(
      { id: 'x', pipeline: 'p', timeoutMs: 5000 },
      hostOf(() => ({ ...whole, ...change }), clock),
    );

  it('I3 does what the plugin does', async () => {
    const publisher = await publisherOf({});
    const message = messageOf(publisher, 'key');
    expect(await publisher.send(message)).toEqual({ outcome: 'sent', remoteId: '1' });
    expect(await publisher.readBack(message)).toEqual({ outcome: 'absent' });
    expect(publisher.revise?.('a', { url: 'b', title: 'c' })).toBe('revised');
    expect(await publisher.edit?.('1', 'a')).toEqual({ outcome: 'edited' });
    expect(publisher.id).toBe('x');
  });

  it.each([throws, () => undefined, () => ({ outcome: 'sent' }), () => ({ outcome: 'done', remoteId: '1' })])(
    'I3 X2 an error or nonsense is unknown, since the message may have arrived',
    async (answer) => {
      const wrong = async (): Promise<unknown> => answer();
      const publisher = await publisherOf({ send: wrong, readBack: wrong, edit: wrong, prepare: wrong });
      const message = messageOf(publisher, 'key');
      await publisher.prepare?.();
      expect(await publisher.send(message)).toMatchObject({ outcome: 'unknown' });
      expect(await publisher.readBack(message)).toMatchObject({ outcome: 'cannot_tell', passing: true });
      expect(await publisher.edit?.('1', 'a')).toMatchObject({ outcome: 'later' });
    },
  );

  it('I3 X2 one that hangs is unknown after its timeout', async () => {
    const clock = new ManualClock();
    const publisher = await publisherOf({ send: never }, clock);
    expect(await afterTimeout(clock, 5000, () => publisher.send(messageOf(publisher, 'key')))).toMatchObject({
      outcome: 'unknown',
      detail: 'the plugin failed: did not answer within 5 seconds',
    });
  });

  it('I3 a message that cannot be rendered is refused, and never sent', async () => {
    for (const render of [throws, () => 'text']) {
      const send = vi.fn();
      const publisher = await publisherOf({ render, send, revise: throws, rateLimitedUntil: throws });
      const message = messageOf(publisher, 'key', sampleContent());
      expect(await publisher.send(message)).toMatchObject({ outcome: 'refused' });
      expect(await publisher.readBack(message)).toEqual({ outcome: 'absent' });
      expect(send).not.toHaveBeenCalled();
      expect(publisher.revise?.('a', { url: 'b', title: 'c' })).toBeNull();
      expect(publisher.rateLimitedUntil?.()).toBe(0);
    }
  });

  it('I3 one without valid abilities refuses the start', async () => {
    await expect(publisherOf({ abilities: { itemsPerMessage: 0 } })).rejects.toThrow(
      'publishers.x: the plugin odd cannot create it: its `abilities` are invalid',
    );
  });
});

describe('a source store of a plugin', () => {
  const record = newSourceRecord('a');
  const storeOf = (change: object, clock?: ManualClock) =>
    pluginSourceStore(
      hostOf(
        () => ({ load: never, save: never, claim: never, list: never, remove: never, ...change }),
        clock,
      ),
    );

  it('I3 an invalid record, an error or no answer is an error of the store', async () => {
    const clock = new ManualClock();
    const store = await storeOf(
      { load: async () => record, list: async () => [{ ...record, itemsSeen: 'many' }], save: throws },
      clock,
    );
    expect(await store.load('a')).toEqual(record);
    await expect(store.list()).rejects.toThrow(
      'Failed to list in the source store of the plugin odd: it returned an invalid record',
    );
    await expect(store.save(record)).rejects.toThrow(/odd: broken$/);
    const claiming = afterTimeout(clock, 30_000, () => store.claim('a', 'me', 1));
    await expect(claiming).rejects.toThrow(/did not answer within 30 seconds$/);
    await store[Symbol.asyncDispose]();
  });
});
