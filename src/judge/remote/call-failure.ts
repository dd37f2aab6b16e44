import { takeCharacters } from '../characters.ts';
import type { JudgeTrouble } from '../judge.ts';
import type { Answer, CallUsage } from '../model.ts';

/** An HTTP answer that says no, as far as all servers say it alike. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reads a failed response out of what an SDK threw; `null` where there was no response. */
export function failedResponseOf(error: unknown): FailedResponse | null {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number')
    return null;
  const headers = 'responseHeaders' in error ? error.responseHeaders : {};
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  return { status: error.statusCode, headers: (headers ?? {}) as Record<string, string>, body };
}

/** Client errors that are wrong whatever the text and the time: the request itself, its address or its method. */
export function isConfigurationError(status: number): boolean {
  return status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
}

/** The message inside an error, as data: without secrets and control characters, short enough for a log line. */
export function messageIn(body: string, secrets: readonly string[]): string {
  let message = HTML.test(body) ? htmlWords(body) : body;
  try {
    const parsed: unknown = JSON.parse(body);
    const found = pick(parsed, 'error', 'message') ?? pick(parsed, 'message') ?? pick(parsed, 'error');
    if (typeof found === 'string') message = found;
  } catch {
    // Not JSON: a proxy's page. Its first words will do.
  }
  // Masked before it is cut: a half of a key would no longer be recognised.
  const words = mask(message, secrets).replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return takeCharacters(words.trim(), MAX_MESSAGE);
}

const MAX_MESSAGE = 300;
const HTML = /^\s*<(?:!doctype|html|head|body)\b/i;

function htmlWords(page: string): string {
  const words = page.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return `an HTML page, “${takeCharacters(words.replace(/\s+/g, ' ').trim(), 100)}”`;
}

/** A 200 that the SDK could not read. A page in its place is no answer about this text: the address is wrong, or a proxy answered. */
export function notOurFormat(body: string, secrets: readonly string[]): Answer {
  const words = messageIn(body, secrets);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return later('misconfigured', `The server answered without JSON: ${words}. Check base_url`);
  }
  if (pick(parsed, 'error') !== undefined)
    return later('server_error', `The server answered with an error: ${words}`);
  return later('bad_answer', `The server answered with something that is not its format: ${words}`);
}

export function mask(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length > 3)
    .reduce((shown, secret) => shown.split(secret).join('…'), text);
}

export function pick(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !(key in current)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

/** `Retry-After` in seconds or as a date, as a time; `undefined` where there is none. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return now + Math.max(0, seconds) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

export function later(
  why: JudgeTrouble,
  detail: string,
  retryAt?: number,
  usage: CallUsage | null = null,
): Extract<Answer, { outcome: 'later' }> {
  return { outcome: 'later', why, detail, usage, ...(retryAt === undefined ? {} : { retryAt }) };
}

/** What the SDK calls an answer that it cannot read. */
const UNREADABLE =
  /^AI_(?:InvalidResponseData|TypeValidation|JSONParse|EmptyResponseBody|NoContentGenerated)Error$/;

/** Connection trouble: nothing came back, or not in time. Said without the address, which may carry a key. */
export function connectionTrouble(error: unknown, secrets: readonly string[]): Answer {
  if (error instanceof Error && UNREADABLE.test(error.name)) {
    return later('bad_answer', 'The server answered without an answer in it');
  }
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error && texts.length < 4; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? `${cause.code} ` : '';
    texts.push(`${code}${cause.message}`);
  }
  const detail = takeCharacters(
    mask(texts.join(': '), secrets).replace(/https?:\/\/\S+/g, '…') || 'no answer',
    200,
  );
  if (/timed? ?out|timeout/i.test(detail)) return later('timeout', detail);
  return later('unreachable', detail);
}
