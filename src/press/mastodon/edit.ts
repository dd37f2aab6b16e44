import { editOutcome } from '../answer.ts';
import type { EditOutcome } from '../publisher.ts';
import { call, type MastodonAccount, WAYS } from './api.ts';
import { entityIn, idOf } from './entity.ts';

/** What an edit can change; who sees a status stays as it is. */
export interface StatusEdit {
  readonly status: string;
  readonly language?: string;
  readonly spoiler_text?: string;
  readonly sensitive?: true;
}

/** Edits a status. Its images are named again: the instance would take them away otherwise. */
export async function editStatus(
  account: MastodonAccount,
  remoteId: string,
  edit: StatusEdit,
  signal?: AbortSignal,
): Promise<EditOutcome> {
  const path = `/api/v1/statuses/${encodeURIComponent(remoteId)}`;
  const there = await call(account, path, signal);
  const status = there.outcome === 'response' && there.status === 200 ? entityIn(there.body) : undefined;
  if (idOf(status) === null) return withoutStatus(editOutcome(there, WAYS));
  const media_ids = imagesOf(status);
  const answer = await call(account, path, signal, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...edit, ...(media_ids.length > 0 && { media_ids }) }),
  });
  return editOutcome(answer, WAYS);
}

/** An answer that is no status has edited nothing. */
function withoutStatus(outcome: EditOutcome): EditOutcome {
  return outcome.outcome === 'edited'
    ? { outcome: 'later', detail: 'Mastodon answered without the status', until: null }
    : outcome;
}

function imagesOf(status: unknown): string[] {
  const media =
    typeof status === 'object' && status !== null && 'media_attachments' in status
      ? status.media_attachments
      : [];
  return Array.isArray(media) ? media.flatMap((one: unknown) => idOf(one) ?? []) : [];
}
