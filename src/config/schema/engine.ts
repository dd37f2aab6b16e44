import { z } from 'zod';
import { hostAndPort, secret } from './address.ts';
import { redis } from './redis.ts';
import { choice, isGroup, section } from './section.ts';
import { shown, text, toggle } from './values.ts';

const name = (what: string) => text(`${what}, of letters, digits and -`, 1, 200);

const firestore = section({
  database: name('the name of the database').prefault('(default)').describe('Firestore database.'),
  emulator: hostAndPort('the address of the emulator')
    .exactOptional()
    .describe('Address of the Firestore emulator; the real service when absent.'),
  prefix: text('a prefix for collections', 0, 100)
    .prefault('')
    .describe('Put before the names of all collections; empty keeps the names of the contracts.'),
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
  create_topics: toggle().default(true).describe('Make topics and subscriptions that are missing.'),
});

const embedded = z.literal('embedded').transform(() => ({ kind: 'embedded' as const }));
const embeddedGroup = section({ kind: z.literal('embedded').describe('SQLite and memory in this process.') });
const distributed = section({
  kind: z.literal('distributed').describe('Firestore, Pub/Sub and Redis.'),
  project: text('the ID of the Google Cloud project', 1, 100).describe('Google Cloud project.'),
  firestore: firestore.prefault({}).describe('Where items, verdicts and stories are kept.'),
  pubsub: pubsub.prefault({}).describe('The queue of process pipelines with `queue: pubsub`.'),
  redis: redis.prefault({}).describe('Where timelines are kept.'),
});

/** Where everything is kept: in files on this machine, or in services that many copies share. */
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
    message: `must be \`embedded\`, or a group with \`kind: distributed\` and a \`project\`, not ${shown(value)}`,
  };
});
