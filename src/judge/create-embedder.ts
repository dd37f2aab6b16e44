import { NO_OPINION, type SecondOpinion } from '../same-story/second-opinion.ts';
import { type BudgetLimits, spendOf } from './budget/budget.ts';
import type { JudgeDeps } from './create-judge.ts';
import type { Embedder } from './embedder.ts';
import { EMBEDDER_ID, EmbeddingOpinion } from './embedding-opinion.ts';
import type { JudgeSpend } from './judge.ts';
import { JudgeHealth } from './judge-stores.ts';

/** Settings of an embedding model. */
export interface EmbedderSettings {
  readonly kind: 'openai' | 'gemini';
  readonly model: string;
  readonly apiKey?: () => string;
  /** Needed for `openai`. */
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly minSimilarity: number;
  readonly limits: BudgetLimits;
  /** US dollars per million tokens. */
  readonly inputPerMillion?: number;
}

export interface StoryOpinion {
  readonly opinion: SecondOpinion;
  /** Spending and last failure; `null` if no embedder is configured. */
  spend(): Promise<JudgeSpend | null>;
}

export const WITHOUT_EMBEDDER: StoryOpinion = { opinion: NO_OPINION, spend: async () => null };

/** The second opinion on pairs in doubt by an embedding model, with the same stores as the judges. */
export async function createStoryOpinion(settings: EmbedderSettings, deps: JudgeDeps): Promise<StoryOpinion> {
  const { clock, budgets, verdicts, failures, events } = deps;
  const embedder = await embedderOf(settings, deps);
  // A judge may be called `embedder` too; no ID has a colon.
  const budgetId = `same-story:${settings.model}`;
  const budget = {
    store: budgets,
    budgetId,
    limits: settings.limits,
    price:
      settings.inputPerMillion === undefined
        ? null
        : { inputPerMillion: settings.inputPerMillion, outputPerMillion: 0 },
    timeZone: 'UTC',
    maxWaitMs: 0,
    clock,
  };
  return {
    opinion: new EmbeddingOpinion({
      embedder,
      minSimilarity: settings.minSimilarity,
      budget,
      cache: verdicts,
      health: new JudgeHealth(budgetId, failures, clock),
      events,
      clock,
      random: Math.random,
    }),
    async spend() {
      const [spend, trouble] = await Promise.all([spendOf(budget), failures.lastFailure(budgetId)]);
      return { judge: EMBEDDER_ID, ...spend, limits: settings.limits, trouble };
    },
  };
}

async function embedderOf(
  { kind, model, apiKey, baseUrl = '', timeoutMs }: EmbedderSettings,
  { fetch, clock }: JudgeDeps,
): Promise<Embedder> {
  const shared = { model, fetch, clock, timeoutMs };
  if (kind === 'gemini') {
    const { createGeminiEmbedder } = await import('./gemini/gemini-embedder.ts');
    return createGeminiEmbedder({
      ...shared,
      apiKey: apiKey ?? (() => ''),
      ...(baseUrl !== '' && { baseUrl }),
    });
  }
  const { createOpenaiEmbedder } = await import('./openai/openai-embedder.ts');
  return createOpenaiEmbedder({ ...shared, baseUrl, ...(apiKey !== undefined && { apiKey }) });
}
