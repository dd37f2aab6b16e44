import type { ItemKey } from '../../../item/item.ts';
import type { Standing } from '../../../item/lifecycle.ts';
import { VIDEO_MOVES, type VideoStatus, videoPath, videoStatus } from '../../../item/views.ts';
import { HOUR } from '../../../time/duration.ts';
import { shown } from '../packing.ts';
import { line, type StoredItem } from '../stored-item.ts';
import { timeOf } from '../times.ts';
import { hashOf } from './items.ts';
import type { ForeignDocument, Layout } from './layout.ts';

/**
 * The video tracker's `processed_videos/{videoId}` (D1, D2). Only the canonical address of a video has its ID; anything
 * else that a pipeline of this kind meets is kept under the SHA-256 of its key, so that two items never share a document.
 * `errorMessage` and `attempts` appear once it failed.
 */
export const VIDEOS: Layout = {
  items: 'processed_videos',
  tombstones: 'processed_videos_tombstones',
  outbox: 'processed_videos_outbox',
  sources: 'processed_videos_sources',
  idOf: idOfVideo,
  fields(stored) {
    const { item } = stored;
    const failed = item.attempts > 0 || statusOf(stored) === 'failed';
    return {
      videoId: item.video?.videoId ?? idOfVideo(item.key),
      title: shown(item.title),
      channelId: shown(item.video?.channelId ?? item.sourceId),
      channelTitle: shown(item.video?.channelTitle ?? item.sourceName),
      publishedAt: timeOf(item.publishedAt),
      status: statusOf(stored),
      queuedAt: timeOf(item.createdAt),
      updatedAt: timeOf(item.checkedAt),
      ...(failed && { errorMessage: shown(item.detail ?? item.reason), attempts: item.attempts }),
    };
  },
  between(before, after) {
    if (!isStatus(before.status)) return [];
    const path = videoPath(before.status, statusOf(after)) ?? [];
    return path.slice(0, -1).map((status) => ({ status }));
  },
  adopt(document, own) {
    if (own === null) return adopted(document);
    // Another program's worker finished what the ledger still counts as open; nothing leaves completed (D2).
    if (document.data.status !== 'completed' || statusOf(own) === 'completed') return null;
    const checkedAt = timeIn(document.data.updatedAt) ?? own.item.checkedAt;
    const to: Standing = { ...COMPLETED, attempts: own.item.attempts, checkedAt };
    const told = { ...line({ at: checkedAt, event: 'publish', from: own.item.state, to: to.state }) };
    return {
      ...own,
      item: { ...own.item, ...to },
      claim: null,
      handedAt: null,
      history: [...own.history, { ...told, detail: 'completed by another program' }],
    };
  },
};

/** How long another program's worker may take: it has no lease that could be seen to expire. */
export const FOREIGN_WORKER_MS = 2 * HOUR;
export const FOREIGN_WORKER = 'another program';
const COMPLETED = { state: 'published', reason: 'none', detail: null, dueAt: null } as const;

/** A video that another program recorded: the contract's fields and nothing of the ledger's. Its status is continued (D2). */
function adopted({ id, data, createdAt }: ForeignDocument): Omit<StoredItem, 'nth'> | null {
  const key = `https://www.youtube.com/watch?v=${id}` as ItemKey;
  if (idOfVideo(key) !== id) return null;
  const queuedAt = timeIn(data.queuedAt) ?? createdAt;
  const checkedAt = timeIn(data.updatedAt) ?? queuedAt;
  const standing = { ...standingOf(data), attempts: attemptsIn(data), dueAt: null, checkedAt };
  const open = standing.state === 'waiting';
  const [channelId, channelTitle] = [textIn(data.channelId), textIn(data.channelTitle)];
  return {
    item: {
      key,
      url: key,
      title: textIn(data.title) || key,
      publishedAt: timeIn(data.publishedAt) ?? queuedAt,
      sourceId: '',
      sourceName: channelTitle,
      foreignId: id,
      video: { videoId: id, channelId, channelTitle },
      ...standing,
      createdAt: queuedAt,
      verdict: null,
    },
    token: 0,
    claim:
      data.status === 'processing'
        ? { owner: FOREIGN_WORKER, until: checkedAt + FOREIGN_WORKER_MS, attempt: FOREIGN_WORKER }
        : null,
    handedAt: open ? 0 : null,
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

function standingOf(data: ForeignDocument['data']): Pick<Standing, 'state' | 'reason' | 'detail'> {
  const { status } = data;
  if (status === 'completed') return COMPLETED;
  if (status === 'queued' || status === 'processing')
    return { state: 'waiting', reason: 'none', detail: null };
  const detail = isStatus(status) ? textIn(data.errorMessage) : `unknown status: ${String(status)}`;
  return { state: 'failed', reason: 'processor_failed', detail: detail || null };
}

function attemptsIn({ status, attempts }: ForeignDocument['data']): number {
  if (typeof attempts === 'number' && Number.isSafeInteger(attempts) && attempts >= 0) return attempts;
  return status === 'failed' ? 1 : 0;
}

function isStatus(value: unknown): value is VideoStatus {
  return typeof value === 'string' && Object.hasOwn(VIDEO_MOVES, value);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A Firestore timestamp, or an ISO 8601 text as YouTube gives it. */
function timeIn(value: unknown): number | null {
  if (typeof value === 'object' && value !== null && 'toMillis' in value)
    return (value as { toMillis(): number }).toMillis();
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

const CANONICAL = /^https:\/\/www\.youtube\.com\/watch\?v=([A-Za-z0-9_-]{6,20})$/;
const RESERVED = /^__.*__$/;

export function idOfVideo(key: ItemKey): string {
  const videoId = CANONICAL.exec(key)?.[1];
  if (videoId === undefined) return hashOf(key);
  return RESERVED.test(videoId) ? `${videoId}~${hashOf(key).slice(0, 16)}` : videoId;
}

function statusOf({ item, claim }: StoredItem): VideoStatus {
  return videoStatus(item, claim !== null);
}
