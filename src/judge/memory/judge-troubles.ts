import type { JudgeTroubles, ReportedTrouble } from '../judge-troubles.ts';

/** For one process. */
export function createMemoryJudgeTroubles(): JudgeTroubles {
  const last = new Map<string, ReportedTrouble>();
  return {
    async report(judge, trouble) {
      if (trouble === null) last.delete(judge);
      else last.set(judge, trouble);
    },
    lastTrouble: async (judge) => last.get(judge) ?? null,
  };
}
