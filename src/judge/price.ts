import type { CallUsage } from './model.ts';

/** What a model costs, in US dollars per million tokens: micro-dollars per token, in other words. */
export interface Price {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** In millionths of a US dollar, rounded up: a budget is never passed by rounding. */
export function costOf(usage: Pick<CallUsage, 'inputTokens' | 'outputTokens'>, price: Price | null): number {
  if (price === null) return 0;
  return Math.ceil(usage.inputTokens * price.inputPerMillion + usage.outputTokens * price.outputPerMillion);
}
