import type { Config } from '../config/config.ts';
import type { EmbedderConfig } from '../config/schema/embedder.ts';
import type { JudgeConfig } from '../config/schema/judges.ts';
import { guardedFetch } from '../fetch/create-fetcher.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { BudgetLimits } from '../judge/budget/budget.ts';
import { createStoryOpinion, type EmbedderSettings, WITHOUT_EMBEDDER } from '../judge/create-embedder.ts';
import { createJudges, type JudgeDeps, judgeSpend, type NamedJudge } from '../judge/create-judge.ts';
import type { JudgeSpend, Judges } from '../judge/judge.ts';
import type { PluginHost } from '../plugins/plugin-services.ts';
import type { SecondOpinion } from '../same-story/second-opinion.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { HOUR } from '../time/duration.ts';
import type { Engine } from './engine.ts';

/** How long a judge is unavailable before its configured fall-back answers (X18). */
const FALLBACK_AFTER_MS = HOUR;

export interface BuildJudgesDependencies {
  readonly config: Config;
  readonly engine: Pick<Engine, 'judgeStores'>;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly events: Pick<Events, 'judgeCalled'>;
  readonly log: Logger;
  readonly stack: AsyncDisposableStack;
}

/** The judges, and the second opinion on pairs of articles that may be about the same story. */
export interface BuiltJudges extends Judges {
  readonly storyOpinion: SecondOpinion;
}

/** The judges of the configuration. Their stores are persistent only if a remote judge or a curator needs them. */
export async function buildJudges(deps: BuildJudgesDependencies): Promise<BuiltJudges> {
  const { config, clock } = deps;
  const all = Object.values(config.judges).map((settings) => ({
    id: settings.id,
    settings: judgeSettings(settings, deps),
  }));
  const isPersistent =
    config.embedder !== undefined ||
    all.some(({ settings }) => settings.kind !== 'local' && settings.kind !== 'plugin') ||
    Object.values(config.pipelines).some(({ kind }) => kind === 'curate');
  const shared = isPersistent ? await persistentDeps(deps) : await inMemoryDeps(deps);
  const byId = await createJudges(Object.fromEntries(all.map(({ id, settings }) => [id, settings])), shared);
  const stories =
    config.embedder === undefined
      ? WITHOUT_EMBEDDER
      : await createStoryOpinion(embedderSettings(config.embedder), shared);
  return {
    byId,
    storyOpinion: stories.opinion,
    history: shared.verdicts,
    sweep: async ({ calls, verdicts }) => ({
      calls: await shared.budgets.sweep(clock.now() - calls),
      verdicts: await shared.verdicts.sweep(clock.now() - verdicts),
    }),
    async spend() {
      const spends = await Promise.all(
        all.map(async ({ id, settings }): Promise<JudgeSpend[]> => {
          const spend = await judgeSpend(settings, shared);
          return spend === null ? [] : [{ judge: id, ...spend }];
        }),
      );
      const embedder = await stories.spend();
      return [...spends.flat(), ...(embedder === null ? [] : [embedder])];
    },
  };
}

async function persistentDeps({
  engine,
  fetcher,
  clock,
  events,
  stack,
}: BuildJudgesDependencies): Promise<JudgeDeps> {
  const { budgets, verdicts, failures } = stack.use(await engine.judgeStores());
  return { clock, events, fetch: guardedFetch(fetcher), budgets, verdicts, failures };
}

/** The local judge calls no service and has no budget; without a curator nothing has to be persisted. */
async function inMemoryDeps({ clock, events }: BuildJudgesDependencies): Promise<JudgeDeps> {
  const { createMemoryBudgetStore, createMemoryVerdictCache, createMemoryJudgeFailureStore } = await import(
    '../storage/memory/judge-stores.ts'
  );
  const fetch = () => Promise.reject(new TypeError('the local judge calls no service'));
  return {
    clock,
    events,
    fetch,
    budgets: createMemoryBudgetStore(),
    verdicts: createMemoryVerdictCache(),
    failures: createMemoryJudgeFailureStore(),
  };
}

function embedderSettings(embedder: EmbedderConfig): EmbedderSettings {
  const { kind, model, key, baseUrl, timeout, minSimilarity, limits, price } = embedder;
  return {
    kind,
    model,
    timeoutMs: timeout,
    minSimilarity,
    limits: budgetLimits(limits),
    ...(key !== undefined && { apiKey: () => key.reveal() }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(price !== undefined && { inputPerMillion: price.input }),
  };
}

function budgetLimits(limits: EmbedderConfig['limits']): BudgetLimits {
  return {
    callsPerMinute: limits.callsPerMinute,
    callsPerDay: limits.callsPerDay,
    ...(limits.tokensPerDay !== undefined && { tokensPerDay: limits.tokensPerDay }),
    ...(limits.usdPerDay !== undefined && { microUsdPerDay: Math.round(limits.usdPerDay * 1e6) }),
  };
}

function judgeSettings(judge: JudgeConfig, host: PluginHost): NamedJudge {
  if (judge.kind === 'local') {
    const { language } = judge;
    return { kind: 'local', ...(language !== undefined && { language }) };
  }
  const { id, timeout } = judge;
  const fallback =
    judge.fallback === undefined ? {} : { fallback: judge.fallback, fallbackAfterMs: FALLBACK_AFTER_MS };
  if (judge.kind === 'plugin')
    return { kind: 'plugin', pluginKind: judge.pluginKind, timeoutMs: timeout, host, ...fallback };
  const { model, limits, price, prompts, baseUrl } = judge;
  const { maxOutputTokens, temperature, reasoning } = judge;
  const shared = {
    id,
    model,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoning !== undefined && { reasoning }),
    timeoutMs: timeout,
    concurrency: limits.concurrency,
    limits: budgetLimits(limits),
    ...(price !== undefined && { price: { inputPerMillion: price.input, outputPerMillion: price.output } }),
    ...(prompts !== undefined && { prompts }),
    ...fallback,
  };
  if (judge.kind === 'gemini') {
    const { key } = judge;
    return {
      kind: 'gemini',
      apiKey: () => key.reveal(),
      ...shared,
      ...(baseUrl !== undefined && { baseUrl }),
    };
  }
  const { key } = judge;
  return {
    kind: 'openai',
    baseUrl: judge.baseUrl,
    contextTokens: judge.contextTokens,
    ...shared,
    ...(key !== undefined && { apiKey: () => key.reveal() }),
  };
}
