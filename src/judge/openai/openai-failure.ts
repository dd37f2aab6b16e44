import type { Answer } from '../model.ts';
import type { FailedResponse } from '../remote/call-failure.ts';
import {
  isConfigurationError,
  later,
  messageIn,
  notOurFormat,
  pick,
  retryAfter,
} from '../remote/call-failure.ts';

/** What the error answers of such servers mean for a judge. They agree on the status, less on the rest. */
export function openaiFailure(
  failed: FailedResponse,
  model: string,
  secrets: readonly string[],
  now: number,
): Answer {
  const message = messageIn(failed.body, secrets);
  const code = codeIn(failed.body);
  const said = `The server answered ${failed.status}: ${message}`;
  const retryAt = retryAfter(failed.headers, now);
  if (['content_filter', 'content_policy_violation', 'invalid_prompt'].includes(code)) {
    return { outcome: 'unfit', why: 'blocked', detail: said, usage: null };
  }
  switch (failed.status) {
    case 200:
      return notOurFormat(failed.body, secrets);
    case 400:
    case 422:
      if (
        code === 'context_length_exceeded' ||
        /context (?:length|window|size)|too (?:long|large)/i.test(message)
      ) {
        return { outcome: 'unfit', why: 'too_large', detail: said, usage: null };
      }
      if (code === 'model_not_found' || /model .*(?:not found|does not exist)/i.test(message)) {
        return later('wrong_model', said);
      }
      return later('misconfigured', said);
    case 401:
    case 403:
      return later('refused_key', said);
    case 402:
      return later('no_credit', said);
    case 404:
      return code === 'model_not_found' || /model/i.test(message)
        ? later('wrong_model', `The server knows no model "${model}": ${message}`)
        : later('misconfigured', `${said}. Check base_url`);
    case 413:
      return { outcome: 'unfit', why: 'too_large', detail: said, usage: null };
    case 429:
      if (code === 'insufficient_quota' || code === 'billing_hard_limit_reached')
        return later('no_credit', said, retryAt);
      return later('rate_limited', said, retryAt ?? now + 60_000);
    default:
      return later(isConfigurationError(failed.status) ? 'misconfigured' : 'server_error', said, retryAt);
  }
}

function codeIn(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    return String(pick(parsed, 'error', 'code') ?? pick(parsed, 'error', 'type') ?? '');
  } catch {
    return '';
  }
}
