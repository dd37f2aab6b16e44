/** Redis cannot be reached, does not answer in time, or answers that it cannot serve now. It recovers by itself. */
export class RedisAwayError extends Error {
  override readonly name = 'RedisAwayError';
  readonly command: string;

  constructor(command: string, why: string, options?: ErrorOptions) {
    super(`Redis is away: ${command} ${why}`, options);
    this.command = command;
  }
}

/** What a server says while it starts, fails over, or is full; and what the client says without a connection. */
const AWAY =
  /^(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|READONLY|BUSY|OOM|NOREPLICAS|MISCONF)\b|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/;
const AWAY_CLASSES = new Set([
  'ClientOfflineError',
  'ClientClosedError',
  'ConnectionTimeoutError',
  'DisconnectsClientError',
  'MaxCommandRedirectionsError',
  'RootNodesUnavailableError',
  'SocketClosedUnexpectedlyError',
  'SocketTimeoutError',
  'TimeoutError',
]);

/** Whether this says something of the server's state, and nothing of what was asked. */
export function meansAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof RedisAwayError) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return AWAY_CLASSES.has(error.constructor.name) || AWAY.test(code) || AWAY.test(error.message);
}
