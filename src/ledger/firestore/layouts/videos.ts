import type { ItemKey } from '../../../item/item.ts';
import { type VideoStatus, videoPath, videoStatus } from '../../../item/views.ts';
import { shown } from '../packing.ts';
import type { StoredItem } from '../stored-item.ts';
import { timeOf } from '../times.ts';
import { hashOf } from './items.ts';
import type { Layout } from './layout.ts';

/**
 * The video tracker's `processed_videos/{videoId}` (D1, D2). Only the canonical address of a video has its ID; anything
 * else that a pipeline of this kind meets is kept under the SHA-256 of its key, so that two items never share a document.
 * `errorMessage` and `attempts` appear once it failed.
 */
export const VIDEOS: Layout = {
  items: 'processed_videos',
  tombstones: 'processed_videos_tombstones',
  outbox: 'processed_videos_outbox',
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
    const path = videoPath(before.status as VideoStatus, statusOf(after)) ?? [];
    return path.slice(0, -1).map((status) => ({ status }));
  },
};

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
