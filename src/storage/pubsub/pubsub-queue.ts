import type { ClientConfig, Message, PubSub, Subscription, Topic } from '@google-cloud/pubsub';
import type { Item, ItemKey } from '../../item/item.ts';
import { isoTime, textOrEmpty, videoFields, videoKey, videoSighting } from '../../item/video.ts';
import type { ConsumeOptions, Handled, Queue, QueueDelivery } from '../../queue/queue.ts';
import { HOUR, MINUTE, SECOND } from '../../time/duration.ts';
import { createTopics, PubSubQueueError, type QueueNames, queueNames, type SetUpOptions } from './topics.ts';

/** The key of an item that is no YouTube video, which `videoId` cannot express. */
const KEY_FIELD = 'kawaraban_item';

/** Why a message names no item. */
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
 * The item that a message names. Messages of other programs have a `videoId` and any further fields; those of earlier
 * versions of this program are an item key as text. `publishedAt` is the time of the message.
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
  /** A handler threw, or dead-lettering failed. The message is redelivered. */
  readonly onError?: (name: string, error: unknown) => void;
  /** A message names no item and was dead-lettered. */
  readonly onMalformed?: (message: { readonly id: string; readonly why: string }) => void;
  readonly setUp?: Partial<SetUpOptions>;
}

const DEFAULT_SET_UP: SetUpOptions = {
  create: true,
  maxDeliveries: 20,
  retryBackoffMs: [10 * SECOND, 10 * MINUTE],
  ackDeadlineMs: 60 * SECOND,
};
/** The attribute of a dead letter with its reason. */
const REASON_ATTRIBUTE = 'kawaraban_malformed';
/** Limit of ack deadline extensions for a slow worker (D8); Pub/Sub's own maximum. */
const MAX_WORK_MS = HOUR;

/**
 * Google Pub/Sub (D10). A message is a video as JSON (see `messageBody`), also from other programs. Its ack deadline is
 * extended while its handler runs. An ack may get lost and a message be redelivered: the ledger decides whether there is
 * anything to do. Messages that were delivered too often or name no video are dead-lettered; the ledger hands over its
 * open items again.
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

  /** The client, after creating topic and subscription. A failure is retried by the next call. */
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

interface ConsumerDependencies extends ConsumeOptions, Pick<PubSubQueueOptions, 'onError' | 'onMalformed'> {
  readonly subscription: Subscription;
  readonly deadLetters: Topic;
  readonly handle: (delivery: QueueDelivery) => Promise<Handled>;
}

/** One `consume` call, from its first message to its last acknowledgement. */
class Consumer {
  readonly #deps: ConsumerDependencies;
  readonly #subscription: Subscription;
  readonly #signal: AbortSignal;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #over = Promise.withResolvers<void>();

  constructor(deps: ConsumerDependencies) {
    this.#deps = deps;
    this.#subscription = deps.subscription;
    this.#signal = deps.signal;
  }

  async run(): Promise<void> {
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      this.#over.resolve();
    };
    this.#signal.addEventListener('abort', stop, { once: true });
    this.#subscription.on('message', (message) => {
      // Messages after the stop go back at once, for the next consumer.
      if (stopped) message.nack();
      else this.#receive(message);
    });
    this.#subscription.on('error', (error) => {
      const message = `Pub/Sub stopped delivering from ${this.#subscription.name}: ${error.message}`;
      this.#over.reject(new PubSubQueueError(this.#subscription.name, message, error));
    });
    try {
      await this.#over.promise;
    } finally {
      stopped = true;
      this.#signal.removeEventListener('abort', stop);
      // Deadlines of messages in flight are extended until they are done; closing flushes the acknowledgements.
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
      if ((await this.#deps.handle(delivery)) === 'done') message.ack();
      else message.nack();
    } catch (error) {
      this.#deps.onError?.(delivery.key, error);
      message.nack();
    }
  }

  /** Redelivering a malformed message is useless, and the subscription itself may have no dead-letter policy. */
  async #deadLetter(message: Message, why: string): Promise<void> {
    try {
      const { data, attributes } = message;
      await this.#deps.deadLetters.publishMessage({
        data,
        attributes: { ...attributes, [REASON_ATTRIBUTE]: why },
      });
      this.#deps.onMalformed?.({ id: message.id, why });
      message.ack();
    } catch (error) {
      this.#deps.onError?.(`message ${message.id}`, error);
      message.nack();
    }
  }
}
