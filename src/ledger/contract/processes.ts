import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../time/clock.ts';
import { keyOf, type PipelineStores, present, sighting, transition } from './subject.ts';
import type { WorkerMode } from './worker.ts';

/** A store that real processes share. */
export interface SharedPipelineStores extends PipelineStores {
  /** Program arguments that start a worker (`workAs`) on the same store. */
  worker(owner: string, mode: WorkerMode): readonly string[];
  /** Checks the integrity of the store itself, where it can. */
  check?(): void;
}

export interface ProcessesOptions {
  /** Number of items for the 8 processes; as many as the store's speed allows. */
  readonly items: number;
  /** After how many published items a worker is killed, one worker each. */
  readonly killedAfter: readonly number[];
}

const LONG_TIMEOUT = { timeout: 240_000 };

/** Guarantees while processes are suspended, resumed and killed on one store. */
export function processesContract(
  make: () => Promise<SharedPipelineStores> | SharedPipelineStores,
  { items, killedAfter }: ProcessesOptions,
): void {
  describe('several processes on one store', () => {
    let stores: SharedPipelineStores;
    const children = new Set<ChildProcessWithoutNullStreams>();
    beforeEach(async () => {
      stores = await make();
    });
    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      children.clear();
      await stores[Symbol.asyncDispose]();
    });

    const timeout = { timeout: Math.max(LONG_TIMEOUT.timeout, items * 400) };
    it(`B14 8 processes that claim ${items} items get ${items} distinct claims`, timeout, async () => {
      const names = Array.from({ length: items }, (_, index) => `n${index}`);
      await stores.ledger.admit(
        names.map((name) => sighting(name)),
        {},
      );
      const workers = Array.from({ length: 8 }, (_, index) => start(`worker-${index}`, 'all'));
      const outputs = await Promise.all(workers.map((worker) => worker.ended()));
      const keys = outputs.flatMap((output) => JSON.parse(output) as string[]);
      expect(keys).toHaveLength(items);
      expect(new Set(keys).size).toBe(items);
      expect(outputs.filter((output) => output !== '[]').length).toBeGreaterThan(1);
      expect(await stores.ledger.counts()).toMatchObject({ leased: items, byState: { waiting: items } });
    });

    it(
      'X21 a worker stopped past its lease and woken can neither overwrite, finish nor publish',
      LONG_TIMEOUT,
      async () => {
        await stores.ledger.admit([sighting('a')], {});
        const intent = { key: 'k', itemKeys: [keyOf('a')], destination: 'discord', body: 'b' };
        await stores.outbox.enqueue([intent]);
        const sleeper = start('sleeper', 'hold');
        await sleeper.printed('held');
        sleeper.child.kill('SIGSTOP');
        const claim = await eventually(() => stores.ledger.claimNext({ owner: 'awake', leaseMs: 60_000 }));
        const message = await eventually(() => stores.outbox.claimNext('discord', 'awake', 60_000));
        await stores.outbox.markSending(message);

        sleeper.child.kill('SIGCONT');
        sleeper.child.stdin.write('go on\n');
        const outcomes = JSON.parse((await sleeper.ended()).replace('held\n', '')) as unknown;
        expect(outcomes).toEqual({ record: 'lost', renew: null, mark: 'lost', finish: 'lost' });

        expect(await stores.outbox.finish(message, { state: 'sent', remoteId: '1' })).toBe('finished');
        const publish = transition(claim.item, { type: 'publish' }, systemClock.now());
        expect(await stores.ledger.record(claim, publish)).toBe('recorded');
        const deliveries = await stores.outbox.ofItem(keyOf('a'));
        expect(deliveries).toMatchObject([{ key: 'k', state: 'sent', remoteId: '1', attempts: 1 }]);
        const lines = await stores.ledger.history(keyOf('a'));
        expect(lines.map(({ event, who }) => [event, who])).toEqual([
          ['admit', 'feed-1'],
          ['claim', 'awake'],
          ['deliver', 'awake'],
          ['publish', 'awake'],
        ]);
      },
    );

    it.each(killedAfter)(
      'X2 a process killed after %i items loses nothing that was confirmed, and leaves nothing partial',
      LONG_TIMEOUT,
      async (rounds) => {
        const worker = start(`killed-${rounds}`, 'work');
        await worker.printed(`published ${rounds}\n`);
        worker.child.kill('SIGKILL');
        await once(worker.child, 'close');
        const output = worker.out();
        const last = (event: string): number =>
          Number(
            output
              .match(new RegExp(`${event} (\\d+)`, 'g'))
              ?.at(-1)
              ?.split(' ')[1],
          );
        for (let n = 0; n <= last('admitted'); n++) {
          const item = present(await stores.ledger.find(keyOf(String(n))));
          const messages = await stores.outbox.ofItem(item.key);
          expect(n > last('published') || item.state === 'published', item.state).toBe(true);
          expect(messages).toHaveLength(item.state === 'published' ? 1 : 0);
        }
        stores.check?.();
      },
    );

    it('B14 the claims of a killed process are free again when the lease expires', LONG_TIMEOUT, async () => {
      await stores.ledger.admit([sighting('a')], {});
      await stores.outbox.enqueue([{ key: 'k', itemKeys: [keyOf('a')], destination: 'discord', body: 'b' }]);
      const worker = start('killed', 'hold');
      await worker.printed('held');
      worker.child.kill('SIGKILL');
      const claim = await eventually(() => stores.ledger.claimNext({ owner: 'next', leaseMs: 1000 }));
      expect(claim.item).toMatchObject({ key: keyOf('a'), state: 'waiting', attempts: 0 });
      expect(claim.token).toBe(2);
      const message = await eventually(() => stores.outbox.claimNext('discord', 'next', 60_000));
      expect(message).toMatchObject({ token: 2, delivery: { state: 'intended', attempts: 0 } });
    });

    function start(owner: string, mode: WorkerMode): StartedWorker {
      const worker = startWorker(stores.worker(owner, mode));
      children.add(worker.child);
      return worker;
    }
  });
}

export interface StartedWorker {
  readonly child: ChildProcessWithoutNullStreams;
  out(): string;
  /** Resolves as soon as it has printed this. */
  printed(text: string): Promise<void>;
  /** Its whole output, once it has ended successfully. */
  ended(): Promise<string>;
}

export function startWorker(args: readonly string[]): StartedWorker {
  const child = spawn(process.execPath, [...args]);
  let out = '';
  let err = '';
  let heard = Promise.withResolvers<void>();
  const closed = once(child, 'close');
  child.stdout.on('data', (data) => {
    out += String(data);
    heard.resolve();
    heard = Promise.withResolvers<void>();
  });
  child.stderr.on('data', (data) => {
    err += String(data);
  });
  return {
    child,
    out: () => out,
    async printed(text) {
      while (!out.includes(text)) {
        if (child.exitCode !== null) throw new Error(err);
        await Promise.race([heard.promise, closed]);
      }
    },
    async ended() {
      await closed;
      if (child.exitCode !== 0) throw new Error(err);
      return out;
    },
  };
}

/** Leases of real processes expire in real time. */
export async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  const found = async (): Promise<T> => {
    const value = await look();
    if (value === null) throw new Error('The lease did not expire in time.');
    return value;
  };
  return vi.waitFor(found, { timeout: LONG_TIMEOUT.timeout, interval: 20 });
}
