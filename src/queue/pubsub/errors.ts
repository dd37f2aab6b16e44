/** Pub/Sub cannot be used as it is set up. */
export class PubSubQueueError extends Error {
  override readonly name = 'PubSubQueueError';
  readonly topic: string;

  constructor(topic: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.topic = topic;
  }
}

/** gRPC's number of an error, where it is one. */
export function codeOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'number' ? error.code : null;
}

export const NOT_FOUND = 5;
export const ALREADY_EXISTS = 6;
export const PERMISSION_DENIED = 7;
