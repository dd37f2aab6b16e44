import { createHash } from 'node:crypto';
import slotOf from 'cluster-key-slot';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { CircuitBreaker } from '../../time/retry.ts';
import {
  type Client,
  type ClientOptions,
  type Cluster,
  newClient,
  newCluster,
  reconnectDelay,
} from './clients.ts';
import { type SentinelSettings, SentinelWatch } from './sentinel.ts';

/** Redis cannot be reached, does not answer in time, or cannot serve now. Retryable. */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
  readonly command: string;

  constructor(command: string, why: string, options?: ErrorOptions) {
    super(`Redis is unavailable: ${command} ${why}`, options);
    this.command = command;
  }
}

/** Replies of a server that starts, fails over, or is full; and the client's error without a connection. */
const UNAVAILABLE_MESSAGE =
  /^(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|READONLY|BUSY|OOM|NOREPLICAS|MISCONF)\b|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/;
const UNAVAILABLE_CLASSES = new Set([
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

/** Whether the error is about the state of the server, not about the command. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof RedisUnavailableError) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    UNAVAILABLE_CLASSES.has(error.constructor.name) ||
    UNAVAILABLE_MESSAGE.test(code) ||
    UNAVAILABLE_MESSAGE.test(error.message)
  );
}

/** A Lua script: called by its digest, and sent as text when the server does not have it. */
export interface Script {
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

export function script(name: string, ...parts: readonly string[]): Script {
  const text = parts.join('\n');
  return { name, text, digest: createHash('sha1').update(text).digest('hex') };
}

export interface RedisOptions extends Pick<ClientOptions, 'username' | 'password' | 'tls'> {
  /** `host:port`: one server, or some nodes of a cluster. */
  readonly nodes: readonly string[];
  readonly cluster?: boolean;
  /** Sentinels that name the server, in place of `nodes`. They are reached with the same TLS settings. */
  readonly sentinel?: SentinelSettings;
  /** Prefix of every key and channel. */
  readonly prefix?: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<Events, 'redisCalled'>;
  /** Command timeout; beyond it Redis counts as unavailable. */
  readonly timeoutMs?: number;
}

/** What Redis answers, as it comes over the wire. */
export type RedisReply = string | number | null | readonly RedisReply[];

export function toArray(reply: RedisReply | undefined): readonly RedisReply[] {
  return Array.isArray(reply) ? (reply as readonly RedisReply[]) : [];
}
export type Listener = (message: string, channel: string) => void;

const DEFAULT_TIMEOUT_MS = 2 * SECOND;
/** How long opening waits for the first connection; after that it continues in the background. */
const CONNECT_TIMEOUT_MS = 3 * SECOND;
const BREAKER = { breakerFailures: 3, breakerMs: 500, breakerMaxMs: 500 };

/**
 * One Redis server, a cluster, or the master that Sentinels name, behind one interface. Every call ends within the timeout, with a reply or with
 * `RedisUnavailableError`; a server that hangs gets no commands until it answers again.
 */
export class RedisConnection implements AsyncDisposable {
  readonly prefix: string;
  readonly clustered: boolean;
  readonly #options: RedisOptions;
  readonly #breaker: CircuitBreaker;
  readonly #timeoutMs: number;
  readonly #runs = new WeakMap<object, { epoch: number; id: string }>();
  readonly #own = new Set<Client>();
  readonly #stop = new AbortController();
  /** By listener: the channels, for a server that takes over. */
  readonly #subscriptions = new Map<Listener, Set<string>>();
  #client: Client | null = null;
  #cluster: Cluster | null = null;
  #subscriber: Client | null = null;
  #sentinel: SentinelWatch | null = null;
  #takeovers = 0;
  /** Of the last failure to connect: a command knows only that there is no connection. */
  #connectionError = '';
  #wasUnavailable = false;
  #newRunAt = 0;

  private constructor(options: RedisOptions) {
    this.#options = options;
    this.prefix = options.prefix ?? '';
    this.clustered = options.cluster ?? false;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#breaker = new CircuitBreaker(options.clock, BREAKER, Math.random);
  }

  /** Connects. Where Redis cannot be reached, keeps retrying in the background. */
  static async open(options: RedisOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    const connecting = connection.#connect();
    const reached = await withTimeout(connecting, CONNECT_TIMEOUT_MS).then(
      () => true,
      () => false,
    );
    if (!reached)
      options.log.warn('Failed to connect to Redis, retrying', { reason: connection.#connectionError });
    return connection;
  }

  /** The slot of a key, which includes the prefix; 0 where there is only one server. */
  slot(key: string): number {
    return this.clustered ? slotOf(key) : 0;
  }

  /** One command. `key` selects the node; it is in `args` with the prefix already. */
  send(key: string, args: readonly string[]): Promise<RedisReply> {
    const [command = ''] = args;
    return this.#guarded(command, this.#timeoutMs, () => this.#raw(key, args));
  }

  /** All keys are in one slot and include the prefix. */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<RedisReply> {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    const key = keys[0] ?? '';
    return this.#guarded(script.name, this.#timeoutMs, async () => {
      try {
        return await this.#raw(key, ['EVALSHA', script.digest, ...rest]);
      } catch (error) {
        // The server was restarted, or a fail-over led to one without the script. EVAL loads it again.
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return this.#raw(key, ['EVAL', script.text, ...rest]);
      }
    });
  }

  /**
   * Names the running server process behind a key. It changes when that process is restarted or another takes over: recent
   * writes may be lost then.
   */
  async runOf(key: string): Promise<string> {
    const known = this.#client && this.#runs.get(this.#client);
    if (known && known.epoch === this.#client?.socketEpoch) return known.id;
    return this.#guarded('INFO', this.#timeoutMs, async () => {
      const client = await this.#nodeOf(key);
      const known = this.#runs.get(client);
      if (known?.epoch === client.socketEpoch) return known.id;
      const epoch = client.socketEpoch;
      const info = String(await client.sendCommand(['INFO', 'server']));
      const id = /run_id:(\w+)/.exec(info)?.[1] ?? '';
      if (known?.id !== id) this.#newRunAt = this.#options.clock.now();
      this.#runs.set(client, { epoch, id });
      return id;
    });
  }

  /** When an unknown server process was last found: earlier writes may be lost. */
  get newRunAt(): number {
    return this.#newRunAt;
  }

  /** Every server, for commands about the servers themselves. */
  async onEveryServer(args: readonly string[]): Promise<readonly string[]> {
    return this.#guarded(args[0] ?? '', this.#timeoutMs, async () => {
      const clients = await this.#servers();
      return Promise.all(clients.map(async (client) => String(await client.sendCommand([...args]))));
    });
  }

  /** The names of all keys of this pattern, on every server, a few at a time. */
  async scan(pattern: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const client of await this.#guarded('SCAN', this.#timeoutMs, () => this.#servers()))
      for (let cursor = '0'; ; ) {
        const args = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000'];
        const reply = await this.#guarded('SCAN', this.#timeoutMs, async () => client.sendCommand(args));
        const [next, keys] = Array.isArray(reply) ? (reply as unknown[]) : ['0', []];
        if (Array.isArray(keys)) found.push(...keys.map(String));
        cursor = String(next);
        if (cursor === '0') break;
      }
    return found;
  }

  /**
   * Channels include the prefix. Without a connection it returns at once: the subscription is made with the connection, also
   * when the client reconnects or another server takes over.
   */
  async subscribe(channels: readonly string[], listener: Listener): Promise<void> {
    const list = [...channels];
    this.#subscriptions.set(listener, new Set([...(this.#subscriptions.get(listener) ?? []), ...list]));
    if (this.#cluster) return this.#cluster.subscribe(list, listener);
    for (let server = this.#subscriber; server !== null; ) {
      const former = server;
      try {
        return await ifConnected(server, server.subscribe(list, listener));
      } catch (error) {
        server = this.#subscriber;
        if (server !== former) continue;
        this.#forget(list, listener);
        throw error;
      }
    }
  }

  /** Names the connection of the subscriptions; a new name means that messages may have been lost. */
  get subscriptionName(): string {
    const node = this.#cluster?.pubSubNode;
    if (node) return `${node.address} ${node.client instanceof Promise ? '' : node.client.socketEpoch}`;
    return `${this.#takeovers} ${this.#subscriber?.socketEpoch ?? ''}`;
  }

  async unsubscribe(channels: readonly string[], listener: Listener): Promise<void> {
    const list = [...channels];
    this.#forget(list, listener);
    if (this.#cluster) await this.#cluster.unsubscribe(list, listener as never);
    else if (this.#subscriber)
      await ifConnected(this.#subscriber, this.#subscriber.unsubscribe(list, listener));
  }

  /**
   * A blocking command on a connection of its own to the node of this key. Ends with the signal. `waitMs` is how long the
   * command itself waits on the server.
   */
  async sendBlocking(
    key: string,
    args: readonly string[],
    waitMs: number,
    lane: BlockingLane,
  ): Promise<RedisReply> {
    const command = args[0] ?? '';
    try {
      const client = await withTimeout(
        lane.client(() => this.#laneClient(key)),
        this.#timeoutMs,
      );
      return (await withTimeout(client.sendCommand([...args]), waitMs + this.#timeoutMs)) as RedisReply;
    } catch (error) {
      await lane.close();
      if (isUnavailable(error) || error instanceof TimeoutError)
        throw new RedisUnavailableError(command, 'did not answer', { cause: error });
      throw error;
    }
  }

  blockingLane(): BlockingLane {
    return new BlockingLane((client) => {
      this.#own.delete(client);
      client.destroy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#sentinel?.[Symbol.asyncDispose]();
    this.#destroyClients();
    if (this.#cluster?.isOpen) this.#cluster.destroy();
  }

  #destroyClients(): void {
    for (const client of [this.#client, this.#subscriber, ...this.#own]) if (client?.isOpen) client.destroy();
    this.#own.clear();
  }

  #forget(channels: readonly string[], listener: Listener): void {
    const known = this.#subscriptions.get(listener);
    for (const channel of channels) known?.delete(channel);
    if (known?.size === 0) this.#subscriptions.delete(listener);
  }

  async #laneClient(key: string): Promise<Client> {
    const near = await this.#nodeOf(key);
    const client = near.duplicate() as Client;
    client.on('error', () => {});
    this.#own.add(client);
    await client.connect();
    return client;
  }

  async #servers(): Promise<readonly Client[]> {
    if (this.#client) return [this.#client];
    const cluster = this.#cluster;
    if (!cluster) throw new RedisUnavailableError('connect', 'has not succeeded yet');
    return Promise.all(
      cluster.masters.map(async (node) => (await cluster.nodeClient(node)) as unknown as Client),
    );
  }

  async #nodeOf(key: string): Promise<Client> {
    if (this.#client) return this.#client;
    if (!this.#cluster) throw new RedisUnavailableError('connect', 'has not succeeded yet');
    return (await this.#cluster.getNodeClientForKey(key)) as unknown as Client;
  }

  async #raw(key: string, args: readonly string[]): Promise<RedisReply> {
    if (this.#client) return (await this.#client.sendCommand([...args])) as RedisReply;
    if (this.#cluster) return (await this.#cluster.sendCommand(key, false, [...args])) as RedisReply;
    throw new RedisUnavailableError(args[0] ?? '', 'has no connection yet');
  }

  async #guarded<T>(command: string, ms: number, call: () => Promise<T>): Promise<T> {
    const { clock, events } = this.#options;
    if (!this.#breaker.admit().admitted)
      throw new RedisUnavailableError(command, 'was not sent: the circuit breaker is open');
    const began = clock.monotonic();
    try {
      const answer = await withTimeout(call(), ms);
      this.#breaker.succeeded();
      this.#reportAvailability(false);
      events.redisCalled({ command, outcome: 'answered', ms: clock.monotonic() - began });
      return answer;
    } catch (error) {
      const unavailable = isUnavailable(error) || error instanceof TimeoutError;
      events.redisCalled({
        command,
        outcome: unavailable ? 'away' : 'refused',
        ms: clock.monotonic() - began,
      });
      if (!unavailable) {
        this.#breaker.succeeded();
        throw error;
      }
      this.#breaker.failed();
      this.#reportAvailability(true, error);
      if (error instanceof RedisUnavailableError) throw error;
      throw new RedisUnavailableError(
        command,
        error instanceof TimeoutError ? 'did not answer in time' : 'failed',
        {
          cause: error,
        },
      );
    }
  }

  /** Logs once when Redis becomes unavailable, once when it recovers. */
  #reportAvailability(unavailable: boolean, error?: unknown): void {
    if (this.#wasUnavailable === unavailable) return;
    this.#wasUnavailable = unavailable;
    if (unavailable)
      this.#options.log.warn('Redis is unavailable; home timelines are read from the services', {
        error,
        reason: this.#connectionError,
      });
    else this.#options.log.info('Redis is available again');
  }

  async #connect(): Promise<void> {
    if (this.clustered) return this.#connectCluster();
    const { nodes, sentinel } = this.#options;
    if (sentinel === undefined) return this.#connectTo(nodes[0] ?? 'localhost:6379');
    const first = Promise.withResolvers<void>();
    this.#sentinel = new SentinelWatch({
      ...sentinel,
      client: {
        ...(this.#options.tls !== undefined && { tls: this.#options.tls }),
        timeoutMs: this.#timeoutMs,
      },
      clock: this.#options.clock,
      log: this.#options.log,
      onMaster: (address) => void this.#connectTo(address).then(first.resolve, () => {}),
    });
    return first.promise;
  }

  /** Replaces the clients. Commands that wait for a reply of the former server fail as unavailable. */
  async #connectTo(address: string): Promise<void> {
    this.#destroyClients();
    const client = newClient(address, this.#clientOptions);
    const subscriber = newClient(address, { ...this.#clientOptions, waits: true });
    this.#client = client;
    this.#subscriber = subscriber;
    this.#takeovers += 1;
    const connecting = Promise.all([client.connect(), subscriber.connect()]);
    const subscribed = [...this.#subscriptions].map(([listener, channels]) =>
      subscriber.subscribe([...channels], listener),
    );
    await Promise.all([connecting, ...subscribed]);
  }

  async #connectCluster(): Promise<void> {
    for (let tries = 0; !this.#stop.signal.aborted; tries++) {
      const cluster = newCluster(this.#options.nodes, this.#clientOptions);
      try {
        await cluster.connect();
        this.#cluster = cluster;
        for (const [listener, channels] of this.#subscriptions)
          await cluster.subscribe([...channels], listener);
        return;
      } catch {
        this.#cluster = null;
        cluster.destroy();
        await this.#options.clock.sleep(reconnectDelay(tries), this.#stop.signal).catch(() => {});
      }
    }
  }

  get #clientOptions(): ClientOptions {
    const { username, password, tls } = this.#options;
    return {
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(tls !== undefined && { tls }),
      timeoutMs: this.#timeoutMs,
      onError: (error) => {
        this.#connectionError = error.message;
      },
    };
  }
}

/** A connection for blocking commands of one caller. Created at the first use, and again after a failure. */
export class BlockingLane {
  readonly #drop: (client: Client) => void;
  #client: Promise<Client> | null = null;

  constructor(drop: (client: Client) => void) {
    this.#drop = drop;
  }

  client(make: () => Promise<Client>): Promise<Client> {
    this.#client ??= make();
    return this.#client;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    this.#client = null;
    if (client?.isOpen) this.#drop(client);
  }
}

/** Waits for a subscription only where it can be made now: the client makes the others when it has connected. */
async function ifConnected(client: Client, change: Promise<void>): Promise<void> {
  if (client.isReady) return change;
  change.catch(() => {});
}

class TimeoutError extends Error {
  override readonly name = 'TimeUpError';
}

function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  // After a busy moment of this process the reply may have arrived already: it is read before the timeout fires.
  const timer = setTimeout(
    () => setImmediate(() => reject(new TimeoutError(`no answer within ${ms} ms`))),
    ms,
  );
  work.then(
    (answer) => {
      clearTimeout(timer);
      resolve(answer);
    },
    (error: unknown) => {
      clearTimeout(timer);
      reject(error);
    },
  );
  return promise;
}
