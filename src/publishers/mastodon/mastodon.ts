import { randomUUID } from 'node:crypto';
import type { FetchOutcome } from '../../fetch/fetcher.ts';
import { shorten } from '../../item/shorten.ts';
import type { Clock } from '../../time/clock.ts';
import { HOUR, SECOND } from '../../time/duration.ts';
import { plainLine } from '../plain-text.ts';
import type { EditOutcome, Publisher, SendOutcome } from '../publisher.ts';
import { editOutcome, RateLimits, sendOutcome } from '../service-response.ts';
import { fillTemplate, type Template, type TemplateName, templateValues } from '../template.ts';
import {
  callMastodon,
  entityId,
  InstanceLimitsCache,
  MASTODON_RESPONSES,
  type MastodonAccount,
  parseEntity,
} from './api.ts';
import { readBackStatus } from './read-back.ts';
import { charactersOver, composeStatus, linkWithoutMention } from './status.ts';

/** Mastodon's own limit, in characters. */
const MAX_DESCRIPTION = 1500;

export interface MastodonOptions extends MastodonAccount {
  readonly id: string;
  readonly visibility: 'public' | 'unlisted' | 'private';
  readonly language?: string;
  readonly contentWarning?: Template;
  /** Marks the status as sensitive, beside its content warning. */
  readonly sensitive?: boolean;
  readonly template: Template;
  /** Alternative text of the item's image, which is attached; no images where absent. */
  readonly imageDescription?: Template;
  readonly clock: Clock;
  /** Shared by all clients of the same services. */
  readonly rateLimits?: RateLimits;
}

export interface StatusBody {
  readonly status: string;
  readonly visibility: MastodonOptions['visibility'];
  readonly language?: string;
  readonly spoiler_text?: string;
  readonly sensitive?: true;
  /** The rest is stored in the message and not sent: for reading back, for the image, and for an edit. */
  readonly link: string;
  readonly image?: StatusImage;
  readonly values?: Readonly<Record<TemplateName, string>>;
}

type Values = Readonly<Record<TemplateName, string>>;

/**
 * A Mastodon account, on Mastodon or any server with its API. The server stores an `Idempotency-Key` for an hour and
 * answers a repeated one with the existing status; later the account's own statuses are read back (X2).
 */
export function mastodonPublisher(options: MastodonOptions): Publisher {
  const { id, template, visibility, language, imageDescription, sensitive = false, clock } = options;
  const limits = new InstanceLimitsCache((path, signal) => callMastodon(options, path, signal), clock);
  const { rateLimits = new RateLimits(clock) } = options;
  const limit = `mastodon ${id}`;
  const words = (whole: Values): Pick<StatusBody, 'status' | 'spoiler_text'> => {
    const values = { ...whole, url: linkWithoutMention(whole.url) };
    const warning = options.contentWarning === undefined ? '' : fillTemplate(options.contentWarning, values);
    const status = composeStatus(values, template, limits.current, warning).text;
    return { status, ...(warning !== '' && { spoiler_text: warning }) };
  };
  return {
    id,
    abilities: { nativeIdempotencyMs: HOUR, canReadBack: true, itemsPerMessage: 1 },
    prepare: (signal) => limits.refresh(signal),
    render(content) {
      const [first] = content.items;
      if (first === undefined) throw new TypeError('a status is made of one item');
      const values = templateValues(first, content);
      const { url: link, imageUrl } = first.item;
      const body: StatusBody = {
        ...words(values),
        visibility,
        ...(language !== undefined && { language }),
        ...(sensitive && { sensitive }),
        link,
        ...(imageDescription !== undefined &&
          imageUrl !== undefined && {
            image: {
              url: imageUrl,
              description: shorten(fillTemplate(imageDescription, values), MAX_DESCRIPTION),
            },
          }),
        values,
      };
      return { body: JSON.stringify(body), templateVersion: templateVersionOf(options) };
    },
    async send(message, signal) {
      await limits.refresh(signal);
      const { link: _, values: __, image, ...status } = JSON.parse(message.body) as StatusBody;
      const refusal = tooLongOutcome(status, limits);
      if (refusal !== null) return refusal;
      const media = image === undefined ? null : await attachImage(options, image, clock, signal);
      const answer = await callMastodon(options, '/api/v1/statuses', signal, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': message.key },
        body: JSON.stringify({ ...status, ...(media !== null && { media_ids: [media] }) }),
      });
      if (answer.outcome === 'response' && answer.headers['x-ratelimit-remaining'] === '0')
        rateLimits.markExhausted(limit, MASTODON_RESPONSES.rateLimitEndsAt?.(answer) ?? 0);
      return sendOutcome(answer, MASTODON_RESPONSES);
    },
    revise(body, { url, title }) {
      const before = JSON.parse(body) as StatusBody;
      if (before.link !== url || before.values === undefined) return null;
      const values = { ...before.values, title: plainLine(title) };
      const revised: StatusBody = { ...before, ...words(values), values };
      return revised.status === before.status && revised.spoiler_text === before.spoiler_text
        ? null
        : JSON.stringify(revised);
    },
    edit(remoteId, body, signal) {
      const { link: _, values: __, image: ___, visibility: ____, ...edit } = JSON.parse(body) as StatusBody;
      return editStatus(options, remoteId, edit, signal);
    },
    readBack: (message, signal) => readBackStatus(options, message, clock.now(), signal),
    rateLimitedUntil: () => rateLimits.exhaustedUntil(limit),
  };
}

/** Another wording, including that of the warning, is another message. */
function templateVersionOf({ template, contentWarning }: MastodonOptions): string {
  return `status-${template.version}${contentWarning === undefined ? '' : `-${contentWarning.version}`}`;
}

/**
 * Refuses, before sending, a status that cannot be shortened to fit. If the instance has not reported its limits, the status
 * is sent and the instance decides.
 */
function tooLongOutcome(
  { status, spoiler_text = '' }: Pick<StatusBody, 'status' | 'spoiler_text'>,
  { known }: InstanceLimitsCache,
): SendOutcome | null {
  const over = known === null ? 0 : charactersOver(status, spoiler_text, known);
  if (known === null || over <= 0) return null;
  const detail = `after all shortening the status is ${over} characters too long for the instance, which takes ${known.maxCharacters}: shorten the template or the content warning`;
  return { outcome: 'refused', detail };
}

/** The editable fields; the visibility of a status cannot be edited. */
export interface StatusEdit {
  readonly status: string;
  readonly language?: string;
  readonly spoiler_text?: string;
  readonly sensitive?: true;
}

/** Edits a status. Its images are listed again, otherwise the instance would remove them. */
export async function editStatus(
  account: MastodonAccount,
  remoteId: string,
  edit: StatusEdit,
  signal?: AbortSignal,
): Promise<EditOutcome> {
  const path = `/api/v1/statuses/${encodeURIComponent(remoteId)}`;
  const there = await callMastodon(account, path, signal);
  const status = there.outcome === 'response' && there.status === 200 ? parseEntity(there.body) : undefined;
  if (entityId(status) === null) return notEdited(editOutcome(there, MASTODON_RESPONSES));
  const media_ids = mediaIds(status);
  const answer = await callMastodon(account, path, signal, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...edit, ...(media_ids.length > 0 && { media_ids }) }),
  });
  return editOutcome(answer, MASTODON_RESPONSES);
}

/** A response that is not a status means that nothing was edited. */
function notEdited(outcome: EditOutcome): EditOutcome {
  return outcome.outcome === 'edited'
    ? { outcome: 'later', detail: 'Mastodon answered without the status', until: null }
    : outcome;
}

function mediaIds(status: unknown): string[] {
  const media =
    typeof status === 'object' && status !== null && 'media_attachments' in status
      ? status.media_attachments
      : [];
  return Array.isArray(media) ? media.flatMap((one: unknown) => entityId(one) ?? []) : [];
}

/** Accepted by every instance, and not too large for readers to load. */
const MAX_IMAGE_BYTES = 8_000_000;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const FETCH_TIMEOUT_MS = 15 * SECOND;
const UPLOAD_TIMEOUT_MS = 30 * SECOND;
/** How often the processing state of an image is polled. */
const MAX_POLLS = 5;

/** An image attached to a status. */
export interface StatusImage {
  readonly url: string;
  /** Alternative text. */
  readonly description: string;
}

/**
 * Fetches an image and uploads it to the instance. Returns its ID there, or `null` on any failure: a status without its
 * image is better than none.
 */
export async function attachImage(
  account: MastodonAccount,
  { url, description }: StatusImage,
  clock: Clock,
  signal?: AbortSignal,
): Promise<string | null> {
  const image = await account.fetcher.fetch(
    {
      url,
      headers: { accept: IMAGE_TYPES.join(', ') },
      maxBytes: MAX_IMAGE_BYTES,
      timeoutMs: FETCH_TIMEOUT_MS,
    },
    signal,
  );
  if (image.outcome === 'failed' || image.status !== 200 || image.body.length === 0) return null;
  const type = image.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!IMAGE_TYPES.includes(type)) return null;
  const form = multipart(image.body, type, description);
  const answer = await callMastodon(account, '/api/v2/media', signal, {
    method: 'POST',
    headers: { 'content-type': form.type },
    body: form.body,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  const id = isSuccess(answer) ? entityId(parseEntity(answer.body)) : null;
  if (id === null || !isSuccess(answer) || answer.status === 200) return id;
  return (await isProcessed(account, id, clock, signal)) ? id : null;
}

/** 202: the instance is still processing it. */
async function isProcessed(
  account: MastodonAccount,
  id: string,
  clock: Clock,
  signal?: AbortSignal,
): Promise<boolean> {
  for (let look = 0; look < MAX_POLLS; look++) {
    await clock.sleep(SECOND, signal).catch(() => {});
    if (signal?.aborted) return false;
    const answer = await callMastodon(account, `/api/v1/media/${encodeURIComponent(id)}`, signal);
    if (!isSuccess(answer)) return false;
    if (answer.status === 200) return true;
  }
  return false;
}

function isSuccess(answer: FetchOutcome): answer is Extract<FetchOutcome, { outcome: 'response' }> {
  return answer.outcome === 'response' && answer.status >= 200 && answer.status < 300;
}

function multipart(file: Uint8Array, type: string, description: string): { type: string; body: Uint8Array } {
  const boundary = `kawaraban-${randomUUID()}`;
  const head = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="description"',
    '',
    description.toWellFormed(),
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="image.${type.slice('image/'.length)}"`,
    `Content-Type: ${type}`,
    '',
    '',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
