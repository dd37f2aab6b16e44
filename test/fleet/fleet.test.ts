import { expect, it } from 'vitest';
import { MINUTE } from '../../src/time/duration.ts';
import { requires } from '../requirements.ts';
import { runTrial } from './trial.ts';

/** A small part of `npm run demo:distributed`, which does the same with 2,000 items. */
requires(
  'fleet',
  'gcloud',
  'redis-server',
)('the whole newsroom on the distributed engine, two copies of each role', () => {
  it(
    'C24 X2 X21 copies are killed at random: every item is settled, none is posted twice, timelines are complete',
    async () => {
      const lines: string[] = [];
      const result = await runTrial({
        items: 60,
        kills: 2,
        // A worker, and a scheduler.
        seed: 39,
        withinMs: 6 * MINUTE,
        log: (line) => void lines.push(line),
      });
      expect(result.wrong, lines.slice(-40).join('\n')).toEqual([]);
      expect(result.published).toBeGreaterThan(15);
      expect(result.kills).toEqual({ worker: 1, scheduler: 1 });
    },
    8 * MINUTE,
  );
});
