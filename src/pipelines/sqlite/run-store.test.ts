import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../time/manual-clock.ts';
import { SqliteRunStore } from './run-store.ts';

describe('SqliteRunStore', () => {
  let folder: string;
  let clock: ManualClock;
  let mine: SqliteRunStore;
  let theirs: SqliteRunStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-runs-'));
    clock = new ManualClock();
    mine = new SqliteRunStore(join(folder, 'runs.db'), clock);
    theirs = new SqliteRunStore(join(folder, 'runs.db'), clock);
  });
  afterEach(async () => {
    await mine[Symbol.asyncDispose]();
    await theirs[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lets one run of a pipeline live at a time, and another pipeline beside it', async () => {
    const ticket = await mine.begin('morning', 'a', 1000);
    expect(ticket).not.toBeNull();
    expect(await theirs.begin('morning', 'b', 1000)).toBeNull();
    expect(await theirs.begin('evening', 'b', 1000)).not.toBeNull();
  });

  it('takes over from a run that died, and the dead one cannot go on', async () => {
    const dead = await mine.begin('morning', 'a', 1000);
    clock.jump(1001);
    expect(await theirs.begin('morning', 'b', 1000)).not.toBeNull();
    if (dead === null) throw new Error('no ticket');
    expect(await mine.renew(dead, 1000)).toBe(false);
  });

  it('remembers how runs ended, newest first', async () => {
    for (const summary of ['one', 'two']) {
      const ticket = await mine.begin('morning', 'a', 1000);
      if (ticket === null) throw new Error('no ticket');
      await mine.end(ticket, { outcome: 'done', summary, counts: { published: 3 } });
      clock.jump(5);
    }
    expect((await mine.recent('morning', 5)).map((run) => run.summary)).toEqual(['two', 'one']);
    expect(await mine.last('morning')).toMatchObject({ outcome: 'done', counts: { published: 3 } });
    expect(await mine.last('evening')).toBeNull();
  });
});
