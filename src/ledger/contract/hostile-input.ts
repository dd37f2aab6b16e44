import { describe, expect, it } from 'vitest';
import type { ItemKey, Sighting } from '../../item/item.ts';
import { BadCursorError } from '../filter.ts';
import { BadLedgerInputError } from '../validation.ts';
import { type MakePipelineStores, Subject, sighting, verdict } from './subject.ts';

const YEAR_0 = Date.parse('0000-01-01T00:00:00.000Z');
const YEAR_9999 = Date.parse('9999-12-31T23:59:59.999Z');

/** Refused, or stored faithfully; never partially, and without affecting the others. */
export function hostileInputContract(make: MakePipelineStores): void {
  describe('hostile input', () => {
    const subject = new Subject(make);

    const refused: Record<string, Partial<Record<keyof Sighting, unknown>>> = {
      'an empty key': { key: '' },
      'a key with a NUL character': { key: 'https://a.example/\0' },
      'a key with an unpaired surrogate': { key: 'https://a.example/\ud800' },
      'an endless key': { key: `https://a.example/${'x'.repeat(70_000)}` },
      'a key that is a number': { key: 5 },
      'a key that is missing': { key: undefined },
      'an empty title': { title: '' },
      'a title that is an object': { title: { toString: 'x' } },
      'a time that is a text': { publishedAt: '2026-01-01' },
      'a time that is no number': { publishedAt: Number.NaN },
      'a time before year 0': { publishedAt: YEAR_0 - 1 },
      'a time after year 9999': { publishedAt: YEAR_9999 + 1 },
      'a source that is missing': { sourceId: undefined },
    };
    for (const [name, wrong] of Object.entries(refused))
      it(`${name} is refused, and the others of the call are admitted`, async () => {
        const bad = { ...sighting('bad'), ...wrong } as Sighting;
        const outcomes = await subject.ledger.admit([sighting('before'), bad, sighting('after')], {});
        expect(outcomes).toEqual(['new', 'refused', 'new']);
        expect((await subject.ledger.counts()).byState.waiting).toBe(2);
      });

    const faithful: Record<string, Partial<Sighting>> = {
      'a title of 1 MB': { title: '瓦'.repeat(350_000) },
      'a title with NUL characters': { title: 'a\0b\0' },
      'a title with unpaired surrogates': { title: 'a\ud800b\udc00' },
      'a title that looks like SQL': { title: "'); DROP TABLE items; --" },
      'an address that is none': { url: 'javascript:alert(1)' },
      'an empty address': { url: '' },
      'an address with a NUL character': { url: 'https://a.example/\0' },
      'a date in year 0': { publishedAt: YEAR_0 },
      'a date in year 9999': { publishedAt: YEAR_9999 },
      'an excerpt with everything': { excerpt: '\0\ud83d "\\ \u2028 𝕏 \x1b[31m' },
      'a key outside of ASCII': { key: 'https://例え.テスト/%zz?🦑#"\'\\' as ItemKey },
    };
    for (const [name, odd] of Object.entries(faithful))
      it(`${name} is stored faithfully`, async () => {
        const given = sighting('odd', odd);
        expect(await subject.ledger.admit([given], {})).toEqual(['new']);
        expect(await subject.ledger.find(given.key)).toMatchObject(given);
        expect((await subject.ledger.list({ limit: 1 })).items[0]).toMatchObject(given);
        expect((await subject.claimNext()).item).toMatchObject(given);
        expect(await subject.ledger.admit([given], {})).toEqual(['known']);
        expect(await subject.ledger.known([given.key])).toEqual(new Set([given.key]));
      });

    it('dates from year 0 to year 9999 sort by time', async () => {
      const times = [YEAR_9999, 0, YEAR_0, -1, Date.UTC(2026, 0, 1), Date.UTC(1000, 0, 1), 1];
      for (const [index, publishedAt] of times.entries()) await subject.acceptedAt(`t${index}`, publishedAt);
      const claimed: number[] = [];
      for (const _ of times) claimed.push((await subject.claimNext()).item.publishedAt);
      expect(claimed).toEqual(times.toSorted((a, b) => a - b));
    });

    it('an invalid lease, limit, step or cursor is refused, and nothing is stored', async () => {
      await subject.admit('a');
      for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1.5]) {
        await expect(subject.ledger.claimNext({ owner: 'w', leaseMs })).rejects.toThrow(BadLedgerInputError);
        await expect(subject.outbox.claimNext('d', 'w', leaseMs)).rejects.toThrow(BadLedgerInputError);
      }
      for (const limit of [0, -1, Number.NaN, 0.5]) {
        await expect(subject.ledger.list({ limit })).rejects.toThrow(BadLedgerInputError);
        await expect(subject.ledger.upcoming(limit)).rejects.toThrow(BadLedgerInputError);
        await expect(subject.outbox.list({ limit })).rejects.toThrow(BadLedgerInputError);
      }
      await expect(subject.outbox.list({ limit: 1, cursor: 'x' })).rejects.toThrow(BadCursorError);
      const claim = await subject.claimNext();
      const until = Number.POSITIVE_INFINITY;
      const never = subject.step(claim, { type: 'postpone', until, reason: 'over_limit' });
      await expect(never).rejects.toThrow(BadLedgerInputError);
      expect(await subject.ledger.history(claim.item.key)).toHaveLength(1);
      expect(await subject.step(claim, { type: 'publish' })).toBe('recorded');
    });

    it('an odd verdict, detail and note come back as they were', async () => {
      const odd = 'a\0b"\\\n瓦𝕏';
      const key = await subject.afterStep(
        'a',
        { type: 'accept', detail: odd },
        { verdict: verdict({ reason: `${odd}\ud800` }), notes: { [odd]: odd } },
      );
      const item = await subject.find(key);
      expect(item.detail).toBe(odd);
      expect(item.verdict?.reason).toBe(`${odd}\ud800`);
      expect((await subject.ledger.history(key)).at(-1)).toMatchObject({
        detail: odd,
        notes: { [odd]: odd },
      });
    });
  });
}
