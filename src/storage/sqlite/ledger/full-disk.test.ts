import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requires } from '../../../../test/requirements.ts';
import { keyOf, LEASE_MS, POLICY, present, sighting, transition } from '../../../ledger/contract/subject.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { StoreFullError } from '../connection.ts';
import { openSqliteLedger } from './ledger.ts';

requires('mount')('a full disk', () => {
  let disk: string;
  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'kawaraban-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
  });
  afterEach(() => {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  it('loses nothing: acknowledged writes are stored, failed ones are not, and it continues when there is space', async () => {
    const clock = new ManualClock();
    const ballast = join(disk, 'ballast');
    const { ledger, outbox, ...stores } = openSqliteLedger(join(disk, 'l.db'), { clock, policy: POLICY });
    try {
      await ledger.admit([sighting('first')], {});
      const claim = present(await ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS }));
      const free = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize;
      writeFileSync(ballast, Buffer.alloc(Math.max(0, free() - 600_000)));

      let batches = 0;
      const failure = await (async (): Promise<unknown> => {
        for (; batches < 200; batches++) {
          try {
            await ledger.admit(batch(batches), {});
          } catch (error) {
            return error;
          }
        }
        return null;
      })();
      expect(failure).toBeInstanceOf(StoreFullError);
      expect(String(failure)).toMatch(/disk .* is full\. Nothing was stored by this call/);
      expect(batches).toBeGreaterThan(0);

      const keys = (n: number) => batch(n).map(({ key }) => key);
      for (let n = 0; n < batches; n++) expect((await ledger.known(keys(n))).size).toBe(20);
      expect((await ledger.known(keys(batches))).size).toBe(0);
      expect((await ledger.counts()).byState.waiting).toBe(1 + 20 * batches);

      const publish = transition(claim.item, { type: 'publish' }, clock.now());
      const big = [{ key: 'k', itemKeys: [claim.item.key], destination: 'd', body: 'x'.repeat(1_000_000) }];
      await expect(ledger.record(claim, publish, { messages: big })).rejects.toThrow(StoreFullError);
      expect((await ledger.find(keyOf('first')))?.state).toBe('waiting');
      expect(await outbox.ofItem(keyOf('first'))).toEqual([]);

      rmSync(ballast);
      expect(await ledger.record(claim, publish, { messages: big })).toBe('recorded');
      expect(await ledger.admit(batch(batches), {})).toEqual(batch(batches).map(() => 'new'));
      expect(await outbox.ofItem(keyOf('first'))).toHaveLength(1);
    } finally {
      await stores[Symbol.asyncDispose]();
    }
  });

  function batch(n: number) {
    return Array.from({ length: 20 }, (_, index) => sighting(`${n}-${index}`, { excerpt: 'x'.repeat(500) }));
  }
});
