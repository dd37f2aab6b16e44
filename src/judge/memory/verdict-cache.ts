import type { InterestsHistory } from '../interests-history.ts';
import type { Interests } from '../judge.ts';
import type { CachedVerdict, VerdictCache, VerdictKey } from '../verdict-cache.ts';

/** For one process. A restart forgets the verdicts. */
export function createMemoryVerdictCache(): VerdictCache & InterestsHistory {
  const verdicts = new Map<string, { key: VerdictKey; verdict: CachedVerdict }>();
  const interests = new Map<string, Interests>();
  return {
    async get(key) {
      return verdicts.get(textOf(key))?.verdict ?? null;
    },
    async latest(key) {
      const same = [...verdicts.values()].filter(
        (entry) =>
          textOf({ ...entry.key, interestsVersion: '' }) === textOf({ ...key, interestsVersion: '' }),
      );
      const newest = same.sort((a, b) => b.verdict.madeAt - a.verdict.madeAt)[0];
      return newest ? { ...newest.verdict, interestsVersion: newest.key.interestsVersion } : null;
    },
    async put(key, verdict) {
      verdicts.set(textOf(key), { key, verdict });
    },
    async sweep(before) {
      let swept = 0;
      for (const [name, entry] of verdicts) {
        if (entry.verdict.madeAt < before && verdicts.delete(name)) swept++;
      }
      return swept;
    },
    async remember(value) {
      interests.set(value.version, value);
    },
    async at(version) {
      return interests.get(version) ?? null;
    },
    async [Symbol.asyncDispose]() {
      verdicts.clear();
    },
  };
}

function textOf(key: VerdictKey): string {
  return [key.question, key.textHash, key.interestsVersion, key.model, key.promptVersion].join('\n');
}
