import type { Clock } from '../../time/clock.ts';
import type { JudgeFailure } from '../judge.ts';
import type { Answer, CallUsage, ModelFailure, Question } from '../model.ts';
import { estimateTokens, firstCharacters } from '../text-length.ts';

/** The common part of the SDKs' models that is used here. */
interface GeneratedContent {
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

export interface ModelCall<F> {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Secrets to mask in every message. */
  readonly secrets: readonly string[];
  readonly generate: (signal: AbortSignal) => PromiseLike<GeneratedContent>;
  /** Maps an error response. */
  readonly failure: (response: FailedResponse) => F;
  /** Describes why the server blocked a text; `raw` is its own finish reason. */
  readonly blocked: (raw: string | undefined) => string;
}

/** One call of a model: its answer or its failure. Throws only when the caller aborts. */
export async function callModel<F>(
  call: ModelCall<F>,
  question: Question,
  signal: AbortSignal | undefined,
): Promise<Answer | F> {
  const { clock, timeoutMs, secrets } = call;
  try {
    const result = await withTimeout(clock, timeoutMs, signal, call.generate);
    if (!result.done) return laterAnswer('timeout', `no answer within ${timeoutMs} ms`);
    return answerOf(result.value, question, call.blocked);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const failed = failedResponseOf(error);
    return failed === null ? connectionFailure(error, secrets) : call.failure(failed);
  }
}

/** Refused calls count as calls (X9). */
export function withCalls(answer: Answer, calls: number): Answer {
  if (calls === 1) return answer;
  const usage = answer.usage ?? { calls: 1, inputTokens: 0, outputTokens: 0 };
  return { ...answer, usage: { ...usage, calls } };
}

function answerOf(
  { content, usage, finishReason }: GeneratedContent,
  question: Question,
  blocked: ModelCall<never>['blocked'],
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

export type TimedResult<T> = { readonly done: true; readonly value: T } | { readonly done: false };

/**
 * Runs something that takes a signal, with a timeout. The timeout is a value; the caller's own abort is rethrown.
 */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => PromiseLike<T>,
): Promise<TimedResult<T>> {
  const tooLate = new AbortController();
  const finished = new AbortController();
  const both = signal === undefined ? tooLate.signal : AbortSignal.any([signal, tooLate.signal]);
  const alarm = clock.sleep(ms, finished.signal).then(
    () => tooLate.abort(new Error(`no answer within ${ms} ms`)),
    () => undefined,
  );
  try {
    return { done: true, value: await run(both) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (tooLate.signal.aborted) return { done: false };
    throw error;
  } finally {
    finished.abort();
    await alarm;
  }
}

/** An HTTP error response, as far as it is the same for all servers. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Extracts the error response from an SDK's error; `null` if there was no response. */
export function failedResponseOf(error: unknown): FailedResponse | null {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number')
    return null;
  const headers = 'responseHeaders' in error ? error.responseHeaders : {};
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  return { status: error.statusCode, headers: (headers ?? {}) as Record<string, string>, body };
}

/** Client errors regardless of text and time: the request itself, its address or its method is wrong. */
export function isConfigurationError(status: number): boolean {
  return status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
}

/** The message inside an error, as data: without secrets and control characters, short enough for a log line. */
export function messageIn(body: string, secrets: readonly string[]): string {
  let message = HTML_START.test(body) ? htmlSummary(body) : body;
  try {
    const parsed: unknown = JSON.parse(body);
    const found =
      fieldAt(parsed, 'error', 'message') ?? fieldAt(parsed, 'message') ?? fieldAt(parsed, 'error');
    if (typeof found === 'string') message = found;
  } catch {
    // Not JSON, but a proxy's page: its first words suffice.
  }
  // Masked before it is cut: half of a key would no longer be recognised.
  const words = maskAll(message, secrets).replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return firstCharacters(words.trim(), MAX_MESSAGE);
}

const MAX_MESSAGE = 300;
const HTML_START = /^\s*<(?:!doctype|html|head|body)\b/i;

function htmlSummary(page: string): string {
  const words = page.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return `an HTML page, “${firstCharacters(words.replace(/\s+/g, ' ').trim(), 100)}”`;
}

/** A 200 that the SDK could not parse. An HTML page means that the address is wrong or a proxy answered. */
export function unexpectedFormat(body: string, secrets: readonly string[]): ModelFailure {
  const words = messageIn(body, secrets);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return laterAnswer('misconfigured', `The server answered without JSON: ${words}. Check base_url`);
  }
  if (fieldAt(parsed, 'error') !== undefined)
    return laterAnswer('server_error', `The server answered with an error: ${words}`);
  return laterAnswer('bad_answer', `The server answered with something that is not its format: ${words}`);
}

export function maskAll(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length > 3)
    .reduce((shown, secret) => shown.split(secret).join('…'), text);
}

export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !(key in current)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

/** `Retry-After` in seconds or as a date, as a time; `undefined` where there is none. */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return now + Math.max(0, seconds) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

export function laterAnswer(
  why: JudgeFailure,
  detail: string,
  retryAt?: number,
  usage: CallUsage | null = null,
): Extract<Answer, { outcome: 'later' }> {
  return { outcome: 'later', why, detail, usage, ...(retryAt === undefined ? {} : { retryAt }) };
}

/** Names of the SDK's parse errors. */
const UNREADABLE_ERROR =
  /^AI_(?:InvalidResponseData|TypeValidation|JSONParse|EmptyResponseBody|NoContentGenerated)Error$/;

/** A connection failure or timeout, described without the address, which may contain a key. */
export function connectionFailure(error: unknown, secrets: readonly string[]): ModelFailure {
  if (error instanceof Error && UNREADABLE_ERROR.test(error.name)) {
    return laterAnswer('bad_answer', 'The server answered without an answer in it');
  }
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error && texts.length < 4; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? `${cause.code} ` : '';
    texts.push(`${code}${cause.message}`);
  }
  const detail = firstCharacters(
    maskAll(texts.join(': '), secrets).replace(/https?:\/\/\S+/g, '…') || 'no answer',
    200,
  );
  if (/timed? ?out|timeout/i.test(detail)) return laterAnswer('timeout', detail);
  return laterAnswer('unreachable', detail);
}
