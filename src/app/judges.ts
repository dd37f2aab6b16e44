import type { Config } from '../config/config.ts';
import type { Judge } from '../judge/judge.ts';
import { createLocalJudge } from '../judge/local/local-judge.ts';

/** The judges of the configuration by their IDs. */
export function judgesOf(config: Config): ReadonlyMap<string, Judge> {
  const judges = new Map<string, Judge>();
  for (const settings of Object.values(config.judges)) {
    if (settings.kind === 'local') judges.set(settings.id, createLocalJudge());
  }
  return judges;
}
