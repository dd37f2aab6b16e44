import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../time/duration.ts';
import { keyOf, LEASE, type MakeMemory, POLICY, Subject, sighting } from './subject.ts';

/** What a separate queue has and has not. */
export function handingContract(make: MakeMemory): void {
  describe('handing over', () => {
    const subject = new Subject(make);
    const admit = (...names: string[]) =>
      subject.ledger.admit(
        names.map((name) => sighting(name)),
        { handOver: true },
      );

    it('D7 what was recorded and not handed over is found again', async () => {
      await admit('a', 'b', 'c');
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual(['a', 'b', 'c'].map(keyOf));
      expect(await subject.ledger.unhanded({ limit: 2 })).toHaveLength(2);
      await subject.ledger.markHanded([keyOf('a'), keyOf('c'), keyOf('stranger')]);
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([keyOf('b')]);
    });

    it('D7 a known one is not handed over by a second admission', async () => {
      await admit('a');
      await subject.ledger.markHanded([keyOf('a')]);
      await admit('a');
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([]);
    });

    it('where the ledger is the queue nothing is ever to be handed over', async () => {
      await subject.admit('a');
      expect(await subject.ledger.unhanded({ limit: 10, handedBefore: Number.MAX_SAFE_INTEGER })).toEqual([]);
    });

    it('D7 a retry is handed over when it is due, and not before', async () => {
      await admit('a');
      await subject.ledger.markHanded([keyOf('a')]);
      await subject.step(await subject.claim(keyOf('a')), { type: 'defer', reason: 'processor_failed' });
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([]);
      await subject.clock.advance(POLICY.backoff(1));
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([keyOf('a')]);
    });

    it('D9 what a person brings back is handed over again', async () => {
      await admit('a');
      await subject.ledger.markHanded([keyOf('a')]);
      await subject.step(await subject.claim(keyOf('a')), { type: 'giveUp', reason: 'processor_failed' });
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([]);
      await subject.ledger.intervene(keyOf('a'), { type: 'requeue' }, 'maria');
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([keyOf('a')]);
    });

    it('what the queue lost is handed over again, unless somebody works on it', async () => {
      await admit('a', 'b');
      await subject.ledger.markHanded([keyOf('a'), keyOf('b')]);
      const handedBefore = subject.clock.now() + 1;
      await subject.clock.advance(MINUTE);
      await subject.claim(keyOf('b'));
      expect(await subject.ledger.unhanded({ limit: 10, handedBefore })).toEqual([keyOf('a')]);
      expect(await subject.ledger.unhanded({ limit: 10, handedBefore: handedBefore - 1 })).toEqual([]);
      await subject.clock.advance(LEASE);
      expect(await subject.ledger.unhanded({ limit: 10, handedBefore })).toHaveLength(2);
    });

    it('X21 what a dead worker held is handed over again when its lease has run out, and not before', async () => {
      await admit('a', 'b');
      await subject.ledger.markHanded([keyOf('a'), keyOf('b')]);
      await subject.claim(keyOf('a'));
      await subject.clock.advance(LEASE - 1);
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([]);
      await subject.clock.advance(1);
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([keyOf('a')]);
      await subject.clock.advance(1);
      await subject.ledger.markHanded([keyOf('a')]);
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([]);
    });

    it('X21 so it is where the worker was faster than the mark that it was handed over', async () => {
      await admit('a');
      await subject.claim(keyOf('a'));
      await subject.clock.advance(1);
      await subject.ledger.markHanded([keyOf('a')]);
      await subject.clock.advance(LEASE);
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([keyOf('a')]);
    });

    it('B19 a baseline is not handed over', async () => {
      await subject.ledger.admit([sighting('old')], { handOver: true, baseline: () => true });
      expect(await subject.ledger.unhanded({ limit: 10 })).toEqual([]);
    });
  });
}
