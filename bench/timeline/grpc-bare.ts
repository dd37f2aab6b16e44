// The peer of the program, in a process of its own: a bare grpc-js server that answers a constant. Where it is given
// the port of a Redis, it reads the page from there first, by one script: the minimum for a timeline in Redis.
import { once } from 'node:events';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { createClient } from 'redis';
import { GetTimelineRequest, GetTimelineResponse } from '../../proto/gen/avion/timeline.ts';

const READ = "return redis.call('ZREVRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1, 'WITHSCORES')";
const KEY = 'bare';

type Reply = sendUnaryData<GetTimelineResponse>;

const [encoded = '', redisPort] = process.argv.slice(2);
const constant = GetTimelineResponse.decode(Buffer.from(encoded, 'base64'));

async function fromRedis(port: string): Promise<(reply: Reply) => void> {
  const client = createClient({ RESP: 2, socket: { host: '127.0.0.1', port: Number(port) } });
  await client.connect();
  const scores = constant.dropIds.flatMap((id, n) => [`${Date.now() - n}`, id]);
  await client.sendCommand(['ZADD', KEY, ...scores]);
  const digest = String(await client.sendCommand(['SCRIPT', 'LOAD', READ]));
  return (reply) => {
    client.sendCommand(['EVALSHA', digest, '1', KEY, '51']).then(
      (found) =>
        reply(null, {
          ...constant,
          dropIds: (found as unknown as string[]).filter((_, n) => n % 2 === 0),
        }),
      (error: Error) => reply(error),
    );
  };
}

const answer = redisPort === undefined ? (reply: Reply) => reply(null, constant) : await fromRedis(redisPort);
const server = new Server();
const method = {
  path: '/avion.TimelineService/GetHomeTimeline',
  requestStream: false as const,
  responseStream: false as const,
  requestSerialize: (message: GetTimelineRequest) => Buffer.from(GetTimelineRequest.encode(message).finish()),
  requestDeserialize: (bytes: Buffer) => GetTimelineRequest.decode(bytes),
  responseSerialize: (message: GetTimelineResponse) =>
    Buffer.from(GetTimelineResponse.encode(message).finish()),
  responseDeserialize: (bytes: Buffer) => GetTimelineResponse.decode(bytes),
};
server.addService({ getHomeTimeline: method } as never, {
  getHomeTimeline: (_: ServerUnaryCall<GetTimelineRequest, GetTimelineResponse>, reply: Reply) =>
    answer(reply),
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.send?.(`127.0.0.1:${port}`);
});
await once(process, 'disconnect');
process.exit(0);
