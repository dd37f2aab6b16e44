import { z } from 'zod';
import { choice, isGroup, section } from './section.ts';
import {
  clientTls,
  displayValue,
  duration,
  hostAndPort,
  list,
  oneOf,
  secret,
  size,
  text,
  toggle,
  whole,
} from './values.ts';

const sentinel = section({
  nodes: list(hostAndPort('the address of a Sentinel'), 'Sentinels', 1, 100).describe(
    'Addresses of the Sentinels; all of them, so that any may fail.',
  ),
  master: text('the name of the master', 1, 200)
    .prefault('mymaster')
    .describe('Name of the master, as in `sentinel monitor <name> …`.'),
  username: text('a user name', 1, 200).exactOptional().describe('User name of the Sentinels.'),
  password: secret('the password').exactOptional().describe('Password of the Sentinels.'),
});

/** One Redis server, a Redis Cluster, or a master that Sentinels name. */
export const redis = section({
  nodes: list(hostAndPort('the address of a Redis server'), 'Redis servers', 1, 100)
    .prefault(['localhost:6379'])
    .describe('Addresses of Redis: one server, or some nodes of a cluster.'),
  cluster: toggle().default(false).describe('The nodes form a Redis Cluster.'),
  sentinel: sentinel.exactOptional().describe('Sentinels that name the present master; in place of `nodes`.'),
  tls: clientTls('Redis')
    .default(false)
    .describe('Use TLS for Redis and its Sentinels: `true`, or a group with certificates.'),
  username: text('a user name', 1, 200).exactOptional().describe('ACL user of Redis.'),
  password: secret('the password').exactOptional().describe('Password of Redis.'),
  prefix: text('a prefix for keys', 0, 100)
    .prefault('')
    .describe('Prefix of every key; empty keeps the names of the contracts.'),
});

const name = (what: string) => text(`${what}, of letters, digits and -`, 1, 200);

const firestore = section({
  database: name('the name of the database').prefault('(default)').describe('Firestore database.'),
  emulator: hostAndPort('the address of the emulator')
    .exactOptional()
    .describe('Address of the Firestore emulator; the real service when absent.'),
  prefix: text('a prefix for collections', 0, 100)
    .prefault('')
    .describe('Prefix of the names of all collections; empty keeps the names of the contracts.'),
  credentials: secret('the service account key')
    .exactOptional()
    .describe('Service account key (JSON). When absent, the machine’s own Google identity is used.'),
});

const pubsub = section({
  emulator: hostAndPort('the address of the emulator')
    .exactOptional()
    .describe('Address of the Pub/Sub emulator; the real service when absent.'),
  topic_prefix: text('a prefix for topics', 3, 100)
    .prefault('kawaraban')
    .describe('Topics and subscriptions are named <prefix>-<pipeline>.'),
  create_topics: toggle().default(true).describe('Create missing topics and subscriptions.'),
});

const embedded = z.literal('embedded').transform(() => ({ kind: 'embedded' as const }));
const embeddedGroup = section({ kind: z.literal('embedded').describe('SQLite and memory in this process.') });
const distributed = section({
  kind: z.literal('distributed').describe('Firestore, Pub/Sub and Redis.'),
  project: text('the ID of the Google Cloud project', 1, 100).describe('Google Cloud project.'),
  firestore: firestore.prefault({}).describe('Storage of items, verdicts and stories.'),
  pubsub: pubsub.prefault({}).describe('The queue of process pipelines with `queue: pubsub`.'),
  redis: redis.prefault({}).describe('Storage of timelines.'),
});

/** Storage: files on this machine, or services shared by many replicas. */
export const engine = choice({ embedded, embeddedGroup, distributed }, (value) => {
  if (value === 'embedded') return 'embedded';
  if (isGroup(value) && value.kind === 'embedded') return 'embeddedGroup';
  if (isGroup(value) && value.kind === 'distributed') return 'distributed';
  if (value === 'distributed')
    return {
      message:
        'the distributed engine needs a project: write `engine: { kind: distributed, project: my-project }`',
    };
  return {
    message: `must be \`embedded\`, or a group with \`kind: distributed\` and a \`project\`, not ${displayValue(value)}`,
  };
});

const fanOut = section({
  active_only_above: whole(1, 1e9)
    .default(10_000)
    .describe('Drops of authors with more followers are written to the timelines of active readers only.'),
  merge_above: whole(1, 1e9)
    .default(100_000)
    .describe(
      'Drops of authors with more followers are not written to timelines, but merged in on reading (fan-out on read).',
    ),
  active_within: duration(60_000)
    .prefault('7d')
    .describe('A user who has read within this time is an active reader.'),
});

const stream = section({
  keep_alive: duration(1000, 600_000)
    .prefault('15s')
    .describe('Interval of the comments that keep a stream open.'),
  streams_per_user: whole(1, 1000).default(10).describe('Maximum number of open streams of one user.'),
  buffer: size(1024).prefault('256KB').describe('A stream whose unsent data exceeds this is closed.'),
  connection_ttl: duration(5000).prefault('60s').describe('How long a dead replica is still listed.'),
  resume_window: duration(1000)
    .prefault('24h')
    .describe('How long missed events can be delivered after a reconnection.'),
  drain: duration(0, 600_000)
    .prefault('10s')
    .describe(
      'Maximum time over which streams are closed when the program stops: 200 a second, or more if there are too many for this time.',
    ),
});

/** Home, local and global timelines. */
export const timelines = section({
  store: oneOf(['memory', 'redis'])
    .exactOptional()
    .describe(
      'Where timelines are stored: in this process, or in Redis, which several replicas share. When absent: Redis with the distributed engine or where `redis` is given.',
    ),
  redis: redis.exactOptional().describe('Redis for timelines; that of the engine when absent.'),
  cap: whole(20, 1_000_000)
    .default(1000)
    .describe('Maximum number of stored drops of a timeline; reading continues beyond them.'),
  idle_after: duration(60_000)
    .prefault('14d')
    .describe('Home timelines that were not read for this long are evicted, and rebuilt on the next read.'),
  fan_out: fanOut.prefault({}).describe('Authors with very many followers.'),
  stream: stream.prefault({}).describe('Live updates over Server-Sent Events.'),
  tombstones: duration(60_000).prefault('7d').describe('How long the tombstone of a deleted drop is kept.'),
  user_service: hostAndPort('the address of avion.UserService')
    .exactOptional()
    .describe('Remote user service; the embedded one when absent.'),
  post_service: hostAndPort('the address of avion.PostService')
    .exactOptional()
    .describe('Remote post service; the embedded one when absent.'),
  recheck_follows: duration(1000)
    .prefault('5m')
    .describe(
      'How soon a follow or unfollow at a remote user service shows in a home without an event for it.',
    ),
  service_timeout: duration(10, 600_000).prefault('2s').describe('Timeout of a call to a remote service.'),
  service_token: secret('the token for remote services')
    .exactOptional()
    .describe('Token that authenticates this program at remote services; their `server.grpc.service_token`.'),
  service_tls: clientTls('the services')
    .default(false)
    .describe('Use TLS for remote services: `true`, or a group with certificates.'),
});
