import type { Fetcher, FetchOutcome } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { HOUR, MINUTE } from '../../time/duration.ts';
import { cannotTell, jsonIn, type ServiceWays, sendOutcome, textField } from '../answer.ts';
import type { OutgoingMessage, Publisher, ReadBackOutcome, SendOutcome } from '../publisher.ts';
import type { Template } from '../template.ts';
import { type InstanceLimits, statusText, USUAL_LIMITS } from './status.ts';

export interface MastodonOptions {
  readonly id: string;
  /** `https://mastodon.example`, without a path. */
  readonly instance: string;
  readonly token: () => string;
  readonly visibility: 'public' | 'unlisted' | 'private';
  readonly language?: string;
  readonly contentWarning?: string;
  readonly template: Template;
  /** The instance's own limits, read before; the usual ones until they are known. */
  readonly limits?: () => InstanceLimits;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
}

interface StatusBody {
  readonly status: string;
  readonly visibility: MastodonOptions['visibility'];
  readonly language?: string;
  readonly spoiler_text?: string;
  /** Kept in the intent for reading back; not sent. */
  readonly link: string;
}

/**
 * A Mastodon account, on Mastodon or any server that speaks its API. The server keeps an `Idempotency-Key` for an hour
 * and answers a repeated one with the status that is there; later the account's own statuses tell (X2).
 */
export function mastodon(options: MastodonOptions): Publisher {
  return {
    id: options.id,
    abilities: { nativeIdempotencyMs: HOUR, canReadBack: true, itemsPerMessage: 1 },
    render(content) {
      const { text } = statusText(content, options.template, options.limits?.() ?? USUAL_LIMITS);
      const body: StatusBody = {
        status: text,
        visibility: options.visibility,
        ...(options.language !== undefined && { language: options.language }),
        ...(options.contentWarning !== undefined && { spoiler_text: options.contentWarning }),
        link: content.items[0]?.item.url ?? '',
      };
      return { body: JSON.stringify(body), templateVersion: `status-${options.template.version}` };
    },
    send: (message, signal) => send(options, message, signal),
    readBack: (message, signal) => readBack(options, message, signal),
  };
}

async function send(
  options: MastodonOptions,
  message: OutgoingMessage,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  const { link: _, ...status } = JSON.parse(message.body) as StatusBody;
  const answer = await call(options, '/api/v1/statuses', signal, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': message.key },
    body: JSON.stringify(status),
  });
  return sendOutcome(answer, WAYS);
}

/** How Mastodon answers. */
const WAYS: ServiceWays = {
  name: 'Mastodon',
  check: 'the token and the address of the instance',
  idOf({ body }) {
    const remoteId = textField(body, 'id');
    const url = textField(body, 'url');
    return remoteId === undefined ? null : { remoteId, ...(url !== undefined && { url }) };
  },
  wordsOf: ({ body }) => textField(body, 'error'),
  limitEnds({ headers }) {
    const reset = Date.parse(headers['x-ratelimit-reset'] ?? '');
    return Number.isNaN(reset) ? null : reset;
  },
};

/** Looks for our link among the account's newest statuses, a little further back than the first attempt. */
async function readBack(
  options: MastodonOptions,
  message: OutgoingMessage,
  signal?: AbortSignal,
): Promise<ReadBackOutcome> {
  const { link } = JSON.parse(message.body) as StatusBody;
  const since = (message.firstTriedAt ?? options.clock.now()) - 5 * MINUTE;
  const account = await call(options, '/api/v1/accounts/verify_credentials', signal);
  const accountId = account.outcome === 'response' ? textField(account.body, 'id') : undefined;
  if (accountId === undefined) return cannotTell(account, 'Mastodon');
  let below = '';
  for (let pages = 0; pages < 10; pages++) {
    const answer = await call(
      options,
      `/api/v1/accounts/${accountId}/statuses?limit=40&exclude_reblogs=true${below}`,
      signal,
    );
    const page = answer.outcome === 'response' && answer.status === 200 ? jsonIn(answer.body) : undefined;
    if (!Array.isArray(page)) return cannotTell(answer, 'Mastodon');
    for (const status of page as Record<string, unknown>[]) {
      if (Date.parse(String(status.created_at)) < since) return { outcome: 'absent' };
      if (carries(String(status.content), link)) {
        return {
          outcome: 'found',
          remoteId: String(status.id),
          ...(typeof status.url === 'string' && { url: status.url }),
        };
      }
    }
    const last = (page as Record<string, unknown>[]).at(-1);
    if (last === undefined) return { outcome: 'absent' };
    below = `&max_id=${encodeURIComponent(String(last.id))}`;
  }
  return { outcome: 'cannot_tell', detail: 'the account has posted too much since to look through it' };
}

/** Mastodon shows the status as HTML, with the address in `href`. */
function carries(html: string, link: string): boolean {
  const escaped = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return html.includes(`href="${escaped}"`) || html.includes(escaped);
}

function call(
  { instance, token, fetcher }: MastodonOptions,
  path: string,
  signal: AbortSignal | undefined,
  request: { method?: 'POST'; headers?: Record<string, string>; body?: string } = {},
): Promise<FetchOutcome> {
  return fetcher.fetch(
    {
      url: new URL(path, instance).href,
      ...request,
      headers: { accept: 'application/json', authorization: `Bearer ${token()}`, ...request.headers },
      maxRedirects: 0,
      maxBytes: 4_000_000,
      polite: false,
    },
    signal,
  );
}
