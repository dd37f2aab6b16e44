import { isIP } from 'node:net';
import { createClient, createCluster } from 'redis';
import { SECOND } from '../../time/duration.ts';
import { backoff } from '../../time/retry.ts';
import type { OutgoingTls } from '../../tls/certificate-watch.ts';

export type Client = ReturnType<typeof newClient>;
export type Cluster = ReturnType<typeof newCluster>;

/** How clients connect and authenticate. */
export interface ClientOptions {
  readonly username?: string;
  readonly password?: string;
  /** `true`: TLS with the authorities of the system. */
  readonly tls?: boolean | OutgoingTls;
  /** Limit for connecting. */
  readonly timeoutMs: number;
  /** Commands wait for the connection; by default they fail at once instead of piling up. */
  readonly waits?: boolean;
  /** Called with each failure of the connection; it is retried. */
  readonly onError?: (error: Error) => void;
}

const RECONNECT_BACKOFF = { baseMs: 50, capMs: 2 * SECOND };

/** A client of the server at `host:port`. Reconnects by itself. */
export function newClient(address: string, options: ClientOptions) {
  const { socket, ...rest } = clientOptions(options);
  const client = createClient({ ...rest, socket: { ...socket, ...addressOf(address, options) } });
  client.on('error', (error: Error) => options.onError?.(error));
  return client;
}

export function newCluster(nodes: readonly string[], options: ClientOptions) {
  const { RESP, ...defaults } = clientOptions(options);
  const cluster = createCluster({
    RESP,
    rootNodes: nodes.map((node) => ({
      ...defaults,
      socket: { ...defaults.socket, ...addressOf(node, options) },
    })),
    defaults,
  });
  cluster.on('error', (error: Error) => options.onError?.(error));
  return cluster;
}

export function reconnectDelay(tries: number): number {
  return backoff(tries + 1, RECONNECT_BACKOFF);
}

function clientOptions({ username, password, tls = false, timeoutMs, waits = false }: ClientOptions) {
  return {
    RESP: 2 as const,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    disableOfflineQueue: !waits,
    // Every command has our own timeout; the client's takes a timer and an exception for each, even after the reply.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: timeoutMs,
      reconnectStrategy: reconnectDelay,
      ...(tls !== false && { tls: true as const }),
      ...(typeof tls === 'object' && { secureContext: tls.context, ...nameOf(tls.serverName) }),
    },
  };
}

function addressOf(
  node: string,
  { tls }: ClientOptions,
): { host: string; port: number; servername?: string } {
  const at = node.lastIndexOf(':');
  const host = node.slice(0, at).replace(/^\[|\]$/g, '');
  const given = typeof tls === 'object' ? tls.serverName : undefined;
  // Node sends no server name by itself; hosts that serve several certificates need it.
  const name = given ?? (isIP(host) === 0 ? host : undefined);
  return { host, port: Number(node.slice(at + 1)), ...nameOf(name) };
}

function nameOf(servername: string | undefined): { servername?: string } {
  return servername === undefined ? {} : { servername };
}
