import { describe, expect, it, vi } from 'vitest';
import {
  keyOf,
  LEASE_MS,
  type PipelineStores,
  POLICY,
  present,
  sighting,
  transition,
} from '../../ledger/contract/subject.ts';
import type { ItemPage, Ledger, NewMessage } from '../../ledger/ledger.ts';
import type { Clock } from '../../time/clock.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { DeliveryFilter, DeliveryPage, Outbox } from '../outbox.ts';

/** Opens the stores of one pipeline once more, as another process does. */
export type OpenSameStore = (options: {
  readonly clock: Clock;
  readonly policy: typeof POLICY;
}) => Promise<PipelineStores> | PipelineStores;

/** Messages that several processes enqueue in the same instant have a total order, and pages follow it. */
export function messageOrderContract(newStore: () => OpenSameStore): void {
  describe('messages of one instant', () => {
    const intent = (name: string, more: Partial<NewMessage> = {}): NewMessage => ({
      key: `key-${name}`,
      itemKeys: [keyOf(name)],
      destination: 'discord',
      body: `{"content":"${name}"}`,
      ...more,
    });

    /** Two processes, each with its own random start. */
    async function processes(
      ...starts: number[]
    ): Promise<{ processStores: PipelineStores[]; close(): Promise<void> }> {
      const open = newStore();
      const clock = new ManualClock();
      const processStores: PipelineStores[] = [];
      for (const start of starts) {
        const random = vi.spyOn(Math, 'random').mockReturnValue(start);
        processStores.push(await open({ clock, policy: POLICY }));
        random.mockRestore();
      }
      return {
        processStores,
        close: async () => {
          for (const stores of processStores) await stores[Symbol.asyncDispose]();
        },
      };
    }

    async function send(outbox: Outbox, message: NewMessage): Promise<void> {
      expect(await outbox.enqueue([message])).toBe('written');
      const held = present(await outbox.claimNext(message.destination, 'w', LEASE_MS));
      expect(held.delivery.key).toBe(message.key);
      if (held.marked !== true) expect(await outbox.markSending(held)).toBe('marked');
      expect(await outbox.finish(held, { state: 'sent', remoteId: message.key })).toBe('finished');
    }

    async function oneByOne(outbox: Outbox, filter: Partial<DeliveryFilter>): Promise<string[]> {
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
      const { processStores, close } = await processes(0, 0);
      const [one, two] = processStores.map(({ outbox }) => outbox) as [Outbox, Outbox];
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

    it('X4 items finished in it are paged one by one, none skipped and none repeated', async () => {
      const { processStores, close } = await processes(0, 0);
      const [one, two] = processStores.map(({ ledger }) => ledger) as [Ledger, Ledger];
      for (const ledger of [one, two]) expect((await ledger.list({ limit: 1 })).items).toEqual([]);
      const names = ['a', 'b', 'c', 'd', 'e'];
      for (const name of names)
        for (const [ledger, of] of [
          [one, 'one'],
          [two, 'two'],
        ] as const) {
          const seen = sighting(`${name}-${of}`);
          await ledger.admit([seen], {});
          const claim = present(await ledger.claim(seen.key, { owner: 'w', leaseMs: LEASE_MS }));
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

    it('X2 come after earlier messages of the same item', async () => {
      const { processStores, close } = await processes(0.9, 0);
      const [one, two] = processStores.map(({ outbox }) => outbox) as [Outbox, Outbox];
      await send(one, intent('z', { destination: 'timeline' }));
      await send(two, intent('a', { itemKeys: [keyOf('z')] }));
      expect((await two.ofItem(keyOf('z'))).map(({ key }) => key)).toEqual(['key-z', 'key-a']);
      expect(await oneByOne(two, {})).toEqual(['key-a', 'key-z']);
      await close();
    });
  });
}
