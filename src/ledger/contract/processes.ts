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
  /** Whether the store itself is whole, where it can tell. */
  check?(): void;
}

export interface ProcessesOptions {
  /** How many items the 8 processes share out; the more the better, as far as the store's speed allows. */
  readonly items: number;
  /** After how many published items a worker is killed, one worker each. */
  readonly killedAfter: readonly number[];
}

const LONG_TIMEOUT = { timeout: 240_000 };

/** What holds when whole processes are stopped, woken and killed on one store. */
export function processesContract(
  make: () => Promise<SharedPipelineStores> | SharedPipelineStores,
  { items, killedAfter }: ProcessesOptions,
): void {
  describe('several processes on one store', () => {
    let memory: SharedPipelineStores;
    const children = new Set<ChildProcessWithoutNullStreams>();
    beforeEach(async () => {
      memory = await make();
    });
    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      children.clear();
      await memory[Symbol.asyncDispose]();
    });

    const patience = { timeout: Math.max(LONG_TIMEOUT.timeout, items * 400) };
    it(`B14 8 processes that claim ${items} items get ${items} distinct claims`, patience, async () => {
      const names = Array.from({ length: items }, (_, index) => `n${index}`);
      await memory.ledger.admit(
        names.map((name) => sighting(name)),
        {},
      );
      const workers = Array.from({ length: 8 }, (_, index) => start(`worker-${index}`, 'all'));
      const taken = await Promise.all(workers.map((worker) => worker.ended()));
      const keys = taken.flatMap((said) => JSON.parse(said) as string[]);
      expect(keys).toHaveLength(items);
      expect(new Set(keys).size).toBe(items);
      expect(taken.filter((said) => said !== '[]').length).toBeGreaterThan(1);
      expect(await memory.ledger.counts()).toMatchObject({ leased: items, byState: { waiting: items } });
    });

    it(
      'X21 a worker stopped past its lease and woken can neither overwrite, settle nor publish',
      LONG_TIMEOUT,
      async () => {
        await memory.ledger.admit([sighting('a')], {});
        const intent = { key: 'k', itemKeys: [keyOf('a')], destination: 'discord', body: 'b' };
        await memory.outbox.enqueue([intent]);
        const sleeper = start('sleeper', 'hold');
        await sleeper.printed('held');
        sleeper.child.kill('SIGSTOP');
        const claim = await eventually(() => memory.ledger.claimNext({ owner: 'awake', leaseMs: 60_000 }));
        const held = await eventually(() => memory.outbox.claimNext('discord', 'awake', 60_000));
        await memory.outbox.markSending(held);

        sleeper.child.kill('SIGCONT');
        sleeper.child.stdin.write('go on\n');
        const outcomes = JSON.parse((await sleeper.ended()).replace('held\n', '')) as unknown;
        expect(outcomes).toEqual({ record: 'lost', renew: null, mark: 'lost', settle: 'lost' });

        expect(await memory.outbox.finish(held, { state: 'sent', remoteId: '1' })).toBe('settled');
        const publish = transition(claim.item, { type: 'publish' }, systemClock.now());
        expect(await memory.ledger.record(claim, publish)).toBe('recorded');
        const deliveries = await memory.outbox.ofItem(keyOf('a'));
        expect(deliveries).toMatchObject([{ key: 'k', state: 'sent', remoteId: '1', attempts: 1 }]);
        const lines = await memory.ledger.history(keyOf('a'));
        expect(lines.map(({ event, who }) => [event, who])).toEqual([
          ['admit', 'feed-1'],
          ['claim', 'awake'],
          ['deliver', 'awake'],
          ['publish', 'awake'],
        ]);
      },
    );

    it.each(killedAfter)(
      'X2 a process killed after %i items loses nothing of what it was told is stored, and leaves nothing half',
      LONG_TIMEOUT,
      async (rounds) => {
        const worker = start(`killed-${rounds}`, 'work');
        await worker.printed(`published ${rounds}\n`);
        worker.child.kill('SIGKILL');
        await once(worker.child, 'close');
        const told = worker.out();
        const last = (event: string): number =>
          Number(
            told
              .match(new RegExp(`${event} (\\d+)`, 'g'))
              ?.at(-1)
              ?.split(' ')[1],
          );
        for (let n = 0; n <= last('admitted'); n++) {
          const item = present(await memory.ledger.find(keyOf(String(n))));
          const messages = await memory.outbox.ofItem(item.key);
          expect(n > last('published') || item.state === 'published', item.state).toBe(true);
          expect(messages).toHaveLength(item.state === 'published' ? 1 : 0);
        }
        memory.check?.();
      },
    );

    it(
      'B14 what a process killed in mid-claim held is free again when its lease is over',
      LONG_TIMEOUT,
      async () => {
        await memory.ledger.admit([sighting('a')], {});
        await memory.outbox.enqueue([
          { key: 'k', itemKeys: [keyOf('a')], destination: 'discord', body: 'b' },
        ]);
        const worker = start('killed', 'hold');
        await worker.printed('held');
        worker.child.kill('SIGKILL');
        const claim = await eventually(() => memory.ledger.claimNext({ owner: 'next', leaseMs: 1000 }));
        expect(claim.item).toMatchObject({ key: keyOf('a'), state: 'waiting', attempts: 0 });
        expect(claim.token).toBe(2);
        const held = await eventually(() => memory.outbox.claimNext('discord', 'next', 60_000));
        expect(held).toMatchObject({ token: 2, delivery: { state: 'intended', attempts: 0 } });
      },
    );

    function start(owner: string, mode: WorkerMode): StartedWorker {
      const worker = startWorker(memory.worker(owner, mode));
      children.add(worker.child);
      return worker;
    }
  });
}

export interface StartedWorker {
  readonly child: ChildProcessWithoutNullStreams;
  out(): string;
  /** Resolves as soon as it has said this. */
  printed(text: string): Promise<void>;
  /** All that it said, once it has ended well. */
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

/** Leases of real processes end in real time. */
export async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  const found = async (): Promise<T> => {
    const value = await look();
    if (value === null) throw new Error('The lease did not end in time.');
    return value;
  };
  return vi.waitFor(found, { timeout: LONG_TIMEOUT.timeout, interval: 20 });
}
