import type { Fetcher, FetchOutcome } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, HOUR, MINUTE } from '../../time/duration.ts';
import { cannotTell, type ServiceWays, sendOutcome, textField } from '../answer.ts';
import type { OutgoingMessage, Publisher, ReadBackOutcome, SendOutcome } from '../publisher.ts';
import { Rests } from '../rests.ts';
import type { Template } from '../template.ts';
import { entityIn, idOf } from './entity.ts';
import { KnownLimits } from './instance-limits.ts';
import { charactersOver, statusText } from './status.ts';

export interface MastodonOptions {
  readonly id: string;
  /** `https://mastodon.example`, without a path. */
  readonly instance: string;
  readonly token: () => string;
  readonly visibility: 'public' | 'unlisted' | 'private';
  readonly language?: string;
  readonly contentWarning?: string;
  /** Marks the status as sensitive, beside its content warning. */
  readonly sensitive?: boolean;
  readonly template: Template;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Shared by everything that speaks to the same services. */
  readonly rests?: Rests;
}

interface StatusBody {
  readonly status: string;
  readonly visibility: MastodonOptions['visibility'];
  readonly language?: string;
  readonly spoiler_text?: string;
  readonly sensitive?: true;
  /** Kept in the intent for reading back; not sent. */
  readonly link: string;
}

/**
 * A Mastodon account, on Mastodon or any server that speaks its API. The server keeps an `Idempotency-Key` for an hour
 * and answers a repeated one with the status that is there; later the account's own statuses tell (X2).
 */
export function mastodon(options: MastodonOptions): Publisher {
  const { id, template, visibility, language, contentWarning, sensitive = false, clock } = options;
  const limits = new KnownLimits((path, signal) => call(options, path, signal), clock);
  const { rests = new Rests() } = options;
  const limit = `mastodon ${id}`;
  return {
    id,
    abilities: { nativeIdempotencyMs: HOUR, canReadBack: true, itemsPerMessage: 1 },
    prepare: (signal) => limits.refresh(signal),
    render(content) {
      const body: StatusBody = {
        status: statusText(content, template, limits.current, contentWarning).text,
        visibility,
        ...(language !== undefined && { language }),
        ...(contentWarning !== undefined && { spoiler_text: contentWarning }),
        ...(sensitive && { sensitive }),
        link: content.items[0]?.item.url ?? '',
      };
      return { body: JSON.stringify(body), templateVersion: `status-${template.version}` };
    },
    async send(message, signal) {
      await limits.refresh(signal);
      const { link: _, ...status } = JSON.parse(message.body) as StatusBody;
      const refusal = tooLong(status, limits);
      if (refusal !== null) return refusal;
      const answer = await call(options, '/api/v1/statuses', signal, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': message.key },
        body: JSON.stringify(status),
      });
      if (answer.outcome === 'response' && answer.headers['x-ratelimit-remaining'] === '0')
        rests.note(limit, WAYS.limitEnds?.(answer) ?? 0);
      return sendOutcome(answer, WAYS);
    },
    readBack: (message, signal) => readBack(options, message, signal),
    restingUntil: () => rests.until(limit),
  };
}

/**
 * What no shortening could make fit is refused here, with the reason, before it is sent. Where the instance has not told
 * its limits, it is asked to take the status and says itself what is wrong.
 */
function tooLong(
  { status, spoiler_text = '' }: Omit<StatusBody, 'link'>,
  { known }: KnownLimits,
): SendOutcome | null {
  const over = known === null ? 0 : charactersOver(status, spoiler_text, known);
  if (known === null || over <= 0) return null;
  const detail = `after all shortening the status is ${over} characters too long for the instance, which takes ${known.maxCharacters}: shorten the template or the content warning`;
  return { outcome: 'refused', detail };
}

/** How Mastodon answers. */
const WAYS: ServiceWays = {
  name: 'Mastodon',
  check: 'the token and the address of the instance',
  idOf({ body }) {
    const remoteId = idOf(entityIn(body));
    const url = textField(body, 'url');
    return remoteId === null ? null : { remoteId, ...(url !== undefined && { url }) };
  },
  wordsOf: ({ body }) => textField(body, 'error'),
  limitEnds({ headers }) {
    const reset = Date.parse(headers['x-ratelimit-reset'] ?? '');
    return Number.isNaN(reset) ? null : reset;
  },
};

/**
 * Looks for our link among the account's newest statuses. Our clock may be wrong, so it looks a day further back than the
 * first attempt, or as far as the pages reach.
 */
async function readBack(
  options: MastodonOptions,
  message: OutgoingMessage,
  signal?: AbortSignal,
): Promise<ReadBackOutcome> {
  const { link } = JSON.parse(message.body) as StatusBody;
  const triedAt = message.firstTriedAt ?? options.clock.now();
  let reached = Number.POSITIVE_INFINITY;
  const account = await call(options, '/api/v1/accounts/verify_credentials', signal);
  const accountId = account.outcome === 'response' ? idOf(entityIn(account.body)) : null;
  if (accountId === null) return cannotTell(account, 'Mastodon');
  let below = '';
  for (let pages = 0; pages < 10; pages++) {
    const answer = await call(
      options,
      `/api/v1/accounts/${accountId}/statuses?limit=40&exclude_reblogs=true${below}`,
      signal,
    );
    const page = answer.outcome === 'response' && answer.status === 200 ? entityIn(answer.body) : undefined;
    if (!Array.isArray(page)) return cannotTell(answer, 'Mastodon');
    for (const status of page as Record<string, unknown>[]) {
      reached = Date.parse(String(status.created_at));
      if (reached < triedAt - DAY) return { outcome: 'absent' };
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
  if (reached < triedAt - 5 * MINUTE) return { outcome: 'absent' };
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
