import { expect } from 'vitest';
import { FirestoreConnection } from '../../../firestore/connection.ts';
import type { ItemKey } from '../../../item/item.ts';
import { createEvents } from '../../../telemetry/events.ts';
import { silentLogger } from '../../../telemetry/logger.ts';
import type { ManualClock } from '../../../time/manual-clock.ts';
import { LEASE, POLICY, present, transition, verdict } from '../../contract/subject.ts';
import { openFirestoreLedger } from '../open.ts';

/** The ledger of articles as one process has it, with what it reads and writes counted. */
export function openArticles(project: string, clock: ManualClock, emulator: string) {
  const counted: Record<string, Record<string, number>> = {};
  const events = createEvents(silentLogger, {
    add: (name: string, n: number, labels?: Readonly<Record<string, string>>) => {
      const collection = labels?.collection ?? '';
      const of = counted[collection] ?? {};
      counted[collection] = { ...of, [name]: (of[name] ?? 0) + n };
    },
    record: () => {},
  } as never);
  const connection = new FirestoreConnection({ project, emulator, clock, events });
  // Firestore's own time passes as the clock's does.
  connection.serverTime = async () => new Date(clock.now());
  const discord = new Set(['discord']);
  const memory = openFirestoreLedger({ connection, layout: 'articles', clock, policy: POLICY, discord });
  const close = async (): Promise<void> => {
    await memory[Symbol.asyncDispose]();
    await connection[Symbol.asyncDispose]();
  };
  return { ...memory, connection, counted, close };
}

export async function judge(
  memory: Pick<ReturnType<typeof openArticles>, 'ledger'>,
  key: ItemKey,
  clock: ManualClock,
  event: Parameters<typeof transition>[1],
  score: number,
): Promise<void> {
  const claim = present(await memory.ledger.claim(key, { owner: 'w', leaseMs: LEASE }));
  const step = { verdict: verdict({ score }) };
  expect(await memory.ledger.record(claim, transition(claim.item, event, clock.now()), step)).toBe(
    'recorded',
  );
}

export const digest = (keys: readonly ItemKey[]) => [
  { key: 'digest-1', itemKeys: keys, destination: 'discord', body: '{}' },
];
