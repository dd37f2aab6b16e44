import type { FetchOutcome } from '../reading/fetcher.ts';

/** The JSON object in an answer's body, or `null` where there is none (an HTML page, a cut-off answer). */
export function jsonObject(body: Uint8Array): Readonly<Record<string, unknown>> | null {
  const value = jsonValue(body);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

export function jsonValue(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** What a service said of an error, in its own words, shortened. */
export function wordsOf(body: Uint8Array, field: string): string {
  const words = jsonObject(body)?.[field];
  return typeof words === 'string' && words !== '' ? ` (${words.slice(0, 200)})` : '';
}

/** A request that never became an answer: what it means for the message depends on whether it can have arrived. */
export function withoutAnswer(service: string, answer: FetchOutcome & { outcome: 'failed' }) {
  const detail = `${service} could not be reached (${answer.why}): ${answer.detail}`;
  return answer.sent
    ? ({ outcome: 'unknown', detail } as const)
    : ({ outcome: 'held', detail, until: null } as const);
}
