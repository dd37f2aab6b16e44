import type { ClientConfig, Message, PubSub, Subscription, Topic } from '@google-cloud/pubsub';
import type { Item } from '../../item/item.ts';
import { HOUR, MINUTE, SECOND } from '../../time/duration.ts';
import type { ConsumeOptions, Delivery, Handled, Queue } from '../queue.ts';
import { PubSubQueueError } from './errors.ts';
import { bodyOf, deliveryOf } from './message.ts';
import { namesOf, type QueueNames, type SetUpOptions, setUp } from './set-up.ts';

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

const USUAL: SetUpOptions = {
  create: true,
  mostDeliveries: 20,
  rest: [10 * SECOND, 10 * MINUTE],
  ackDeadlineMs: 60 * SECOND,
};
/** The attribute of a dead letter that says why it is one. */
const WHY = 'kawaraban_malformed';
/** A slow but living worker keeps its message so long (D8); Pub/Sub allows no more. */
const LONGEST_WORK = HOUR;

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
    this.#names = namesOf(options.name);
    this.#setUp = { ...USUAL, ...options.setUp };
  }

  async enqueue(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    const topic = (await this.#open()).topic(this.#names.topic);
    await Promise.all(items.map((item) => topic.publishMessage({ data: bodyOf(item) })));
  }

  async consume(handle: (delivery: Delivery) => Promise<Handled>, options: ConsumeOptions): Promise<void> {
    if (options.signal.aborted) return;
    const client = await this.#open();
    const subscription = client.subscription(this.#names.subscription, {
      flowControl: { maxMessages: options.concurrency, allowExcessMessages: false },
      maxExtensionTime: (await import('@google-cloud/pubsub')).Duration.from({ millis: LONGEST_WORK }),
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
      await setUp(client, this.#names, this.#setUp);
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
  readonly handle: (delivery: Delivery) => Promise<Handled>;
}

/** One round of receiving, from its first message to its last acknowledgement. */
class Consumer {
  readonly #parts: ConsumerParts;
  readonly #subscription: Subscription;
  readonly #signal: AbortSignal;
  readonly #under = new Set<Promise<void>>();
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
      else this.#take(message);
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
      await Promise.all(this.#under);
      await this.#subscription.close();
    }
  }

  #take(message: Message): void {
    const work = this.#deliver(message).finally(() => this.#under.delete(work));
    this.#under.add(work);
  }

  async #deliver(message: Message): Promise<void> {
    const delivery = deliveryOf(message.data, message.publishTime.getTime());
    if ('malformed' in delivery) return this.#putAside(message, delivery.malformed);
    try {
      if ((await this.#parts.handle(delivery)) === 'done') message.ack();
      else message.nack();
    } catch (error) {
      this.#parts.onError?.(delivery.key, error);
      message.nack();
    }
  }

  /** Redelivering what names no item would change nothing; the subscription's own policy may have no dead letters. */
  async #putAside(message: Message, why: string): Promise<void> {
    try {
      const { data, attributes } = message;
      await this.#parts.deadLetters.publishMessage({ data, attributes: { ...attributes, [WHY]: why } });
      this.#parts.onMalformed?.({ id: message.id, why });
      message.ack();
    } catch (error) {
      this.#parts.onError?.(`message ${message.id}`, error);
      message.nack();
    }
  }
}
