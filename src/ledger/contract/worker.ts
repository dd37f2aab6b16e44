import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { ItemKey } from '../../item/item.ts';
import { advance, type LifecyclePolicy } from '../../item/lifecycle.ts';
import { systemClock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import type { PipelineStores } from './subject.ts';

/** At most 3 attempts, waiting 1, 2, 3 minutes. */
export const POLICY: LifecyclePolicy = { retryLimit: 3, backoff: (attempts) => attempts * MINUTE };

/** What a worker in a process of its own does; see `processes.ts`. */
export type WorkerMode = 'all' | 'hold' | 'work';

/** The whole life of such a process: it does what it is told, on a memory that others share, and closes it. */
export async function workAs(memory: PipelineStores, owner: string, mode: WorkerMode): Promise<void> {
  const worker = new Worker(memory, owner);
  await worker[mode]();
  await memory[Symbol.asyncDispose]();
}

class Worker {
  readonly #stores: PipelineStores;
  readonly #owner: string;

  constructor(memory: PipelineStores, owner: string) {
    this.#stores = memory;
    this.#owner = owner;
  }

  /** Claims until there is nothing left, and says what it got. */
  async all(): Promise<void> {
    const keys: string[] = [];
    for (;;) {
      const claim = await this.#stores.ledger.claimNext({ owner: this.#owner, leaseMs: 3_600_000 });
      if (claim === null) break;
      keys.push(claim.item.key);
    }
    process.stdout.write(JSON.stringify(keys));
  }

  /** Admits and publishes without end, and says what it was told is stored, until it is killed. */
  async work(): Promise<void> {
    const { ledger } = this.#stores;
    for (let n = 0; ; n++) {
      const key = `https://news.example/${n}` as ItemKey;
      const facts = { key, url: key, title: `About ${n}`, publishedAt: n, sourceId: 's', sourceName: 'S' };
      await ledger.admit([facts], {});
      writeSync(1, `admitted ${n}\n`);
      const claim = await ledger.claim(key, { owner: this.#owner, leaseMs: 60_000 });
      if (claim === null) throw new Error('it is not there');
      writeSync(1, `claimed ${n}\n`);
      const next = advance(claim.item, { type: 'publish' }, systemClock.now(), POLICY);
      if (!next.allowed) throw new Error(next.why);
      const intents = [{ key: `k${n}`, itemKeys: [key], destination: 'discord', body: 'b' }];
      await ledger.record(claim, next.transition, { messages: intents });
      writeSync(1, `published ${n}\n`);
    }
  }

  /** Claims one item and one message for a while, says so, and when told to go on tries everything that it no longer may. */
  async hold(): Promise<void> {
    const { ledger, outbox } = this.#stores;
    const claim = await ledger.claimNext({ owner: this.#owner, leaseMs: LEASE_MS });
    const held = await outbox.claimNext('discord', this.#owner, LEASE_MS);
    if (claim === null || held === null) throw new Error('there is nothing to hold');
    process.stdout.write('held\n');
    await once(process.stdin, 'data');
    const next = advance(claim.item, { type: 'publish' }, systemClock.now(), POLICY);
    if (!next.allowed) throw new Error(next.why);
    const outcomes = {
      record: await ledger.record(claim, next.transition, {
        messages: [{ key: 'late', itemKeys: [claim.item.key], destination: 'elsewhere', body: 'late' }],
      }),
      renew: await ledger.renew(claim, LEASE_MS),
      mark: await outbox.markSending(held),
      settle: await outbox.finish(held, { state: 'sent', remoteId: 'late' }),
    };
    await ledger.release(claim);
    process.stdout.write(JSON.stringify(outcomes));
    process.stdin.destroy();
  }
}

/** Long enough to take both on a slow store. */
const LEASE_MS = 2_000;
