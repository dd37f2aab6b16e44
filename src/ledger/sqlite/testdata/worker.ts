// A worker in a process of its own, for tests: `worker.ts <file> <owner> all|hold|work`.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { ItemKey } from '../../../item/item.ts';
import { advance } from '../../../item/lifecycle.ts';
import { systemClock } from '../../../time/clock.ts';
import { openSqliteLedger } from '../open.ts';

const [file = '', owner = '', mode = ''] = process.argv.slice(2);
const policy = { retryLimit: 3, backoff: () => 1000 };
const { ledger, outbox, ...memory } = openSqliteLedger(file, { clock: systemClock, policy, patienceMs: 120_000 });
await (mode === 'all' ? takeAll() : mode === 'hold' ? hold() : work());
await memory[Symbol.asyncDispose]();

/** Claims until there is nothing left, and says what it got. */
async function takeAll(): Promise<void> {
  const keys: string[] = [];
  for (;;) {
    const claim = await ledger.claimNext({ owner, leaseMs: 3_600_000 });
    if (claim === null) break;
    keys.push(claim.item.key);
  }
  process.stdout.write(JSON.stringify(keys));
}

/** Admits and publishes without end, and says what it was told is stored, until it is killed. */
async function work(): Promise<void> {
  for (let n = 0; ; n++) {
    const key = `https://news.example/${n}` as ItemKey;
    const facts = { key, url: key, title: `About ${n}`, publishedAt: n, sourceId: 's', sourceName: 'S' };
    await ledger.admit([facts], {});
    writeSync(1, `admitted ${n}\n`);
    const claim = await ledger.claim(key, { owner, leaseMs: 60_000 });
    if (claim === null) throw new Error('it is not there');
    const next = advance(claim.item, { type: 'publish' }, systemClock.now(), policy);
    if (!next.allowed) throw new Error(next.why);
    const intents = [{ key: `k${n}`, itemKeys: [key], destination: 'discord', body: 'b' }];
    await ledger.record(claim, next.transition, { intents });
    writeSync(1, `published ${n}\n`);
  }
}

/** Claims one item and one message for a second, says so, and when told to go on tries everything that it no longer may. */
async function hold(): Promise<void> {
  const claim = await ledger.claimNext({ owner, leaseMs: 1000 });
  const held = await outbox.take('discord', owner, 1000);
  if (claim === null || held === null) throw new Error('there is nothing to hold');
  process.stdout.write('held\n');
  await once(process.stdin, 'data');
  const next = advance(claim.item, { type: 'publish' }, systemClock.now(), policy);
  if (!next.allowed) throw new Error(next.why);
  const outcomes = {
    record: await ledger.record(claim, next.transition, {
      intents: [{ key: 'late', itemKeys: [claim.item.key], destination: 'elsewhere', body: 'late' }],
    }),
    renew: await ledger.renew(claim, 1000),
    mark: await outbox.markSending(held),
    settle: await outbox.settle(held, { state: 'sent', remoteId: 'late' }),
  };
  await ledger.release(claim);
  process.stdout.write(JSON.stringify(outcomes));
  process.stdin.destroy();
}
