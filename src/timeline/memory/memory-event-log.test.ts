import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { DropEvent } from '../event-log.ts';
import { MemoryEventLog } from './memory-event-log.ts';

const deleted = (id: string): DropEvent => ({ type: 'drop_deleted', drop_id: id, user_id: 'u' });

describe('the event log in memory', () => {
  it('C12 gives each group every event in order, also those from before it began to read', async () => {
    const log = new MemoryEventLog({ clock: new ManualClock(), log: silentLogger, groups: ['a', 'b'] });
    const stop = new AbortController();
    const read: Record<string, DropEvent[]> = { a: [], b: [] };
    await log.append(deleted('1'));
    const readers = ['a', 'b'].map((group) =>
      log.consume(group, async (event) => void read[group]?.push(event), stop.signal),
    );
    await log.append(deleted('2'));
    await Promise.all([log.idle('a'), log.idle('b')]);
    expect(read).toEqual({ a: [deleted('1'), deleted('2')], b: [deleted('1'), deleted('2')] });
    stop.abort();
    await Promise.all(readers);
  });

  it('C12 hands an event that could not be handled in again, and keeps the order', async () => {
    const clock = new ManualClock();
    const log = new MemoryEventLog({ clock, log: silentLogger, groups: ['a'] });
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = log.consume(
      'a',
      async (event) => {
        if (event.type !== 'drop_deleted') return;
        seen.push(event.drop_id);
        if (seen.length < 3) throw new Error('the store is away');
      },
      stop.signal,
    );
    await log.append(deleted('1'));
    await log.append(deleted('2'));
    await clock.advance(1000);
    expect(seen).toEqual(['1', '1', '1', '2']);
    stop.abort();
    await reading;
  });
});
