import { join } from 'node:path';
import { noEntries } from '../../src/pipelines/no-entries.fixture.ts';
import { summarise } from '../../src/pipelines/summarise.ts';
import type { Publisher } from '../../src/publishers/publisher.ts';
import { openSqliteLedger } from '../../src/storage/sqlite/ledger/ledger.ts';
import { silentEvents } from '../../src/telemetry/events.ts';
import { systemClock as clock } from '../../src/time/clock.ts';
import { article } from '../ledger/articles.ts';
import { counted } from './counting-outbox.ts';
import { readyJudge } from './instant-judge.ts';

let files = 0;

export interface PublishRun {
  readonly ms: number;
  /** Durable writes of the outbox for each message, without enqueueing, which is part of the item's own step. */
  readonly writesPerMessage: number;
}

/** The summary bot's whole run over admitted items, until each of them is posted and recorded as such. */
export async function publishRun(folder: string, publisher: Publisher, items: number): Promise<PublishRun> {
  const policy = { retryLimit: 5, backoff: () => 60_000 };
  const stores = openSqliteLedger(join(folder, `press-${files++}.db`), { clock, policy });
  try {
    await stores.ledger.admit(
      Array.from({ length: items }, (_, n) => article(n)),
      {},
    );
    const { outbox, writes } = counted(stores);
    const parts = {
      pipeline: 'bench',
      events: silentEvents,
      ledger: stores.ledger,
      claims: stores.ledger,
      outbox,
      policy,
      clock,
      owner: 'bench',
      publishers: [publisher],
      entries: noEntries,
      style: { language: 'en', sentences: [1, 3] as const, characters: 200 },
      judge: readyJudge,
      leaseMs: 60_000,
      maxPerRun: items,
      poller: { readyFor: async () => ({ read: 0, failed: 0, admitted: 0 }) },
      sources: [],
      readPage: async (url: string) => ({
        outcome: 'page' as const,
        page: { url, title: 'A page', text: 'What the page says. '.repeat(50) },
        documents: [],
      }),
    };
    const began = performance.now();
    await summarise(parts, new AbortController().signal);
    const ms = performance.now() - began;
    const { byState } = await stores.ledger.counts();
    if (byState.published !== items) throw new Error(`${byState.published} of ${items} were published`);
    return { ms, writesPerMessage: writes() / items };
  } finally {
    await stores[Symbol.asyncDispose]();
  }
}
