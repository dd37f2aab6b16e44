import { randomUUID } from 'node:crypto';
import type { FetchOutcome } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { call, type MastodonAccount } from './api.ts';
import { entityIn, idOf } from './entity.ts';

/** What every instance takes, and no more than a reader wants to load. */
const MOST_BYTES = 8_000_000;
const TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const FETCHED_WITHIN = 15 * SECOND;
const UPLOADED_WITHIN = 30 * SECOND;
/** How often it is asked whether the instance has finished with the image. */
const MOST_LOOKS = 5;

/** An image that goes with a status. */
export interface StatusImage {
  readonly url: string;
  /** For people who do not see it. */
  readonly description: string;
}

/**
 * Fetches an image and hands it to the instance. Answers its ID there, or `null` where anything went wrong: a status without
 * its image is better than none.
 */
export async function attachImage(
  account: MastodonAccount,
  { url, description }: StatusImage,
  clock: Clock,
  signal?: AbortSignal,
): Promise<string | null> {
  const image = await account.fetcher.fetch(
    { url, headers: { accept: TYPES.join(', ') }, maxBytes: MOST_BYTES, timeoutMs: FETCHED_WITHIN },
    signal,
  );
  if (image.outcome === 'failed' || image.status !== 200 || image.body.length === 0) return null;
  const type = image.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!TYPES.includes(type)) return null;
  const form = multipart(image.body, type, description);
  const answer = await call(account, '/api/v2/media', signal, {
    method: 'POST',
    headers: { 'content-type': form.type },
    body: form.body,
    timeoutMs: UPLOADED_WITHIN,
  });
  const id = isGood(answer) ? idOf(entityIn(answer.body)) : null;
  if (id === null || !isGood(answer) || answer.status === 200) return id;
  return (await isReady(account, id, clock, signal)) ? id : null;
}

/** 202: the instance is still working on it. */
async function isReady(
  account: MastodonAccount,
  id: string,
  clock: Clock,
  signal?: AbortSignal,
): Promise<boolean> {
  for (let look = 0; look < MOST_LOOKS; look++) {
    await clock.sleep(SECOND, signal).catch(() => {});
    if (signal?.aborted) return false;
    const answer = await call(account, `/api/v1/media/${encodeURIComponent(id)}`, signal);
    if (!isGood(answer)) return false;
    if (answer.status === 200) return true;
  }
  return false;
}

function isGood(answer: FetchOutcome): answer is Extract<FetchOutcome, { outcome: 'response' }> {
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
