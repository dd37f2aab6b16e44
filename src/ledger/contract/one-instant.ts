import { describe, expect, it, vi } from 'vitest';
import type { DeliveryFilter, DeliveryPage, OutboxStore } from '../../press/outbox.ts';
import type { Clock } from '../../time/clock.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { ItemPage, Ledger, NewIntent } from '../ledger.ts';
import { keyOf, LEASE, type Memory, POLICY, present, sighting, transition } from './subject.ts';

/** Opens the memory of one pipeline once more on the same store, as another process does. */
export type OpenAgain = (options: {
  readonly clock: Clock;
  readonly policy: typeof POLICY;
}) => Promise<Memory> | Memory;

/** Messages that several processes made in the same instant have one order, and pages follow it. */
export function oneInstantContract(newStore: () => OpenAgain): void {
  describe('messages of one instant', () => {
    const intent = (name: string, more: Partial<NewIntent> = {}): NewIntent => ({
      key: `key-${name}`,
      itemKeys: [keyOf(name)],
      destination: 'discord',
      body: `{"content":"${name}"}`,
      ...more,
    });

    /** Two processes, each with its own random start. */
    async function processes(...starts: number[]): Promise<{ memories: Memory[]; close(): Promise<void> }> {
      const open = newStore();
      const clock = new ManualClock();
      const memories: Memory[] = [];
      for (const start of starts) {
        const random = vi.spyOn(Math, 'random').mockReturnValue(start);
        memories.push(await open({ clock, policy: POLICY }));
        random.mockRestore();
      }
      return {
        memories,
        close: async () => {
          for (const memory of memories) await memory[Symbol.asyncDispose]();
        },
      };
    }

    async function send(outbox: OutboxStore, message: NewIntent): Promise<void> {
      expect(await outbox.intend([message])).toBe('written');
      const held = present(await outbox.take(message.destination, 'w', LEASE));
      expect(held.delivery.key).toBe(message.key);
      if (held.marked !== true) expect(await outbox.markSending(held)).toBe('marked');
      expect(await outbox.settle(held, { state: 'sent', remoteId: message.key })).toBe('settled');
    }

    async function oneByOne(outbox: OutboxStore, filter: Partial<DeliveryFilter>): Promise<string[]> {
      const keys: string[] = [];
      let cursor: string | null = null;
      do {
        const page: DeliveryPage = await outbox.list({
          limit: 1,
          ...filter,
          ...(cursor !== null && { cursor }),
        });
        keys.push(...page.deliveries.map(({ key }) => key));
        cursor = page.next;
      } while (cursor !== null && keys.length < 100);
      return keys;
    }

    it('X2 are paged one by one, none skipped and none repeated', async () => {
      const { memories, close } = await processes(0, 0);
      const [one, two] = memories.map(({ outbox }) => outbox) as [OutboxStore, OutboxStore];
      const names = ['a', 'b', 'c', 'd', 'e'];
      for (const outbox of [one, two]) expect((await outbox.list({ limit: 1 })).deliveries).toEqual([]);
      for (const name of names)
        for (const [outbox, of] of [
          [one, 'one'],
          [two, 'two'],
        ] as const)
          await send(outbox, intent(`${name}-${of}`, { destination: of }));
      const all = names.flatMap((name) => [`key-${name}-one`, `key-${name}-two`]).sort();
      const pages = await Promise.all(
        [one, two].flatMap((outbox) => [
          oneByOne(outbox, {}),
          oneByOne(outbox, { states: ['sent', 'parked'] }),
        ]),
      );
      for (const keys of pages) {
        expect(keys.toSorted()).toEqual(all);
        expect(keys).toEqual(pages[0]);
      }
      expect((await oneByOne(two, { destination: 'one' })).toSorted()).toEqual(
        names.map((name) => `key-${name}-one`),
      );
      await close();
    });

    it('X4 items that were settled in it are paged one by one, none skipped and none repeated', async () => {
      const { memories, close } = await processes(0, 0);
      const [one, two] = memories.map(({ ledger }) => ledger) as [Ledger, Ledger];
      for (const ledger of [one, two]) expect((await ledger.list({ limit: 1 })).items).toEqual([]);
      const names = ['a', 'b', 'c', 'd', 'e'];
      for (const name of names)
        for (const [ledger, of] of [
          [one, 'one'],
          [two, 'two'],
        ] as const) {
          const seen = sighting(`${name}-${of}`);
          await ledger.admit([seen], {});
          const claim = present(await ledger.claim(seen.key, { owner: 'w', leaseMs: LEASE }));
          const rejected = { type: 'reject', reason: 'low_relevance' } as const;
          await ledger.record(claim, transition(claim.item, rejected, claim.item.checkedAt));
        }
      const all = names.flatMap((name) => [keyOf(`${name}-one`), keyOf(`${name}-two`)]).sort();
      for (const ledger of [one, two])
        for (const filter of [{}, { sourceId: 'feed-1' }, { states: ['rejected', 'failed'] as const }]) {
          const keys: string[] = [];
          let cursor: string | null = null;
          do {
            const page: ItemPage = await ledger.list({
              limit: 1,
              ...filter,
              ...(cursor !== null && { cursor }),
            });
            keys.push(...page.items.map(({ key }) => key));
            cursor = page.next;
          } while (cursor !== null && keys.length < 100);
          expect(keys.toSorted()).toEqual(all);
        }
      await close();
    });

    it('X2 stand behind the messages of the same item that were there before', async () => {
      const { memories, close } = await processes(0.9, 0);
      const [one, two] = memories.map(({ outbox }) => outbox) as [OutboxStore, OutboxStore];
      await send(one, intent('z', { destination: 'timeline' }));
      await send(two, intent('a', { itemKeys: [keyOf('z')] }));
      expect((await two.ofItem(keyOf('z'))).map(({ key }) => key)).toEqual(['key-z', 'key-a']);
      expect(await oneByOne(two, {})).toEqual(['key-a', 'key-z']);
      await close();
    });
  });
}
