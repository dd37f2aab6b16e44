import { shorten } from '../../item/shorten.ts';
import type { Clock } from '../../time/clock.ts';
import { HOUR } from '../../time/duration.ts';
import { sendOutcome } from '../answer.ts';
import { plainLine } from '../plain-text.ts';
import type { Publisher, SendOutcome } from '../publisher.ts';
import { Rests } from '../rests.ts';
import { fill, type Template, type TemplateName, valuesOf } from '../template.ts';
import { call, type MastodonAccount, WAYS } from './api.ts';
import { editStatus } from './edit.ts';
import { KnownLimits } from './instance-limits.ts';
import { attachImage, type StatusImage } from './media.ts';
import { linkWithoutMention } from './mentions.ts';
import { readBack } from './read-back.ts';
import { charactersOver, statusOf } from './status.ts';

/** Mastodon's own limit, in characters. */
const MOST_DESCRIPTION = 1500;

export interface MastodonOptions extends MastodonAccount {
  readonly id: string;
  readonly visibility: 'public' | 'unlisted' | 'private';
  readonly language?: string;
  readonly contentWarning?: Template;
  /** Marks the status as sensitive, beside its content warning. */
  readonly sensitive?: boolean;
  readonly template: Template;
  /** The item's image goes along, described like this; without images where absent. */
  readonly imageDescription?: Template;
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
  /** The rest is kept in the intent and not sent: for reading back, for the image, and for an edit. */
  readonly link: string;
  readonly image?: StatusImage;
  readonly values?: Readonly<Record<TemplateName, string>>;
}

type Values = Readonly<Record<TemplateName, string>>;

/**
 * A Mastodon account, on Mastodon or any server that speaks its API. The server keeps an `Idempotency-Key` for an hour
 * and answers a repeated one with the status that is there; later the account's own statuses tell (X2).
 */
export function mastodon(options: MastodonOptions): Publisher {
  const { id, template, visibility, language, imageDescription, sensitive = false, clock } = options;
  const limits = new KnownLimits((path, signal) => call(options, path, signal), clock);
  const { rests = new Rests(clock) } = options;
  const limit = `mastodon ${id}`;
  const words = (whole: Values): Pick<StatusBody, 'status' | 'spoiler_text'> => {
    const values = { ...whole, url: linkWithoutMention(whole.url) };
    const warning = options.contentWarning === undefined ? '' : fill(options.contentWarning, values);
    const status = statusOf(values, template, limits.current, warning).text;
    return { status, ...(warning !== '' && { spoiler_text: warning }) };
  };
  return {
    id,
    abilities: { nativeIdempotencyMs: HOUR, canReadBack: true, itemsPerMessage: 1 },
    prepare: (signal) => limits.refresh(signal),
    render(content) {
      const [first] = content.items;
      if (first === undefined) throw new TypeError('a status is made of one item');
      const values = valuesOf(first, content);
      const { url: link, imageUrl } = first.item;
      const body: StatusBody = {
        ...words(values),
        visibility,
        ...(language !== undefined && { language }),
        ...(sensitive && { sensitive }),
        link,
        ...(imageDescription !== undefined &&
          imageUrl !== undefined && {
            image: { url: imageUrl, description: shorten(fill(imageDescription, values), MOST_DESCRIPTION) },
          }),
        values,
      };
      return { body: JSON.stringify(body), templateVersion: versionOf(options) };
    },
    async send(message, signal) {
      await limits.refresh(signal);
      const { link: _, values: __, image, ...status } = JSON.parse(message.body) as StatusBody;
      const refusal = tooLong(status, limits);
      if (refusal !== null) return refusal;
      const media = image === undefined ? null : await attachImage(options, image, clock, signal);
      const answer = await call(options, '/api/v1/statuses', signal, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': message.key },
        body: JSON.stringify({ ...status, ...(media !== null && { media_ids: [media] }) }),
      });
      if (answer.outcome === 'response' && answer.headers['x-ratelimit-remaining'] === '0')
        rests.note(limit, WAYS.limitEnds?.(answer) ?? 0);
      return sendOutcome(answer, WAYS);
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
    readBack: (message, signal) => readBack(options, message, clock.now(), signal),
    restingUntil: () => rests.until(limit),
  };
}

/** Another wording, of the warning too, is another message. */
function versionOf({ template, contentWarning }: MastodonOptions): string {
  return `status-${template.version}${contentWarning === undefined ? '' : `-${contentWarning.version}`}`;
}

/**
 * What no shortening could make fit is refused here, with the reason, before it is sent. Where the instance has not told
 * its limits, it is asked to take the status and says itself what is wrong.
 */
function tooLong(
  { status, spoiler_text = '' }: Pick<StatusBody, 'status' | 'spoiler_text'>,
  { known }: KnownLimits,
): SendOutcome | null {
  const over = known === null ? 0 : charactersOver(status, spoiler_text, known);
  if (known === null || over <= 0) return null;
  const detail = `after all shortening the status is ${over} characters too long for the instance, which takes ${known.maxCharacters}: shorten the template or the content warning`;
  return { outcome: 'refused', detail };
}
