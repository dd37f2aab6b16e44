import type { Reasoning } from '../model.ts';
import type { FailedResponse } from '../remote/call-failure.ts';

export type ThinkingConfig =
  | { readonly thinkingLevel: 'minimal' | 'low' | 'medium' | 'high' }
  | { readonly thinkingBudget: number };

/** Tokens. Within what every 2.5 model takes; -1 lets the model choose. */
const BUDGETS: Readonly<Record<Reasoning, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: -1,
};

/** Gemini 3 and later take a level, and aliases such as `gemini-flash-latest` stand for those; earlier ones take a budget. */
export function hasThinkingLevels(model: string): boolean {
  return !/gemini-[12](?:\D|$)/.test(model);
}

/** How to ask for so much reasoning, best first. A model that refuses all of them thinks as much as it likes. */
export function thinkingConfigs(model: string, reasoning: Reasoning): readonly ThinkingConfig[] {
  const budget = { thinkingBudget: BUDGETS[reasoning] };
  if (hasThinkingLevels(model)) {
    const levels =
      reasoning === 'none' || reasoning === 'minimal' ? (['minimal', 'low'] as const) : [reasoning];
    return [...levels.map((thinkingLevel) => ({ thinkingLevel })), budget];
  }
  // Some models cannot do without: then as little as they take.
  return reasoning === 'none' ? [budget, { thinkingBudget: BUDGETS.minimal }] : [budget];
}

/** Whether the refusal is about thinking: a level or a budget that this model does not have. */
export function refusesThinking({ status, body }: FailedResponse): boolean {
  return status === 400 && /thinking/i.test(body);
}
