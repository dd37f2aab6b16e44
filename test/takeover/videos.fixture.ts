import { SERVER_TIME } from './firestore-rest.ts';

/**
 * Data of the original video tracker, written as its own programs write it: `check-new-video` records a video and publishes a
 * message, the worker's `update_status` changes the document. None of the fields is ours.
 */
export const COLLECTION = 'processed_videos';
export const CHANNEL = 'UCabcdefghijklmnopqrstuv';

type Fields = Readonly<Record<string, unknown>>;

/** `mark_video_as_processing`: the document as the Cloud Function writes it. */
export function recorded(videoId: string, more: Fields = {}): Fields {
  return { videoId, status: 'queued', queuedAt: SERVER_TIME, ...videoData(videoId), ...more };
}

/** Fields of a video that the Cloud Function has. */
export function videoData(videoId: string): Fields {
  return {
    title: `動画 ${videoId}`,
    channelId: CHANNEL,
    channelTitle: 'チャンネル名',
    publishedAt: '2024-12-31T10:00:00Z',
  };
}

/** `update_status`: what the worker changes. */
export function updated(status: string, errorMessage?: string): Fields {
  return { status, updatedAt: SERVER_TIME, ...(errorMessage !== undefined && { errorMessage }) };
}

const OLD = '2025-01-01T10:00:00Z';

/** Expected decision on a document: `left` while the original worker may be at work, then `processed`. */
export type ExpectedOutcome = 'processed' | 'left' | 'completed' | 'failed';

export interface Form {
  readonly id: string;
  readonly data: Fields;
  readonly outcome: ExpectedOutcome;
}

/** Every form of a document that the original programs, their earlier versions and manual edits leave behind. */
export const FORMS: readonly Form[] = [
  { id: 'queuedNow00', data: recorded('queuedNow00'), outcome: 'processed' },
  { id: 'queuedWithU', data: recorded('queuedWithU', { updatedAt: SERVER_TIME }), outcome: 'processed' },
  {
    id: 'queuedText0',
    data: recorded('queuedText0', { queuedAt: OLD, updatedAt: OLD }),
    outcome: 'processed',
  },
  { id: '-startsDash', data: recorded('-startsDash'), outcome: 'processed' },
  { id: '_startsLine', data: recorded('_startsLine'), outcome: 'processed' },
  { id: 'xxxxxxxxxxx', data: recorded('xxxxxxxxxxx'), outcome: 'processed' },
  { id: 'test', data: recorded('test'), outcome: 'processed' },
  { id: 'a test: 動画', data: recorded('a test: 動画'), outcome: 'processed' },
  {
    id: 'workerDied0',
    data: recorded('workerDied0', { status: 'processing', queuedAt: OLD, updatedAt: OLD }),
    outcome: 'processed',
  },
  { id: 'workerLives', data: recorded('workerLives', updated('processing')), outcome: 'left' },
  { id: 'completed00', data: recorded('completed00', updated('completed')), outcome: 'completed' },
  { id: 'completedNo', data: recorded('completedNo', { status: 'completed' }), outcome: 'completed' },
  {
    id: 'completedTx',
    data: recorded('completedTx', { status: 'completed', queuedAt: OLD, updatedAt: OLD }),
    outcome: 'completed',
  },
  { id: 'failedWords', data: recorded('failedWords', updated('failed', 'no chapters')), outcome: 'failed' },
  {
    id: 'failedSnake',
    data: recorded('failedSnake', { ...updated('failed'), error_message: 'no subtitles' }),
    outcome: 'failed',
  },
  { id: 'failedMute0', data: recorded('failedMute0', updated('failed')), outcome: 'failed' },
  { id: 'statusOther', data: recorded('statusOther', { status: 'paused' }), outcome: 'failed' },
  { id: 'onlyVideoId', data: { videoId: 'onlyVideoId' }, outcome: 'failed' },
  { id: 'emptyOne000', data: {}, outcome: 'failed' },
];

export function idsOf(...outcomes: readonly ExpectedOutcome[]): string[] {
  return FORMS.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id);
}

/** YouTube's public feed of a channel. */
export function feedOf(videos: readonly { readonly id: string; readonly at: number }[]): string {
  const entries = videos.map(
    ({ id, at }) => `<entry>
  <id>yt:video:${id}</id><yt:videoId>${id}</yt:videoId><yt:channelId>${CHANNEL}</yt:channelId>
  <title>Video ${id}</title><link rel="alternate" href="https://www.youtube.com/watch?v=${id}"/>
  <author><name>A channel</name></author>
  <published>${new Date(at).toISOString()}</published><updated>${new Date(at).toISOString()}</updated>
</entry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom">
<id>yt:channel:${CHANNEL}</id><yt:channelId>${CHANNEL}</yt:channelId><title>A channel</title>
${entries.join('\n')}
</feed>`;
}

/** Pub/Sub as an independent program uses it: plain REST, no client library. */
export class PubSubRest {
  readonly #project: string;

  constructor(host: string, project: string) {
    this.#project = `http://${host}/v1/projects/${project}`;
  }

  /** `publisher.publish(topic, json.dumps(…).encode())`. */
  async publish(topic: string, ...bodies: readonly unknown[]): Promise<void> {
    const messages = bodies.map((body) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return { data: Buffer.from(text).toString('base64') };
    });
    await this.#request(`/topics/${topic}:publish`, { messages });
  }

  /** Pulls and acknowledges the waiting messages. */
  async pull(subscription: string): Promise<string[]> {
    const at = `/subscriptions/${subscription}`;
    const { receivedMessages = [] } = (await this.#request(`${at}:pull`, {
      maxMessages: 100,
      returnImmediately: true,
    })) as { receivedMessages?: { ackId: string; message: { data?: string } }[] };
    const ackIds = receivedMessages.map(({ ackId }) => ackId);
    if (ackIds.length > 0) await this.#request(`${at}:acknowledge`, { ackIds });
    return receivedMessages.map(({ message }) => Buffer.from(message.data ?? '', 'base64').toString('utf8'));
  }

  async #request(path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.#project + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`Pub/Sub answered ${response.status} to ${path}: ${await response.text()}`);
    return response.json();
  }
}
