import type { CreateSubscriptionOptions, PubSub } from '@google-cloud/pubsub';
import { DAY, SECOND } from '../../time/duration.ts';

/** Pub/Sub is unusable as configured. */
export class PubSubQueueError extends Error {
  override readonly name = 'PubSubQueueError';
  readonly topic: string;

  constructor(topic: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.topic = topic;
  }
}

/** The gRPC status code of an error; `null` for other errors. */
export function grpcCodeOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'number' ? error.code : null;
}

export const NOT_FOUND = 5;
export const ALREADY_EXISTS = 6;
export const PERMISSION_DENIED = 7;

/** The Pub/Sub resources of one queue: a topic and its subscription, and the same for dead letters. */
export interface QueueNames {
  readonly topic: string;
  readonly subscription: string;
  readonly deadTopic: string;
  readonly deadSubscription: string;
}

export function queueNames(name: string): QueueNames {
  if (!/^(?!goog)[A-Za-z][A-Za-z0-9_.~+%-]{2,200}$/.test(name))
    throw new PubSubQueueError(
      name,
      `"${name}" cannot be the name of a topic: it needs 3 to 201 letters, digits and - . _ ~ + %, and begins with a letter.`,
    );
  return { topic: name, subscription: name, deadTopic: `${name}-dead`, deadSubscription: `${name}-dead` };
}

export interface SetUpOptions {
  /** False: a missing resource is an error that says what to create. */
  readonly create: boolean;
  /** How often a message is delivered before it goes to the dead letters; 5 to 100. */
  readonly maxDeliveries: number;
  /** Redelivery backoff, growing from the first to the second. */
  readonly retryBackoffMs: readonly [first: number, most: number];
  readonly ackDeadlineMs: number;
}

/** Creates missing topics and subscriptions. Safe to run concurrently. */
export async function createTopics(client: PubSub, names: QueueNames, options: SetUpOptions): Promise<void> {
  const topics = [names.deadTopic, names.topic];
  const subscriptions: [topic: string, name: string, how: CreateSubscriptionOptions][] = [
    [
      names.deadTopic,
      names.deadSubscription,
      { messageRetentionDuration: protobufDuration(7 * DAY), expirationPolicy: {} },
    ],
    [
      names.topic,
      names.subscription,
      {
        ackDeadlineSeconds: options.ackDeadlineMs / SECOND,
        messageRetentionDuration: protobufDuration(7 * DAY),
        // Never expires: a desktop computer may be off for weeks.
        expirationPolicy: {},
        retryPolicy: {
          minimumBackoff: protobufDuration(options.retryBackoffMs[0]),
          maximumBackoff: protobufDuration(options.retryBackoffMs[1]),
        },
        deadLetterPolicy: {
          deadLetterTopic: `projects/${client.projectId}/topics/${names.deadTopic}`,
          maxDeliveryAttempts: options.maxDeliveries,
        },
      },
    ],
  ];
  for (const topic of topics)
    await ensureExists(
      topic,
      'topic',
      options.create,
      () => client.topic(topic).exists(),
      () => client.createTopic(topic),
    );
  for (const [topic, name, how] of subscriptions)
    await ensureExists(
      name,
      'subscription',
      options.create,
      () => client.subscription(name).exists(),
      () => client.topic(topic).createSubscription(name, how),
    );
}

function protobufDuration(ms: number): { seconds: number; nanos: number } {
  return { seconds: Math.floor(ms / SECOND), nanos: Math.round((ms % SECOND) * 1e6) };
}

async function ensureExists(
  name: string,
  what: 'topic' | 'subscription',
  create: boolean,
  exists: () => Promise<[boolean]>,
  make: () => Promise<unknown>,
): Promise<void> {
  try {
    if ((await exists())[0]) return;
    if (!create) {
      const advice = `Make it (gcloud pubsub ${what}s create ${name}), or set create_topics to true.`;
      throw new PubSubQueueError(name, `There is no ${what} ${name} in Pub/Sub. ${advice}`);
    }
    await make();
  } catch (error) {
    const code = grpcCodeOf(error);
    if (code === ALREADY_EXISTS) return;
    if (code === PERMISSION_DENIED)
      throw new PubSubQueueError(
        name,
        `Pub/Sub refuses the ${what} ${name}. Give the identity that runs this program the role roles/pubsub.editor.`,
        error,
      );
    if (code === NOT_FOUND)
      throw new PubSubQueueError(name, `Pub/Sub does not find the project or the topic of ${name}.`, error);
    throw error;
  }
}
