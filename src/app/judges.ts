import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { JudgeConfig } from '../config/schema/judges.ts';
import { type JudgeDeps, judgeSpend } from '../judge/create-judge.ts';
import type { Judge } from '../judge/judge.ts';
import { createJudges, type NamedJudge } from '../judge/judges.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import type { Clock } from '../time/clock.ts';
import { HOUR } from '../time/duration.ts';
import type { Closing } from './closing.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** A judge that has been away for so long is stood in for, where the configuration wants that (X18). */
const FALLBACK_AFTER = HOUR;

export interface JudgeParts {
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly closing: Closing;
}

export interface Judges {
  readonly byId: ReadonlyMap<string, Judge>;
  /** What each remote judge has spent today, with its limits. */
  spend(): Promise<readonly JudgeSpend[]>;
}

export type JudgeSpend = { readonly judge: string } & NonNullable<Awaited<ReturnType<typeof judgeSpend>>>;

/** The judges of the configuration. The stores behind remote ones are opened only where there is one. */
export async function judgesOf({ config, fetcher, clock, closing }: JudgeParts): Promise<Judges> {
  const all = Object.values(config.judges).map((settings) => ({
    id: settings.id,
    settings: settingsOf(settings),
  }));
  const deps = all.some(({ settings }) => settings.kind !== 'local')
    ? await remoteDeps(config, fetcher, clock, closing)
    : await localDeps(clock);
  const byId = await createJudges(Object.fromEntries(all.map(({ id, settings }) => [id, settings])), deps);
  return {
    byId,
    async spend() {
      const spends = await Promise.all(
        all.map(async ({ id, settings }) => ({ judge: id, ...(await judgeSpend(settings, deps)) })),
      );
      return spends.filter((spend): spend is JudgeSpend => 'limits' in spend);
    },
  };
}

async function remoteDeps(
  config: Config,
  fetcher: Fetcher,
  clock: Clock,
  closing: Closing,
): Promise<JudgeDeps> {
  const { openSqliteJudgeMemory } = await import('../judge/sqlite/open.ts');
  const { budgets, verdicts } = closing.add(
    'the judges’ memory',
    openSqliteJudgeMemory(join(config.data, 'judges.db')),
  );
  return { clock, fetch: guardedFetch(fetcher), budgets, verdicts };
}

/** The local judge asks nobody and spends nothing; it needs neither. */
async function localDeps(clock: Clock): Promise<JudgeDeps> {
  const { createMemoryBudgetStore } = await import('../judge/memory/budget-store.ts');
  const { createMemoryVerdictCache } = await import('../judge/memory/verdict-cache.ts');
  const fetch = () => Promise.reject(new TypeError('the local judge asks nobody'));
  return { clock, fetch, budgets: createMemoryBudgetStore(), verdicts: createMemoryVerdictCache() };
}

function settingsOf(judge: JudgeConfig): NamedJudge {
  if (judge.kind === 'local') return { kind: 'local' };
  const { id, model, limits, price, timeout, temperature, prompts, baseUrl, fallback } = judge;
  const shared = {
    id,
    model,
    temperature,
    timeoutMs: timeout,
    concurrency: limits.concurrency,
    limits: {
      callsPerMinute: limits.callsPerMinute,
      callsPerDay: limits.callsPerDay,
      ...(limits.tokensPerDay !== undefined && { tokensPerDay: limits.tokensPerDay }),
      ...(limits.usdPerDay !== undefined && { microUsdPerDay: Math.round(limits.usdPerDay * 1e6) }),
    },
    ...(price !== undefined && { price: { inputPerMillion: price.input, outputPerMillion: price.output } }),
    ...(prompts !== undefined && { prompts }),
    ...(fallback !== undefined && { fallback, fallbackAfterMs: FALLBACK_AFTER }),
  };
  if (judge.kind === 'gemini') {
    return {
      kind: 'gemini',
      apiKey: judge.key.reveal(),
      ...shared,
      ...(baseUrl !== undefined && { baseUrl }),
    };
  }
  return {
    kind: 'openai',
    baseUrl: judge.baseUrl,
    contextTokens: judge.contextTokens,
    ...shared,
    ...(judge.key !== undefined && { apiKey: judge.key.reveal() }),
  };
}
