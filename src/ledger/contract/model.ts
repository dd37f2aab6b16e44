import fc from 'fast-check';
import { describe, it } from 'vitest';
import { ManualClock } from '../../time/manual-clock.ts';
import { ALL_COMMANDS } from './model-commands.ts';
import { emptyModel } from './model-state.ts';
import { type MakeMemory, POLICY } from './subject.ts';

/** KAWARABAN_SEED repeats a run that failed; KAWARABAN_RUNS makes it longer. */
const seed = process.env.KAWARABAN_SEED === undefined ? undefined : Number(process.env.KAWARABAN_SEED);
const asked = process.env.KAWARABAN_RUNS === undefined ? undefined : Number(process.env.KAWARABAN_RUNS);

/** Any order of calls, compared with a plain model after each. */
export function modelContract(make: MakeMemory, runs = 40): void {
  describe('model', () => {
    it('X1 any sequence of calls does what the plain model does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(ALL_COMMANDS, { maxCommands: 60, size: '+1' }), async (commands) => {
          const clock = new ManualClock();
          const memory = await make({ clock, policy: POLICY });
          try {
            await fc.asyncModelRun(
              () => ({ model: emptyModel(), real: { ledger: memory.ledger, clock, claims: [] } }),
              commands,
            );
          } finally {
            await memory[Symbol.asyncDispose]();
          }
        }),
        { numRuns: asked ?? runs, ...(seed !== undefined && { seed }) },
      );
    });
  });
}
