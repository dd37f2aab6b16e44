import { calendarDay } from '../../time/calendar-day.ts';
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

/** Quotas per day begin anew at midnight there. */
const QUOTA_TIME_ZONE = 'America/Los_Angeles';

/** What Google's error answers mean for a judge. */
export function geminiFailure(failed: FailedResponse, model: string, apiKey: string, now: number): Answer {
  const message = messageIn(failed.body, [apiKey]);
  const details = detailsOf(failed.body);
  const said = `Gemini answered ${failed.status}: ${message}`;
  switch (failed.status) {
    case 200:
      return notOurFormat(failed.body, [apiKey]);
    case 400:
      if (
        details.some((detail) => pick(detail, 'reason') === 'API_KEY_INVALID') ||
        /api key/i.test(message)
      ) {
        return later('refused_key', said);
      }
      if (/token count|too (?:large|long)|exceeds the (?:maximum|limit)|payload size/i.test(message)) {
        return { outcome: 'unfit', why: 'too_large', detail: said, usage: null };
      }
      if (/billing|location is not supported|FAILED_PRECONDITION/i.test(failed.body))
        return later('no_credit', said);
      return later('misconfigured', said);
    case 401:
    case 403:
      return later('refused_key', said);
    case 402:
      return later('no_credit', said);
    case 404:
      return later('wrong_model', `Gemini knows no model "${model}": ${message}`);
    case 413:
      return { outcome: 'unfit', why: 'too_large', detail: said, usage: null };
    case 429:
      return later('rate_limited', said, retryAtOf(details, failed, now));
    default:
      return later(
        isConfigurationError(failed.status) ? 'misconfigured' : 'server_error',
        said,
        retryAfter(failed.headers, now),
      );
  }
}

function retryAtOf(details: readonly unknown[], failed: FailedResponse, now: number): number {
  const perDay = details.some((detail) => {
    const violations = pick(detail, 'violations');
    return Array.isArray(violations) && violations.some((v) => /PerDay/i.test(String(pick(v, 'quotaId'))));
  });
  if (perDay) return calendarDay(now, QUOTA_TIME_ZONE).end;
  for (const detail of details) {
    const delay = pick(detail, 'retryDelay');
    const seconds = typeof delay === 'string' ? Number.parseFloat(delay) : Number.NaN;
    if (Number.isFinite(seconds)) return now + Math.ceil(seconds * 1000);
  }
  return retryAfter(failed.headers, now) ?? now + 60_000;
}

function detailsOf(body: string): readonly unknown[] {
  try {
    const details = pick(JSON.parse(body), 'error', 'details');
    return Array.isArray(details) ? details : [];
  } catch {
    return [];
  }
}
