import type { DocumentData } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import type { Standing } from '../../../item/lifecycle.ts';
import { keyOfVideo, textIn, timeIn, videoFields, videoIdOf, videoSighting } from '../../../item/video.ts';
import { VIDEO_MOVES, type VideoStatus, videoPath, videoStatus } from '../../../item/views.ts';
import { HOUR } from '../../../time/duration.ts';
import { type ItemRecord, line, type RecordedClaim, withLine } from '../../item-record.ts';
import { shown } from '../packing.ts';
import { hashOf } from './items.ts';
import type { ForeignDocument, Layout } from './layout.ts';

/**
 * The video tracker's `processed_videos/{videoId}` (D1, D2). Only the canonical address of a video has its ID; anything
 * else that a pipeline of this kind meets is kept under the SHA-256 of its key, so that two items never share a document.
 * `errorMessage` and `attempts` appear once it failed. `queuedAt` and `updatedAt` are Firestore's own time, `publishedAt` is
 * the text that YouTube gives. What another program recorded of a video stays as it wrote it.
 */
export const VIDEOS: Layout = {
  items: 'processed_videos',
  tombstones: 'processed_videos_tombstones',
  outbox: 'processed_videos_outbox',
  sources: 'processed_videos_sources',
  idOf: idOfVideo,
  fields(stored, serverTime, before = {}) {
    const { item } = stored;
    const status = statusOf(stored);
    const failed = item.attempts > 0 || status === 'failed';
    const { title, channelId, channelTitle, publishedAt } = videoFields(item);
    const recorded = {
      videoId: item.video?.videoId ?? idOfVideo(item.key),
      title: shown(title),
      channelId: shown(channelId),
      channelTitle: shown(channelTitle),
      publishedAt,
      queuedAt: serverTime,
    };
    return {
      ...Object.fromEntries(Object.entries(recorded).filter(([name]) => !isRecorded(name, before))),
      status,
      updatedAt: serverTime,
      ...(failed && { errorMessage: shown(item.detail ?? item.reason), attempts: item.attempts }),
    };
  },
  between(before, after, serverTime) {
    if (!isStatus(before.status)) return [];
    const path = videoPath(before.status, statusOf(after)) ?? [];
    return path.slice(0, -1).map((status) => ({ status, updatedAt: serverTime, 'ledger.wrote': status }));
  },
  shared: {
    field: 'status',
    recordedAt: 'queuedAt',
    settled: 'completed',
    changes: [
      ['completed', ['queued', 'processing', 'failed']],
      ['processing', ['queued', 'failed']],
      ['failed', ['queued', 'processing']],
      ['queued', ['processing', 'failed']],
    ],
    adopt: (document, own) => (own === null ? adopted(document) : changed(document, own)),
  },
};

/** An earlier version of this program wrote a timestamp as `publishedAt`. */
function isRecorded(name: string, before: DocumentData): boolean {
  return before[name] !== undefined && (name !== 'publishedAt' || typeof before[name] === 'string');
}

/** How long another program's worker may take: it has no lease that could be seen to expire. */
export const FOREIGN_WORKER_MS = 2 * HOUR;
export const FOREIGN_WORKER = 'another program';
const COMPLETED = { state: 'published', reason: 'none', detail: null } as const;

/** A video that another program recorded: the contract's fields and nothing of the ledger's. Its status is continued (D2). */
function adopted({ id, data, createdAt, now }: ForeignDocument): Omit<ItemRecord, 'nth'> | null {
  const key = keyOfVideo(id);
  if (key === null) return null;
  const queuedAt = timeIn(data.queuedAt) ?? createdAt;
  const checkedAt = timeIn(data.updatedAt) ?? queuedAt;
  const standing = { ...standingOf(data), attempts: attemptsIn(data), dueAt: null, checkedAt };
  return {
    item: {
      ...videoSighting(key, id, data, queuedAt),
      ...standing,
      createdAt: queuedAt,
      verdict: null,
    },
    token: 0,
    claim: data.status === 'processing' ? foreignClaim(checkedAt, now) : null,
    handedAt: 0,
    sightings: [],
    history: [
      {
        ...line({ at: queuedAt, event: 'admit', from: null, to: standing.state }),
        reason: standing.reason,
        detail: 'recorded by another program',
      },
    ],
    admission: '',
  };
}

const EVENTS = {
  completed: 'publish',
  processing: 'claim',
  failed: 'giveUp',
  queued: 'requeue',
} as const satisfies Record<VideoStatus, string>;

/**
 * What another program made of a video of the ledger's. Nothing leaves completed (D2); where a worker of ours holds the video,
 * only that it was completed counts.
 */
function changed({ data, now }: ForeignDocument, own: ItemRecord): Omit<ItemRecord, 'nth'> | null {
  const { status } = data;
  const wrote: unknown = (data.ledger as { wrote?: unknown } | undefined)?.wrote ?? statusOf(own);
  if (!isStatus(status) || status === wrote || statusOf(own) === 'completed') return null;
  const { claim } = own;
  const isHeld = claim !== null && claim.owner !== FOREIGN_WORKER && claim.until > now;
  if (isHeld && status !== 'completed') return null;
  const checkedAt = Math.min(timeIn(data.updatedAt) ?? now, now);
  const attempts = own.item.attempts + (status === 'failed' ? 1 : 0);
  const to: Standing = { ...standingOf(data), attempts, dueAt: null, checkedAt };
  const told = {
    ...line({ at: checkedAt, event: EVENTS[status], from: own.item.state, to: to.state }),
    reason: to.reason,
    detail: `${status} by another program`,
  };
  const next = {
    ...own,
    item: { ...own.item, ...to },
    claim: status === 'processing' ? foreignClaim(checkedAt, now) : null,
    handedAt: own.handedAt === null ? null : 0,
  };
  return withLine(next, told);
}

function foreignClaim(since: number, now: number): RecordedClaim {
  return { owner: FOREIGN_WORKER, until: Math.min(since, now) + FOREIGN_WORKER_MS, attempt: FOREIGN_WORKER };
}

function standingOf(data: DocumentData): Pick<Standing, 'state' | 'reason' | 'detail'> {
  const { status } = data;
  if (status === 'completed') return COMPLETED;
  if (status === 'queued' || status === 'processing')
    return { state: 'waiting', reason: 'none', detail: null };
  const message = textIn(data.errorMessage) || textIn(data.error_message);
  const detail = isStatus(status) ? message : `unknown status: ${String(status)}`;
  return { state: 'failed', reason: 'processor_failed', detail: detail || null };
}

function attemptsIn({ status, attempts }: DocumentData): number {
  if (typeof attempts === 'number' && Number.isSafeInteger(attempts) && attempts >= 0) return attempts;
  return status === 'failed' ? 1 : 0;
}

function isStatus(value: unknown): value is VideoStatus {
  return typeof value === 'string' && Object.hasOwn(VIDEO_MOVES, value);
}

const RESERVED = /^__.*__$/;

export function idOfVideo(key: ItemKey): string {
  const videoId = videoIdOf(key);
  if (videoId === null) return hashOf(key);
  return RESERVED.test(videoId) ? `${videoId}~${hashOf(key).slice(0, 16)}` : videoId;
}

function statusOf({ item, claim }: ItemRecord): VideoStatus {
  return videoStatus(item, claim !== null);
}
