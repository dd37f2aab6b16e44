import { type Import, importsOf, sourceFiles } from './imports.ts';

/**
 * The borders between the rooms. A folder of `src/` is a room; the files in it are its core, with its port among
 * them; a folder inside is an adapter; `contract/` is what every adapter proves.
 */

/** Rooms that are pure: they import nothing but each other and a few parts of Node. */
const PURE_ROOMS = ['item', 'time'];

/** The ports: types that everybody may know, and that know nothing of their adapters. */
const PORTS = [
  'src/auth/account-store.ts',
  'src/auth/identity.ts',
  'src/judge/judge.ts',
  'src/ledger/ledger.ts',
  'src/outbox/outbox.ts',
  'src/publishers/publisher.ts',
  'src/queue/queue.ts',
  'src/articles/article.ts',
  'src/fetch/fetcher.ts',
  'src/social/social-store.ts',
  'src/sources/source.ts',
  'src/sources/source.ts',
  'src/stories/story-store.ts',
  'src/telemetry/logger.ts',
  'src/timelines/streams.ts',
  'src/timelines/timeline-store.ts',
  'src/timelines/timeline-store.ts',
  'src/timelines/change-feed.ts',
];

/** Functions that the outside needs too: how the wire spells a cursor, how an event stream begins, how long an identity counts, what a person posts, whether the services answer, what must not be printed, how a trace goes on, how large the heap may be. */
const KNOWN_OUTSIDE = [
  'src/auth/identity-life.ts',
  'src/social/social-store.ts',
  'src/social/rules.ts',
  'src/timelines/cursor.ts',
  'src/timelines/streams.ts',
  'src/telemetry/heap-mode.ts',
  'src/telemetry/secrets.ts',
  'src/telemetry/tracing.ts',
];

/** The wire as code, generated: for the server, and for adapters that are its clients. */
const WIRE = 'proto/gen/';

/** Rooms whose folders are not adapters: each of them is one thing as a whole. */
const WHOLE_ROOMS = [
  'cli',
  'config',
  'firestore',
  'item',
  'reading',
  'redis',
  'server',
  'serverless',
  'sqlite',
  'storage',
  'telemetry',
  'time',
];

/** Folders that are a part of their room's core and not an adapter: the room's adapters share them. */
const PARTS = ['judge/remote'];

/** Rooms where somebody comes in: they get running parts from the composition. */
const OUTER_ROOMS = ['cli', 'server', 'serverless'];

/** A room's door: the one file that chooses among the room's own adapters, and loads only the chosen one. */
const DOOR = /^src\/[a-z]+\/create-[a-z-]+\.ts$/;

/** Packages that speak to something outside, and Node's own database: for adapters and the whole rooms alone. */
const SDKS = [
  /^@google-cloud\//,
  /^google-auth-library$/,
  /^@ai-sdk\//,
  /^ai$/,
  /^redis$/,
  /^undici$/,
  /^@grpc\//,
  /^nice-grpc/,
  /^fastify$/,
  /^@fastify\//,
  /^@opentelemetry\/(sdk|exporter|context|resources)/,
  /^pino$/,
  /^pdfjs-dist$/,
  /^linkedom$/,
  /^node:(sqlite|http|https|net|tls|dgram|child_process|worker_threads)$/,
];

/** The composition, which alone may know everything; and the sample newsroom, which alone wires the simulator in. */
const COMPOSITION = /^src\/(app|app\/.+)\.ts$/;
const SAMPLE_WIRING = /^src\/(app|app\/.+|cli\/sample.*)\.ts$/;

const FORBIDDEN_WORDS = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'managers']);

/** Every violation as a sentence that names the file; empty when the borders hold. */
export function findBorderViolations(root: string): readonly string[] {
  const named = sourceFiles(root, ['src', 'simulator', 'web', 'bench', 'scripts', 'test']).flatMap(
    nameViolations,
  );
  const crossed = sourceFiles(root, ['src'])
    // A test, and what is made for tests, puts parts together as it likes.
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
    .flatMap((file) => importsOf(root, file))
    .flatMap((crossing) => crossingViolations(crossing).map((why) => `${crossing.from}: ${why}`));
  return [...new Set([...named, ...crossed])];
}

function nameViolations(file: string): string[] {
  const words = file
    .replace(/\.[^/]*$/, '')
    .toLowerCase()
    .split(/[/.-]/);
  const bad = words.filter((word) => FORBIDDEN_WORDS.has(word));
  return bad.map((word) => `${file}: "${word}" says nothing; name the thing`);
}

function crossingViolations(crossing: Import): string[] {
  const { from, to, inside, typeOnly } = crossing;
  if (COMPOSITION.test(from)) return [];
  const here = place(from);
  if (!inside) return packageViolations(from, here, to);

  if (to.startsWith('simulator/'))
    return SAMPLE_WIRING.test(from) ? [] : [`imports ${to}: only the sample newsroom may know the simulator`];
  if (to.startsWith(WIRE) && here.adapter !== null) return [];
  if (!to.startsWith('src/')) return here.room === 'server' ? [] : [`imports ${to}, which is outside src/`];

  const there = place(to);
  if (here.room === there.room && here.adapter === there.adapter) return [];
  if (OUTER_ROOMS.includes(here.room)) return outerViolations(here.room, to, there, typeOnly);
  if (OUTER_ROOMS.includes(there.room) || COMPOSITION.test(to))
    return typeOnly ? [] : [`imports ${to}: only the outside may know the outside`];
  if (PURE_ROOMS.includes(here.room))
    return PURE_ROOMS.includes(there.room) ? [] : [`imports ${to}: ${here.room} is pure`];
  // A stage inside a room has a port of its own, named like its folder.
  if (typeOnly && to.endsWith(`/${there.adapter}/${there.adapter}.ts`)) return [];
  // Adapters by backend: those of a backend share its documents.
  if (here.room === 'storage' && here.adapter === there.adapter) return [];
  if (there.adapter !== null && there.adapter !== 'contract') {
    // A contract may compare an adapter with the one in memory.
    if (here.adapter === 'contract' && here.room === there.room && there.adapter === 'memory') return [];
    if (DOOR.test(from) && here.room === there.room) return [];
    if (sameBackend(here, there)) return [];
    if (here.adapter !== null) return [`imports ${to}: an adapter knows no other adapter`];
    return WHOLE_ROOMS.includes(here.room) ? [] : [`imports ${to}: only the composition knows adapters`];
  }
  const isDatabase = ['sqlite', 'firestore', 'redis'].includes(there.room);
  if (isDatabase && here.adapter === null && here.room !== 'storage' && !typeOnly)
    return [`imports ${to}: a database is for adapters`];
  return [];
}

/** Adapters move to `storage/<backend>/`; until all are there, those of one backend know each other. The gRPC client keeps its feed in memory. */
function sameBackend(here: Place, there: Place): boolean {
  if (here.adapter === null || ![here.room, there.room].includes('storage')) return false;
  return here.adapter === there.adapter || (here.adapter === 'grpc' && there.adapter === 'memory');
}

function packageViolations(from: string, here: Place, name: string): string[] {
  if (PURE_ROOMS.includes(here.room) || PORTS.includes(from)) {
    const harmless = ['node:crypto', 'node:timers', 'node:timers/promises'].includes(name);
    return harmless ? [] : [`imports ${name}: domain code and ports need no package`];
  }
  const free = here.adapter !== null || WHOLE_ROOMS.includes(here.room) || here.room === 'stream';
  if (free || !SDKS.some((sdk) => sdk.test(name))) return [];
  return [`imports ${name}: what speaks to the outside belongs in an adapter`];
}

/** The command line and the server get running parts from the composition and know the rest by its types. */
function outerViolations(room: string, to: string, there: Place, typeOnly: boolean): string[] {
  const known =
    PURE_ROOMS.includes(there.room) ||
    COMPOSITION.test(to) ||
    PORTS.includes(to) ||
    KNOWN_OUTSIDE.includes(to);
  // What a person types is about the configuration, which has to be read before there is anything to compose.
  if (room !== 'server' && there.room === 'config') return [];
  if (known || (typeOnly && there.adapter === null)) return [];
  return [
    `imports ${to}: ${room} reaches the rest through src/app/app.ts${typeOnly ? ' or the types of a port' : ''}`,
  ];
}

interface Place {
  readonly room: string;
  readonly adapter: string | null;
}

function place(file: string): Place {
  const [, room = '', ...rest] = file.split('/');
  const inFolder = rest.length > 1 && !WHOLE_ROOMS.includes(room) && !PARTS.includes(`${room}/${rest[0]}`);
  return { room: room.endsWith('.ts') ? '' : room, adapter: inFolder ? (rest[0] ?? null) : null };
}
