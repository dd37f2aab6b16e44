import { errorMessage } from '../../telemetry/errors.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { type Client, type ClientOptions, newClient } from './clients.ts';

export interface SentinelSettings {
  /** `host:port` of each Sentinel. */
  readonly nodes: readonly string[];
  /** Name of the master, as the Sentinels know it. */
  readonly master: string;
  readonly username?: string;
  readonly password?: string;
}

export interface SentinelWatchOptions extends SentinelSettings {
  readonly client: Pick<ClientOptions, 'tls' | 'timeoutMs'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the first master, and with each that takes over. */
  readonly onMaster: (address: string) => void;
}

/** A failover is noticed within this time; it takes the Sentinels several seconds anyway. */
const ASK_INTERVAL_MS = SECOND;

/**
 * Asks all Sentinels for the master at intervals. The answer with the highest configuration epoch counts, so that one
 * that is cut off from the others cannot lead back to the old master.
 *
 * `createSentinel` of the client library is not used: it retries commands after our timeout, and its subscriptions do not
 * show that they were interrupted.
 */
export class SentinelWatch implements AsyncDisposable {
  readonly #options: SentinelWatchOptions;
  readonly #sentinels: readonly Client[];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #master = '';
  #epoch = -1;
  #connectionError = '';
  #reported = '';

  constructor(options: SentinelWatchOptions) {
    const { nodes, username, password, client } = options;
    this.#options = options;
    this.#sentinels = nodes.map((node) =>
      newClient(node, {
        ...client,
        onError: (error) => {
          this.#connectionError = error.message;
        },
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password }),
      }),
    );
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const sentinel of this.#sentinels) if (sentinel.isOpen) sentinel.destroy();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, client } = this.#options;
    const { signal } = this.#stop;
    const connecting = this.#sentinels.map((sentinel) => sentinel.connect().catch(() => {}));
    // The first question goes to those that are connected, at the latest after the timeout.
    const waited = new AbortController();
    const timeout = clock.sleep(client.timeoutMs, AbortSignal.any([signal, waited.signal])).catch(() => {});
    await Promise.race([Promise.all(connecting), timeout]);
    waited.abort();
    while (!signal.aborted) {
      await this.#ask();
      await clock.sleep(ASK_INTERVAL_MS, signal).catch(() => {});
    }
  }

  async #ask(): Promise<void> {
    const { master, clock, client } = this.#options;
    const answered = new AbortController();
    const late = clock.sleep(client.timeoutMs, AbortSignal.any([this.#stop.signal, answered.signal])).then(
      () => Promise.reject(new Error('no answer in time')),
      () => Promise.reject(new Error('stopped')),
    );
    late.catch(() => {});
    const replies = await Promise.allSettled(
      this.#sentinels.map((sentinel) =>
        Promise.race([sentinel.sendCommand(['SENTINEL', 'MASTER', master]), late]),
      ),
    );
    answered.abort();
    if (this.#stop.signal.aborted) return;
    const answers = replies.flatMap((reply) =>
      reply.status === 'fulfilled' ? (parseMaster(reply.value) ?? []) : [],
    );
    const newest = answers.toSorted((a, b) => b.epoch - a.epoch)[0];
    // Epochs go back only where all Sentinels were set up again.
    if (newest && (newest.epoch >= this.#epoch || answers.length === replies.length)) {
      this.#epoch = newest.epoch;
      this.#follow(newest.address);
    }
    this.#report(replies);
  }

  #follow(address: string): void {
    if (address === this.#master) return;
    if (this.#master !== '') this.#options.log.info('Another Redis server is the master now', { address });
    this.#master = address;
    this.#options.onMaster(address);
  }

  /** Logs once when no Sentinel can name the master. */
  #report(replies: readonly PromiseSettledResult<unknown>[]): void {
    const { log, master } = this.#options;
    const failures = replies.filter((reply) => reply.status === 'rejected');
    const reasons = new Set(failures.map(({ reason }) => errorMessage(reason)));
    const problem = failures.length < replies.length ? '' : [...reasons, this.#connectionError].join('; ');
    if (problem !== '' && this.#reported === '')
      log.warn('No Sentinel names the Redis master, retrying', { master, reason: problem });
    if (problem === '' && this.#reported !== '')
      log.info('Sentinels name the Redis master again', { master });
    this.#reported = problem;
  }
}

/** The reply is a list of names and values. */
function parseMaster(reply: unknown): { readonly address: string; readonly epoch: number } | null {
  if (!Array.isArray(reply)) return null;
  const fields = new Map<string, string>();
  for (let n = 0; n + 1 < reply.length; n += 2) fields.set(String(reply[n]), String(reply[n + 1]));
  const [ip, port] = [fields.get('ip'), fields.get('port')];
  if (ip === undefined || port === undefined) return null;
  return {
    address: `${ip.includes(':') ? `[${ip}]` : ip}:${port}`,
    epoch: Number(fields.get('config-epoch') ?? 0),
  };
}
