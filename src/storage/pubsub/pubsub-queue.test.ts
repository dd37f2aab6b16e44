import { afterEach, describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import type { Item, ItemKey } from '../../item/item.ts';
import { admittedStatus } from '../../item/lifecycle.ts';
import { keyOf, LEASE_MS, POLICY, sighting, transition } from '../../ledger/contract/subject.ts';
import { queueContract } from '../../queue/contract/queue.ts';
import type { QueueDelivery } from '../../queue/queue.ts';
import { systemClock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { openMemoryLedger } from '../memory/ledger.ts';
import { PubSubQueue } from './pubsub-queue.ts';
import { PubSubQueueError, type SetUpOptions } from './topics.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** The shortest ack deadline that Pub/Sub accepts. */
const QUICK = {
  retryBackoffMs: [100, 1000],
  maxDeliveries: 5,
  ackDeadlineMs: 10 * SECOND,
} as const satisfies Partial<SetUpOptions>;

const itemOf = (key: ItemKey): Item => ({
  ...sighting('', { key, url: key, title: `About ${key.split('/').at(-1)}` }),
  ...admittedStatus(0, false),
  createdAt: 0,
  verdict: null,
});

requires('gcloud')('Pub/Sub as the queue', () => {
  const emulator = emulatorForThisFile('pubsub');
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
  });
  const open = (
    project: string,
    more: Partial<ConstructorParameters<typeof PubSubQueue>[0]> = {},
  ): PubSubQueue => {
    const queue = new PubSubQueue({
      project,
      name: 'kawaraban-videos',
      emulator: emulator.host,
      setUp: QUICK,
      ...more,
    });
    opened.push(queue);
    return queue;
  };

  queueContract(async () => {
    const queue = open(freshProject());
    const { ledger } = openMemoryLedger({ clock: systemClock, policy: POLICY });
    return {
      queue,
      async enqueueNew(...names) {
        const sightings = names.map((name) => sighting(name));
        await ledger.admit(sightings, { handOver: true });
        const keys = await ledger.pendingHandOver({ limit: 100 });
        await queue.enqueue(keys.map(itemOf));
        await ledger.markHandedOver(keys);
        return sightings.map(({ key }) => key);
      },
      async finish(key) {
        const claim = await ledger.claim(key, { owner: 'w', leaseMs: LEASE_MS });
        if (claim === null) return;
        await ledger.record(claim, transition(claim.item, { type: 'publish' }, systemClock.now()));
      },
      [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
    };
  });

  async function gather(
    queue: PubSubQueue,
    handle: (delivery: QueueDelivery) => Promise<'done' | 'later'>,
    enough: (got: readonly QueueDelivery[]) => boolean,
  ) {
    const got: QueueDelivery[] = [];
    const stop = new AbortController();
    await queue.consume(
      async (delivery) => {
        got.push(delivery);
        const handled = await handle(delivery);
        if (enough(got)) stop.abort();
        return handled;
      },
      { concurrency: 4, signal: stop.signal },
    );
    return got;
  }

  it('D6 an item enqueued twice is processed once: the ledger decides', async () => {
    const project = freshProject();
    const queue = open(project);
    const { ledger } = openMemoryLedger({ clock: systemClock, policy: POLICY });
    await ledger.admit([sighting('a')], { handOver: true });
    for (let round = 0; round < 3; round++) await queue.enqueue([itemOf(keyOf('a'))]);
    let worked = 0;
    const got = await gather(
      queue,
      async ({ key }) => {
        const claim = await ledger.claim(key, { owner: 'w', leaseMs: LEASE_MS });
        if (claim === null) return 'done';
        worked += 1;
        await ledger.record(claim, transition(claim.item, { type: 'publish' }, systemClock.now()));
        return 'done';
      },
      ({ length }) => length >= 3,
    );
    expect(got.length).toBeGreaterThanOrEqual(3);
    expect(worked).toBe(1);
  });

  it('D8 a slow worker keeps its message past the ack deadline', async () => {
    const queue = open(freshProject());
    await queue.enqueue([itemOf(keyOf('slow'))]);
    const got = await gather(
      queue,
      async () => {
        // Pub/Sub's minimum is ten seconds, on its own clock.
        await new Promise((resolve) => setTimeout(resolve, 13_000));
        return 'done';
      },
      () => true,
    );
    expect(got.map(({ key }) => key)).toEqual([keyOf('slow')]);
  });

  it('D9 a message delivered too often is dead-lettered', async () => {
    const project = freshProject();
    const queue = open(project);
    await queue.enqueue([itemOf(keyOf('poison'))]);
    const { PubSub } = await import('@google-cloud/pubsub');
    const client = new PubSub({ projectId: project, apiEndpoint: emulator.host, emulatorMode: true });
    const stop = new AbortController();
    let attempts = 0;
    const consuming = queue.consume(
      async () => {
        attempts += 1;
        return 'later';
      },
      { concurrency: 1, signal: stop.signal },
    );
    const dead = await new Promise<string>((resolve, reject) => {
      const subscription = client.subscription('kawaraban-videos-dead');
      subscription.on('error', reject);
      subscription.on('message', (message) => {
        message.ack();
        resolve(message.data.toString());
        void subscription.close();
      });
    });
    stop.abort();
    await consuming;
    await client.close();
    expect(JSON.parse(dead)).toMatchObject({ title: 'About poison', kawaraban_item: keyOf('poison') });
    expect(attempts).toBeGreaterThanOrEqual(5);
  });

  it('D7 concurrent starts both find topic and subscription', async () => {
    const project = freshProject();
    const queues = [open(project), open(project), open(project)];
    await Promise.all(queues.map((queue, index) => queue.enqueue([itemOf(keyOf(`n${index}`))])));
    const got = await gather(
      open(project),
      async () => 'done',
      (sofar) => new Set(sofar.map(({ key }) => key)).size === 3,
    );
    expect(new Set(got.map(({ key }) => key))).toEqual(new Set([0, 1, 2].map((index) => keyOf(`n${index}`))));
  });

  it('reports the missing resources when it may not create them', async () => {
    const queue = open(freshProject(), { setUp: { create: false } });
    await expect(queue.enqueue([itemOf(keyOf('a'))])).rejects.toThrow(
      /gcloud pubsub topics create kawaraban-videos-dead/,
    );
  });
});

describe('a name that Pub/Sub does not accept', () => {
  it.each(['', 'ab', '1abc', 'goog-queue', 'a b c', 'x'.repeat(300)])('%j is refused', (name) => {
    expect(() => new PubSubQueue({ project: 'p', name })).toThrow(PubSubQueueError);
  });
});
