import type { Clock } from '../../time/clock.ts';
import type { Answer, CallUsage, Question } from '../model.ts';
import { estimateTokens } from '../tokens.ts';
import { connectionTrouble, type FailedResponse, failedResponseOf, later } from './call-failure.ts';
import { timed } from './timed.ts';

/** What the SDKs' models have in common, as far as it is read here. */
interface Generated {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[];
  readonly usage: {
    readonly inputTokens: { readonly total: number | undefined };
    readonly outputTokens: {
      readonly total: number | undefined;
      readonly reasoning?: number | undefined;
    };
  };
  readonly finishReason: { readonly unified: string; readonly raw: string | undefined };
}

export interface Generating<F> {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** What must not stand in any message. */
  readonly secrets: readonly string[];
  readonly generate: (signal: AbortSignal) => PromiseLike<Generated>;
  /** A server that said no. */
  readonly failure: (response: FailedResponse) => F;
  /** How this server says that it will not touch a text; `raw` is its own word for it. */
  readonly blocked: (raw: string | undefined) => string;
}

/** One call of a model: its answer, or what went wrong. Throws only when the caller itself gave up. */
export async function generate<F>(
  call: Generating<F>,
  question: Question,
  signal: AbortSignal | undefined,
): Promise<Answer | F> {
  const { clock, timeoutMs, secrets } = call;
  try {
    const result = await timed(clock, timeoutMs, signal, call.generate);
    if (!result.done) return later('timeout', `no answer within ${timeoutMs} ms`);
    return answerOf(result.value, question, call.blocked);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const failed = failedResponseOf(error);
    return failed === null ? connectionTrouble(error, secrets) : call.failure(failed);
  }
}

/** Refused calls are calls too (X9). */
export function withCalls(answer: Answer, calls: number): Answer {
  if (calls === 1) return answer;
  const usage = answer.usage ?? { calls: 1, inputTokens: 0, outputTokens: 0 };
  return { ...answer, usage: { ...usage, calls } };
}

function answerOf(
  { content, usage, finishReason }: Generated,
  question: Question,
  blocked: Generating<never>['blocked'],
): Answer {
  const text = content
    .map((part) => (part.type === 'text' && typeof part.text === 'string' ? part.text : ''))
    .join('');
  const used: CallUsage = {
    calls: 1,
    inputTokens: usage.inputTokens.total ?? estimateTokens(question.instructions + question.data),
    outputTokens: usage.outputTokens.total ?? estimateTokens(text),
  };
  const { unified, raw } = finishReason;
  if (unified === 'content-filter')
    return { outcome: 'unfit', why: 'blocked', detail: blocked(raw), usage: used };
  const reasoningTokens = usage.outputTokens.reasoning ?? 0;
  return { outcome: 'answer', text, cutOff: unified === 'length', reasoningTokens, usage: used };
}
