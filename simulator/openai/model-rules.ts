import type { Reply } from '../net/exchange.ts';
import {
  extraForbidden,
  tooManyTokens,
  unrecognizedArgument,
  unsupportedParameter,
  unsupportedValue,
} from './errors.ts';
import type { Chat } from './request.ts';

/** Which parameters a model accepts, by its name: `gpt-5-sim` like OpenAI's newer models, `mistral-sim` like Mistral's. */
type Generation = 'reasoning' | 'classic' | 'strict';

const MOST_OUTPUT = 16_384;
const EFFORTS: Readonly<Record<string, number>> = { minimal: 64, low: 512, medium: 3000, high: 9000 };

function generationOf(model: string): Generation {
  if (/^(?:o\d|gpt-5)/.test(model)) return 'reasoning';
  return /^mistral/.test(model) ? 'strict' : 'classic';
}

/** What the model refuses in the parameters of a chat; `null` = nothing. */
export function refusedParameters({ model, sent }: Chat): Reply | null {
  switch (generationOf(model)) {
    case 'reasoning':
      if (sent.max_tokens !== undefined) return unsupportedParameter('max_tokens', 'max_completion_tokens');
      if (sent.temperature !== undefined && sent.temperature !== 1)
        return unsupportedValue(
          'temperature',
          String(sent.temperature),
          'Only the default (1) value is supported.',
        );
      if (sent.reasoning_effort !== undefined && !(sent.reasoning_effort in EFFORTS))
        return unsupportedValue(
          'reasoning_effort',
          `'${sent.reasoning_effort}'`,
          "Supported values are: 'minimal', 'low', 'medium', and 'high'.",
        );
      return null;
    case 'strict':
      for (const field of ['max_completion_tokens', 'reasoning_effort'] as const)
        if (sent[field] !== undefined) return extraForbidden(field, sent[field]);
      return null;
    case 'classic': {
      if (sent.reasoning_effort !== undefined) return unrecognizedArgument('reasoning_effort');
      for (const field of ['max_completion_tokens', 'max_tokens'] as const)
        if ((sent[field] ?? 0) > MOST_OUTPUT) return tooManyTokens(field, sent[field] ?? 0, MOST_OUTPUT);
      return null;
    }
  }
}

/** Tokens that the model spends on reasoning before its answer begins. They count as output. */
export function reasoningTokens({ model, sent }: Chat): number {
  return generationOf(model) === 'reasoning' ? (EFFORTS[sent.reasoning_effort ?? 'medium'] ?? 0) : 0;
}
