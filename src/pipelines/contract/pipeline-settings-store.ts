import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PipelineSettingsStore, StoredPipelineSettings } from '../pipeline-settings-store.ts';

export interface SettingsStores extends AsyncDisposable {
  readonly mine: PipelineSettingsStore;
  /** The same records, as another process sees them. */
  readonly theirs: PipelineSettingsStore;
  /** Moves the clock of a store that polls. */
  readonly passTime?: () => Promise<void>;
}

type NewSettings = Omit<StoredPipelineSettings, 'version'>;

/** Contract of every store of pipeline settings. */
export function pipelineSettingsStoreContract(name: string, open: () => Promise<SettingsStores>): void {
  describe(`${name}: the contract of pipeline settings`, () => {
    let stores: SettingsStores;
    const settings = (pipeline: string, more: Partial<NewSettings> = {}): NewSettings => ({
      pipeline,
      schedule: { kind: 'cron', expression: '0 7 * * *', timeZone: 'Asia/Tokyo' },
      minScore: 55,
      enabled: false,
      scheduledSince: 1_000,
      changedBy: 'kiku (web)',
      changedAt: 2_000,
      ...more,
    });

    beforeEach(async () => {
      stores = await open();
    });
    afterEach(() => stores[Symbol.asyncDispose]());

    it('R23 Q25 keeps every field, for every process', async () => {
      const other = settings('videos', {
        schedule: { kind: 'every', ms: 90_000 },
        minScore: null,
        enabled: null,
        aliases: [
          { topic: '水引', word: 'knots', decision: 'accepted', by: 'kiku', at: 3_000 },
          { topic: '水引', word: '封筒', decision: 'refused', by: 'ran', at: 4_000 },
        ],
      });
      expect(await stores.mine.list()).toEqual([]);
      expect(await stores.mine.put(settings('morning'), null)).toBe(true);
      expect(await stores.mine.put(other, null)).toBe(true);
      const sweep = settings('retention', { readerRetention: { entriesMs: null, keepPerSource: 0 } });
      expect(await stores.mine.put(sweep, null)).toBe(true);
      const all = (await stores.theirs.list()).toSorted((a, b) => (a.pipeline < b.pipeline ? -1 : 1));
      expect(all).toEqual([
        { ...settings('morning'), version: 1 },
        { ...sweep, version: 1 },
        { ...other, version: 1 },
      ]);
    });

    it('R23 reports the changes of another process, until the signal', async () => {
      let reports = 0;
      const stop = new AbortController();
      const watching = stores.mine.watch(() => {
        reports += 1;
      }, stop.signal);
      await expect.poll(() => reports).toBe(1);
      await stores.theirs.put(settings('morning'), null);
      const seen = async (): Promise<number> => {
        await stores.passTime?.();
        return reports;
      };
      await expect.poll(seen).toBe(2);
      await stores.theirs.put(settings('morning', { minScore: 60 }), 1);
      await expect.poll(seen).toBe(3);
      stop.abort();
      await watching;
    });

    it('R23 of two changes from the same version, one is refused', async () => {
      await stores.mine.put(settings('morning'), null);
      expect(await stores.theirs.put(settings('morning', { minScore: 60 }), 1)).toBe(true);
      expect(await stores.mine.put(settings('morning', { minScore: 70 }), 1)).toBe(false);
      expect(await stores.mine.put(settings('morning', { minScore: 70 }), null)).toBe(false);
      expect(await stores.mine.put(settings('evening'), 4)).toBe(false);
      expect(await stores.mine.list()).toMatchObject([{ pipeline: 'morning', minScore: 60, version: 2 }]);
    });
  });
}
