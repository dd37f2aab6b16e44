import type { JudgeDeps, JudgeSettings } from './create-judge.ts';
import { createJudge } from './create-judge.ts';
import { withFallback } from './fallback-judge.ts';
import type { Judge } from './judge.ts';

/** A judge of the configuration, and who stands in for it. */
export type NamedJudge = JudgeSettings & {
  /** ID of another judge. */
  readonly fallback?: string;
  /** How long this one must have been away before the other steps in. Default: at once. */
  readonly fallbackAfterMs?: number;
};

/** All judges of a configuration by their IDs, each with its stand-in. The configuration has ruled out circles and unknown names. */
export async function createJudges(
  settings: Readonly<Record<string, NamedJudge>>,
  deps: JudgeDeps,
): Promise<ReadonlyMap<string, Judge>> {
  const made = new Map<string, Judge>();
  const make = async (id: string): Promise<Judge> => {
    const known = made.get(id);
    if (known) return known;
    const wanted = settings[id];
    if (!wanted) throw new Error(`there is no judge “${id}”`);
    const own = await createJudge(wanted.kind === 'local' ? wanted : { ...wanted, id }, deps);
    const judge =
      wanted.fallback === undefined
        ? own
        : withFallback(own, await make(wanted.fallback), {
            clock: deps.clock,
            afterMs: wanted.fallbackAfterMs ?? 0,
          });
    made.set(id, judge);
    return judge;
  };
  for (const id of Object.keys(settings)) await make(id);
  return made;
}
