import type { ClientConfig, Message, PubSub, Subscription, Topic } from '@google-cloud/pubsub';
import type { Item, ItemKey } from '../../item/item.ts';
import { isoTime, textOrEmpty, videoFields, videoKey, videoSighting } from '../../item/video.ts';
import type { ConsumeOptions, Handled, Queue, QueueDelivery } from '../../queue/queue.ts';
import { HOUR, MINUTE, SECOND } from '../../time/duration.ts';
import { createTopics, PubSubQueueError, type QueueNames, queueNames, type SetUpOptions } from './topics.ts';

/** The key of an item that its `videoId` does not tell: one that is no video of YouTube's. */
const KEY_FIELD = 'kawaraban_item';

/** A message that names no item: why. */
export interface Malformed {
  readonly malformed: string;
}

/** A video as a message: JSON with the fields of its document (D1), times as ISO 8601 text. */
export function messageBody(item: Item): Buffer {
  const fields = videoFields(item);
  const body = {
    ...fields,
    status: 'queued',
    queuedAt: isoTime(item.createdAt),
    updatedAt: isoTime(item.checkedAt),
    ...(videoKey(fields.videoId) !== item.key && { [KEY_FIELD]: item.key }),
  };
  return Buffer.from(JSON.stringify(body));
}

/**
 * What a message names. Another program's message has a `videoId` and whatever else it likes; those of earlier versions of
 * this program are the key of an item as text. `publishedAt` is the time of the message.
 */
export function parseMessage(data: Buffer, publishedAt: number): QueueDelivery | Malformed {
  const text = data.toString('utf8');
  const body = parseFields(text);
  if (body === null && /^https?:\/\/\S+$/.test(text)) return { key: text as ItemKey };
  const videoId = textOrEmpty(body?.videoId);
  const key = (textOrEmpty(body?.[KEY_FIELD]) || videoKey(videoId)) as ItemKey | null;
  if (body === null || key === null) return { malformed: malformedReason(body) };
  return { key, sighting: videoSighting(key, videoId, body, publishedAt) };
}

function malformedReason(body: Readonly<Record<string, unknown>> | null): string {
  if (body === null) return 'the body is not a JSON object';
  return typeof body.videoId === 'string' && body.videoId !== ''
    ? `no video can have the videoId ${JSON.stringify(body.videoId.slice(0, 100))}`
    : 'the body has no videoId';
}

function parseFields(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

export interface PubSubQueueOptions {
  readonly project: string;
  /** Name of topic and subscription. */
  readonly name: string;
  /** Host and port of the emulator; the real service when absent. */
  readonly emulator?: string;
  /** A service account's key, as Google's JSON file has it; the machine's own identity when absent. */
  readonly credentials?: string;
  /** A handler threw, or a message could not be put aside. It comes again later. */
  readonly onError?: (name: string, error: unknown) => void;
  /** A message names no item. It goes to the dead letters. */
  readonly onMalformed?: (message: { readonly id: string; readonly why: string }) => void;
  readonly setUp?: Partial<SetUpOptions>;
}

const DEFAULT_SET_UP: SetUpOptions = {
  create: true,
  maxDeliveries: 20,
  retryBackoffMs: [10 * SECOND, 10 * MINUTE],
  ackDeadlineMs: 60 * SECOND,
};
/** The attribute of a dead letter that says why it is one. */
const REASON_ATTRIBUTE = 'kawaraban_malformed';
/** A slow but living worker keeps its message so long (D8); Pub/Sub allows no more. */
const MAX_WORK_MS = HOUR;

/**
 * Google Pub/Sub (D10). A message is a video as JSON (see `message.ts`), and so is that of any other program. Its ack
 * deadline is extended for as long as its handler runs. An ack may get lost and a message come twice: whether there is
 * anything to do, the ledger says. What was delivered too often, and what names no video, goes to the dead letters; the
 * ledger hands over again what it still waits for.
 */
export class PubSubQueue implements Queue {
  readonly abilities = { separate: true };
  readonly #options: PubSubQueueOptions;
  readonly #names: QueueNames;
  readonly #setUp: SetUpOptions;
  #opening: Promise<PubSub> | null = null;

  constructor(options: PubSubQueueOptions) {
    this.#options = options;
    this.#names = queueNames(options.name);
    this.#setUp = { ...DEFAULT_SET_UP, ...options.setUp };
  }

  async enqueue(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    const topic = (await this.#open()).topic(this.#names.topic);
    await Promise.all(items.map((item) => topic.publishMessage({ data: messageBody(item) })));
  }

  async consume(
    handle: (delivery: QueueDelivery) => Promise<Handled>,
    options: ConsumeOptions,
  ): Promise<void> {
    if (options.signal.aborted) return;
    const client = await this.#open();
    const subscription = client.subscription(this.#names.subscription, {
      flowControl: { maxMessages: options.concurrency, allowExcessMessages: false },
      maxExtensionTime: (await import('@google-cloud/pubsub')).Duration.from({ millis: MAX_WORK_MS }),
    });
    const deadLetters = client.topic(this.#names.deadTopic);
    await new Consumer({ subscription, deadLetters, handle, ...options, ...this.#options }).run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    await (await opening?.catch(() => null))?.close();
  }

  /** The client, with topic and subscription there. What failed is tried again with the next call. */
  #open(): Promise<PubSub> {
    this.#opening ??= this.#make().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #make(): Promise<PubSub> {
    const { project, emulator, credentials } = this.#options;
    const { PubSub } = await import('@google-cloud/pubsub');
    const config: ClientConfig = {
      projectId: project,
      ...(emulator !== undefined && { apiEndpoint: emulator, emulatorMode: true }),
      ...(credentials !== undefined && {
        credentials: JSON.parse(credentials) as { client_email?: string; private_key?: string },
      }),
    };
    const client = new PubSub(config);
    try {
      await createTopics(client, this.#names, this.#setUp);
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }
}

interface ConsumerParts extends ConsumeOptions, Pick<PubSubQueueOptions, 'onError' | 'onMalformed'> {
  readonly subscription: Subscription;
  readonly deadLetters: Topic;
  readonly handle: (delivery: QueueDelivery) => Promise<Handled>;
}

/** One round of receiving, from its first message to its last acknowledgement. */
class Consumer {
  readonly #parts: ConsumerParts;
  readonly #subscription: Subscription;
  readonly #signal: AbortSignal;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #over = Promise.withResolvers<void>();

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    this.#subscription = parts.subscription;
    this.#signal = parts.signal;
  }

  async run(): Promise<void> {
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      this.#over.resolve();
    };
    this.#signal.addEventListener('abort', stop, { once: true });
    this.#subscription.on('message', (message) => {
      // What comes after the end goes back at once, to whoever listens next.
      if (stopped) message.nack();
      else this.#receive(message);
    });
    this.#subscription.on('error', (error) => {
      const said = `Pub/Sub stopped delivering from ${this.#subscription.name}: ${error.message}`;
      this.#over.reject(new PubSubQueueError(this.#subscription.name, said, error));
    });
    try {
      await this.#over.promise;
    } finally {
      stopped = true;
      this.#signal.removeEventListener('abort', stop);
      // Messages under way keep their deadline until they are done; only then the acknowledgements are sent off.
      await Promise.all(this.#inFlight);
      await this.#subscription.close();
    }
  }

  #receive(message: Message): void {
    const work = this.#deliver(message).finally(() => this.#inFlight.delete(work));
    this.#inFlight.add(work);
  }

  async #deliver(message: Message): Promise<void> {
    const delivery = parseMessage(message.data, message.publishTime.getTime());
    if ('malformed' in delivery) return this.#deadLetter(message, delivery.malformed);
    try {
      if ((await this.#parts.handle(delivery)) === 'done') message.ack();
      else message.nack();
    } catch (error) {
      this.#parts.onError?.(delivery.key, error);
      message.nack();
    }
  }

  /** Redelivering what names no item would change nothing; the subscription's own policy may have no dead letters. */
  async #deadLetter(message: Message, why: string): Promise<void> {
    try {
      const { data, attributes } = message;
      await this.#parts.deadLetters.publishMessage({
        data,
        attributes: { ...attributes, [REASON_ATTRIBUTE]: why },
      });
      this.#parts.onMalformed?.({ id: message.id, why });
      message.ack();
    } catch (error) {
      this.#parts.onError?.(`message ${message.id}`, error);
      message.nack();
    }
  }
}
