import type { DocumentData } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import type { ItemStatus } from '../../../item/lifecycle.ts';
import {
  textOrEmpty,
  timeOrNull,
  videoFields,
  videoIdOf,
  videoKey,
  videoSighting,
} from '../../../item/video.ts';
import {
  summaryView,
  VIDEO_TRANSITIONS,
  type VideoStatus,
  videoPath,
  videoStatus,
} from '../../../item/views.ts';
import { type ItemRecord, line, type RecordedClaim, withLine } from '../../../ledger/item-record.ts';
import { HOUR } from '../../../time/duration.ts';
import { displayText, firestoreTime, hashOf } from './document.ts';

/**
 * How one kind of pipeline maps its items to Firestore documents: a pure mapping. The fields are the contract's own;
 * everything else that the ledger needs is in one map named `ledger` beside them (see `document.ts`) and in further
 * collections whose names begin with the layout's.
 */
export interface Layout {
  /** Collection of the items. */
  readonly items: string;
  /** Of what was swept (X20): `key`, `state`, `swept_at`. */
  readonly tombstones: string;
  /** Of the messages. */
  readonly outbox: string;
  /** Of the sources of what was swept. */
  readonly sources: string;
  idOf(key: ItemKey): string;
  /**
   * `serverTime` stands for Firestore's own time of the write; `before` is the current document, absent where it is new.
   * Fields that the result does not name stay unchanged.
   */
  fields(stored: ItemRecord, serverTime: unknown, before?: DocumentData): DocumentData;
  /** Intermediate fields between one document and the next that must be visible, each a write of its own. */
  between?(before: DocumentData, after: ItemRecord, serverTime: unknown): readonly DocumentData[];
  /** How another program of the same contract works on the same documents. */
  readonly shared?: SharedLayout;
}

export interface SharedLayout {
  /**
   * The field that both write. The ledger's last value is also in its own map as `wrote`, which shows who wrote the current
   * one.
   */
  readonly field: string;
  /** The field with the time at which a document was recorded. */
  readonly recordedAt: string;
  /**
   * The item that another program recorded, or changed since; `null` where the document is unchanged since the ledger wrote
   * it (`own` is what the ledger stored).
   */
  adopt(document: ForeignDocument, own: ItemRecord | null): Omit<ItemRecord, 'nth'> | null;
  /**
   * Every change that another program may make: the current value of the field, and what the ledger may have written there.
   */
  readonly changes: readonly (readonly [now: string, wrote: readonly string[]])[];
  /** The value of the field in a terminal state. */
  readonly finalValue: string;
}

export interface ForeignDocument {
  readonly id: string;
  readonly data: DocumentData;
  readonly createdAt: number;
  readonly now: number;
}

/**
 * The summary bot's items: the fields of its table (B1), with its numbers for status and reason (B3, B4). The ID is the
 * SHA-256 of the item's key, which spreads the documents evenly, accepts a key of any length, and never collides.
 */
export const ITEMS: Layout = {
  items: 'items',
  tombstones: 'items_tombstones',
  outbox: 'items_outbox',
  sources: 'items_sources',
  idOf: hashOf,
  fields({ item }) {
    const { status, reason } = summaryView(item);
    return {
      url: displayText(item.url || item.key),
      title: displayText(item.title),
      published_at: firestoreTime(item.publishedAt),
      status,
      reason,
      retry_count: item.attempts,
      created_at: firestoreTime(item.createdAt),
      last_checked_at: firestoreTime(item.checkedAt),
    };
  },
};

/**
 * The video tracker's `processed_videos/{videoId}` (D1, D2). Only the canonical address of a video has its ID; anything else
 * in a pipeline of this kind is stored under the SHA-256 of its key, so that two items never share a document.
 * `errorMessage` and `attempts` appear after a failure. `queuedAt` and `updatedAt` are Firestore's own time, `publishedAt`
 * is YouTube's text. What another program recorded of a video stays unchanged.
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
      title: displayText(title),
      channelId: displayText(channelId),
      channelTitle: displayText(channelTitle),
      publishedAt,
      queuedAt: serverTime,
    };
    return {
      ...Object.fromEntries(Object.entries(recorded).filter(([name]) => !isRecordedField(name, before))),
      status,
      updatedAt: serverTime,
      ...(failed && { errorMessage: displayText(item.detail ?? item.reason), attempts: item.attempts }),
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
    finalValue: 'completed',
    changes: [
      ['completed', ['queued', 'processing', 'failed']],
      ['processing', ['queued', 'failed']],
      ['failed', ['queued', 'processing']],
      ['queued', ['processing', 'failed']],
    ],
    adopt: (document, own) => (own === null ? adoptedVideo(document) : changedByOther(document, own)),
  },
};

/** An earlier version of this program wrote a timestamp as `publishedAt`. */
function isRecordedField(name: string, before: DocumentData): boolean {
  return before[name] !== undefined && (name !== 'publishedAt' || typeof before[name] === 'string');
}

/** Maximum working time of another program's worker: it has no lease that could expire. */
export const FOREIGN_WORKER_MS = 2 * HOUR;
export const FOREIGN_WORKER = 'another program';
const COMPLETED_STANDING = { state: 'published', reason: 'none', detail: null } as const;

/**
 * A video that another program recorded: the contract's fields and nothing of the ledger's. Its status is continued (D2).
 */
function adoptedVideo({ id, data, createdAt, now }: ForeignDocument): Omit<ItemRecord, 'nth'> | null {
  const key = videoKey(id);
  if (key === null) return null;
  const queuedAt = timeOrNull(data.queuedAt) ?? createdAt;
  const checkedAt = timeOrNull(data.updatedAt) ?? queuedAt;
  const status = { ...itemStatusOf(data), attempts: attemptsIn(data), dueAt: null, checkedAt };
  return {
    item: {
      ...videoSighting(key, id, data, queuedAt),
      ...status,
      createdAt: queuedAt,
      verdict: null,
    },
    token: 0,
    claim: data.status === 'processing' ? foreignClaim(checkedAt, now) : null,
    handedAt: 0,
    sightings: [],
    history: [
      {
        ...line({ at: queuedAt, event: 'admit', from: null, to: status.state }),
        reason: status.reason,
        detail: 'recorded by another program',
      },
    ],
    admission: '',
  };
}

const EVENT_OF_STATUS = {
  completed: 'publish',
  processing: 'claim',
  failed: 'giveUp',
  queued: 'requeue',
} as const satisfies Record<VideoStatus, string>;

/**
 * Applies another program's change to a video of the ledger. Nothing leaves completed (D2); while a worker of ours has a
 * claim on the video, only its completion counts.
 */
function changedByOther({ data, now }: ForeignDocument, own: ItemRecord): Omit<ItemRecord, 'nth'> | null {
  const { status } = data;
  const wrote: unknown = (data.ledger as { wrote?: unknown } | undefined)?.wrote ?? statusOf(own);
  if (!isStatus(status) || status === wrote || statusOf(own) === 'completed') return null;
  const { claim } = own;
  const isClaimed = claim !== null && claim.owner !== FOREIGN_WORKER && claim.until > now;
  if (isClaimed && status !== 'completed') return null;
  const checkedAt = Math.min(timeOrNull(data.updatedAt) ?? now, now);
  const attempts = own.item.attempts + (status === 'failed' ? 1 : 0);
  const to: ItemStatus = { ...itemStatusOf(data), attempts, dueAt: null, checkedAt };
  const entry = {
    ...line({ at: checkedAt, event: EVENT_OF_STATUS[status], from: own.item.state, to: to.state }),
    reason: to.reason,
    detail: `${status} by another program`,
  };
  const next = {
    ...own,
    item: { ...own.item, ...to },
    claim: status === 'processing' ? foreignClaim(checkedAt, now) : null,
    handedAt: own.handedAt === null ? null : 0,
  };
  return withLine(next, entry);
}

function foreignClaim(since: number, now: number): RecordedClaim {
  return { owner: FOREIGN_WORKER, until: Math.min(since, now) + FOREIGN_WORKER_MS, attempt: FOREIGN_WORKER };
}

function itemStatusOf(data: DocumentData): Pick<ItemStatus, 'state' | 'reason' | 'detail'> {
  const { status } = data;
  if (status === 'completed') return COMPLETED_STANDING;
  if (status === 'queued' || status === 'processing')
    return { state: 'waiting', reason: 'none', detail: null };
  const message = textOrEmpty(data.errorMessage) || textOrEmpty(data.error_message);
  const detail = isStatus(status) ? message : `unknown status: ${String(status)}`;
  return { state: 'failed', reason: 'processor_failed', detail: detail || null };
}

function attemptsIn({ status, attempts }: DocumentData): number {
  if (typeof attempts === 'number' && Number.isSafeInteger(attempts) && attempts >= 0) return attempts;
  return status === 'failed' ? 1 : 0;
}

function isStatus(value: unknown): value is VideoStatus {
  return typeof value === 'string' && Object.hasOwn(VIDEO_TRANSITIONS, value);
}

const RESERVED_ID = /^__.*__$/;

export function idOfVideo(key: ItemKey): string {
  const videoId = videoIdOf(key);
  if (videoId === null) return hashOf(key);
  return RESERVED_ID.test(videoId) ? `${videoId}~${hashOf(key).slice(0, 16)}` : videoId;
}

function statusOf({ item, claim }: ItemRecord): VideoStatus {
  return videoStatus(item, claim !== null);
}
