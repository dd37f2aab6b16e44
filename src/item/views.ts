import type { ItemStatus, Reason, State } from './lifecycle.ts';

/**
 * Maps the lifecycle of an item to the terms of each system (X1). Pure and total: every status has a value in every
 * system. Adapters write what these functions return and derive nothing themselves.
 */

export type RejectionReason = 'low_relevance' | 'no_topic_match' | 'content_extraction_failed';

/** Where the curator records an item (A7, A8); `null`: in neither collection, the curator has not finished it. */
export type CuratorView =
  | { readonly collection: 'notified' }
  | { readonly collection: 'rejected'; readonly reason: RejectionReason }
  | null;

/** An item that failed or is parked for a person was neither posted nor judged bad, so it is in neither. */
export function curatorView(status: Pick<ItemStatus, 'state' | 'reason'>): CuratorView {
  if (status.state === 'published') return { collection: 'notified' };
  if (status.state === 'rejected')
    return { collection: 'rejected', reason: REJECTION_REASONS[status.reason] ?? 'low_relevance' };
  if (status.state === 'failed' && REJECTION_REASONS[status.reason] === 'content_extraction_failed')
    return { collection: 'rejected', reason: 'content_extraction_failed' };
  return null;
}

/** The nearest of A8's three reasons; `low_relevance` where none is near. */
const REJECTION_REASONS: Readonly<Partial<Record<Reason, RejectionReason>>> = {
  no_topic_match: 'no_topic_match',
  content_extraction_failed: 'content_extraction_failed',
  download_failed: 'content_extraction_failed',
  not_ready: 'content_extraction_failed',
  too_large: 'content_extraction_failed',
};

/** 0 unprocessed · 1 deferred · 2 pending · 3 processed (B3). */
export type SummaryStatus = 0 | 1 | 2 | 3;
/**
 * 0 none · 1 not valuable · 2 not ready · 3 download failed · 4 too large · 5 API failed · 6 retry limit (B4). `null` where
 * there is nothing to give a reason for: only an item that was posted has reason 0 (B8).
 */
export type SummaryReason = 0 | 1 | 2 | 3 | 4 | 5 | 6 | null;

export interface SummaryView {
  readonly status: SummaryStatus;
  readonly reason: SummaryReason;
}

export function summaryView(status: Pick<ItemStatus, 'state' | 'reason'>): SummaryView {
  const code = SUMMARY_REASONS[status.reason];
  switch (status.state) {
    case 'waiting':
      return { status: 0, reason: null };
    case 'deferred':
      return { status: 1, reason: code || 5 };
    case 'accepted':
      return { status: 2, reason: null };
    case 'published':
      return { status: 3, reason: 0 };
    case 'baseline':
      return { status: 3, reason: null };
    // Processed with reason 0 means that it was posted, so what was not posted always has another.
    case 'rejected':
      return { status: 3, reason: code === 0 ? 1 : code };
    case 'failed':
      return { status: 3, reason: code === 0 ? 5 : code };
    case 'parked':
      return { status: 3, reason: 5 };
  }
}

const SUMMARY_REASONS: Readonly<Record<Reason, Exclude<SummaryReason, null>>> = {
  none: 0,
  low_relevance: 1,
  no_topic_match: 1,
  content_extraction_failed: 3,
  not_valuable: 1,
  not_ready: 2,
  download_failed: 3,
  too_large: 4,
  api_failed: 5,
  retry_limit: 6,
  processor_failed: 5,
  delivery_refused: 5,
  delivery_unknown: 5,
  over_limit: 0,
  not_chosen: 0,
  same_story: 1,
  first_contact: 0,
  by_person: 1,
};

export type VideoStatus = 'queued' | 'processing' | 'completed' | 'failed';

/** What D2 allows. */
export const VIDEO_TRANSITIONS: Readonly<Record<VideoStatus, readonly VideoStatus[]>> = {
  queued: ['processing'],
  processing: ['completed', 'failed'],
  failed: ['queued'],
  completed: [],
};

/**
 * `claimed`: the item has a claim, expired or not. A dead worker's video therefore stays in processing until it is
 * claimed again (D8).
 */
export function videoStatus({ state }: Pick<ItemStatus, 'state'>, claimed: boolean): VideoStatus {
  const status = VIDEO_STATUSES[state];
  return claimed && (status === 'queued' || state === 'deferred') ? 'processing' : status;
}

const VIDEO_STATUSES: Readonly<Record<State, VideoStatus>> = {
  waiting: 'queued',
  accepted: 'queued',
  deferred: 'failed',
  published: 'completed',
  baseline: 'completed',
  rejected: 'failed',
  failed: 'failed',
  parked: 'failed',
};

/**
 * The statuses that a video passes through from one to another, the last one included, each an allowed transition: a due
 * retry that is claimed at once goes failed → queued → processing. Empty if nothing changes; `null` if there is no path
 * (nothing leaves completed).
 */
export function videoPath(from: VideoStatus, to: VideoStatus): readonly VideoStatus[] | null {
  if (from === to) return [];
  const paths: (readonly VideoStatus[])[] = VIDEO_TRANSITIONS[from].map((first) => [first]);
  const seen = new Set<VideoStatus>([from]);
  for (const path of paths) {
    const end = path.at(-1);
    if (end === undefined || seen.has(end)) continue;
    if (end === to) return path;
    seen.add(end);
    paths.push(...VIDEO_TRANSITIONS[end].map((next) => [...path, next]));
  }
  return null;
}
