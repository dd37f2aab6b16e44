import { createClient } from 'redis';
import { installPeers, PeersMissingError } from '../install-peers.ts';

/** Two commands a timeline, ZADD and ZREMRANGEBYRANK, for so many timelines at once. */
export interface PlainClient {
  addAll(keys: readonly string[], id: string, time: number, cap: number): Promise<void>;
}

/** The part of ioredis that is used here. */
interface Ioredis {
  pipeline(): IoredisPipeline;
  disconnect(): void;
}

interface IoredisPipeline {
  zadd(key: string, score: number, member: string): IoredisPipeline;
  zremrangebyrank(key: string, start: number, stop: number): IoredisPipeline;
  exec(): Promise<unknown>;
}

export interface PlainClients {
  readonly nodeRedis: PlainClient;
  readonly nodeRedisOneByOne: PlainClient;
  /** As open social servers on Node do it; absent where it could not be installed. */
  readonly ioredis: PlainClient | null;
  close(): void;
}

/** The fan-out of the known open implementations: from the client, without a script. */
export async function openPlainClients(port: number, log: (line: string) => void): Promise<PlainClients> {
  const client = createClient({ RESP: 2, socket: { host: '127.0.0.1', port } });
  await client.connect();
  const ioredis = openIoredis(port, log);
  return {
    nodeRedis: {
      async addAll(keys, id, time, cap) {
        const batch = client.multi();
        for (const key of keys) {
          batch.zAdd(key, { score: time, value: id });
          batch.zRemRangeByRank(key, 0, -(cap + 1));
        }
        await batch.execAsPipeline();
      },
    },
    nodeRedisOneByOne: {
      async addAll(keys, id, time, cap) {
        await Promise.all(
          keys.flatMap((key) => [
            client.zAdd(key, { score: time, value: id }),
            client.zRemRangeByRank(key, 0, -(cap + 1)),
          ]),
        );
      },
    },
    ioredis: ioredis && {
      async addAll(keys, id, time, cap) {
        const batch = ioredis.pipeline();
        for (const key of keys) batch.zadd(key, time, id).zremrangebyrank(key, 0, -(cap + 1));
        await batch.exec();
      },
    },
    close() {
      client.destroy();
      ioredis?.disconnect();
    },
  };
}

function openIoredis(port: number, log: (line: string) => void): Ioredis | null {
  try {
    const { Redis } = installPeers('bullmq', log)('ioredis') as {
      Redis: new (options: { host: string; port: number }) => Ioredis;
    };
    return new Redis({ host: '127.0.0.1', port });
  } catch (error) {
    if (!(error instanceof PeersMissingError)) throw error;
    log(error.message);
    return null;
  }
}
