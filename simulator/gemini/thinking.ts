import type { Reply } from '../net/exchange.ts';
import { badRequest } from './errors.ts';
import type { ThinkingConfig } from './request.ts';

/** Tokens of thinking for each level, and without any setting: about as much as the real models spend on a page. */
const LEVELS: Readonly<Record<string, number>> = { minimal: 64, low: 600, medium: 3000, high: 9000 };
const DYNAMIC = 5000;
const LEAST_BUDGET = 128;

/** Only these think here: `gemini-2.5-pro` always does, `gemini-3-…` by level. */
const alwaysThinks = (model: string): boolean => /^gemini-(?:2\.5-pro|3)/.test(model);
const byLevel = (model: string): boolean => /^gemini-3/.test(model);

/** Tokens of thinking before the answer begins; a reply where the model refuses the setting. */
export function thinkingTokens(model: string, config: ThinkingConfig): number | Reply {
  const { thinkingBudget: budget, thinkingLevel: level } = config;
  if (budget !== undefined && level !== undefined)
    return badRequest('You can only set only one of thinking budget and thinking level.');
  if (level !== undefined) {
    if (!byLevel(model)) return badRequest('Thinking level is not supported for this model.');
    return LEVELS[level] ?? badRequest(`Invalid value at 'generation_config.thinking_config.thinking_level'`);
  }
  if (budget === undefined || budget === -1) return alwaysThinks(model) ? DYNAMIC : 0;
  if (budget === 0 && alwaysThinks(model))
    return badRequest('Budget 0 is invalid. This model only works in thinking mode.');
  if (budget > 32_768 || (budget > 0 && budget < LEAST_BUDGET))
    return badRequest(`The thinking budget (${budget}) is invalid.`);
  return budget;
}
