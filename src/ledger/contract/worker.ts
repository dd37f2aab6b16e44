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

/** Main function of such a process: runs the mode on shared stores and closes them. */
export async function workAs(stores: PipelineStores, owner: string, mode: WorkerMode): Promise<void> {
  const worker = new Worker(stores, owner);
  await worker[mode]();
  await stores[Symbol.asyncDispose]();
}

class Worker {
  readonly #stores: PipelineStores;
  readonly #owner: string;

  constructor(stores: PipelineStores, owner: string) {
    this.#stores = stores;
    this.#owner = owner;
  }

  /** Claims until nothing is left, and prints the claims. */
  async all(): Promise<void> {
    const keys: string[] = [];
    for (;;) {
      const claim = await this.#stores.ledger.claimNext({ owner: this.#owner, leaseMs: 3_600_000 });
      if (claim === null) break;
      keys.push(claim.item.key);
    }
    process.stdout.write(JSON.stringify(keys));
  }

  /** Admits and publishes until it is killed, and prints what was confirmed as stored. */
  async work(): Promise<void> {
    const { ledger } = this.#stores;
    for (let n = 0; ; n++) {
      const key = `https://news.example/${n}` as ItemKey;
      const facts = { key, url: key, title: `About ${n}`, publishedAt: n, sourceId: 's', sourceName: 'S' };
      await ledger.admit([facts], {});
      writeSync(1, `admitted ${n}\n`);
      const claim = await ledger.claim(key, { owner: this.#owner, leaseMs: 60_000 });
      if (claim === null) throw new Error('the item is missing');
      writeSync(1, `claimed ${n}\n`);
      const next = advance(claim.item, { type: 'publish' }, systemClock.now(), POLICY);
      if (!next.allowed) throw new Error(next.why);
      const intents = [{ key: `k${n}`, itemKeys: [key], destination: 'discord', body: 'b' }];
      await ledger.record(claim, next.transition, { messages: intents });
      writeSync(1, `published ${n}\n`);
    }
  }

  /** Claims an item and a message, prints that, and when resumed tries everything that its expired claims no longer allow. */
  async hold(): Promise<void> {
    const { ledger, outbox } = this.#stores;
    const claim = await ledger.claimNext({ owner: this.#owner, leaseMs: LEASE_MS });
    const message = await outbox.claimNext('discord', this.#owner, LEASE_MS);
    if (claim === null || message === null) throw new Error('there is nothing to claim');
    process.stdout.write('held\n');
    await once(process.stdin, 'data');
    const next = advance(claim.item, { type: 'publish' }, systemClock.now(), POLICY);
    if (!next.allowed) throw new Error(next.why);
    const outcomes = {
      record: await ledger.record(claim, next.transition, {
        messages: [{ key: 'late', itemKeys: [claim.item.key], destination: 'elsewhere', body: 'late' }],
      }),
      renew: await ledger.renew(claim, LEASE_MS),
      mark: await outbox.markSending(message),
      finish: await outbox.finish(message, { state: 'sent', remoteId: 'late' }),
    };
    await ledger.release(claim);
    process.stdout.write(JSON.stringify(outcomes));
    process.stdin.destroy();
  }
}

/** Long enough to claim both on a slow store. */
const LEASE_MS = 2_000;
