import { expect, it } from 'vitest';
import { MINUTE } from '../../src/time/duration.ts';
import { emulatorForThisFile } from '../emulators.ts';
import { requires } from '../requirements.ts';
import { runTrial } from './trial.ts';

/** A small part of `npm run demo:distributed`, which kills replicas at random while 2,000 items are processed. */
requires('gcloud', 'redis-server')(
  'the whole newsroom on the distributed engine, each role a process',
  () => {
    const firestore = emulatorForThisFile('firestore');
    const pubsub = emulatorForThisFile('pubsub');

    it(
      'C24 X2 X21 a worker and a scheduler are killed: every item is in a terminal state, none is posted twice, timelines are complete',
      async () => {
        const lines: string[] = [];
        const result = await runTrial({
          items: 24,
          replicas: { web: 1, timeline: 1 },
          kills: ['worker', 'scheduler'],
          lease: '5s',
          emulators: { firestore: firestore.host, pubsub: pubsub.host },
          seed: 1,
          withinMs: 9 * MINUTE,
          log: (line) => void lines.push(line),
        });
        expect(result.wrong, lines.slice(-40).join('\n')).toEqual([]);
        expect(result.published).toBeGreaterThan(5);
        expect(result.kills).toEqual({ worker: 1, scheduler: 1 });
      },
      12 * MINUTE,
    );
  },
);
