import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { createChannel, createClient, Metadata } from 'nice-grpc';
import { PostServiceDefinition, Visibility } from '../../proto/gen/avion/post.ts';
import { GetTimelineResponse, TimelineServiceDefinition } from '../../proto/gen/avion/timeline.ts';
import { UserKind, UserServiceDefinition } from '../../proto/gen/avion/user.ts';
import { startMinimalServices } from '../../test/minimal-services.ts';
import { Program } from '../../test/program.ts';

export interface Measured extends AsyncDisposable {
  readonly address: string;
  readonly pid: number;
  /** Of people who each read their own home. */
  readonly tokens: readonly string[];
}

const DROPS = 1000;
const READERS = 50;
const SECRET = 'a secret of quite enough characters for this';
const SERVICE = 'a-service-proves-itself-to-the-bench-by-this-token';

/** The default setup: SQLite, timelines in memory, and its own user and post services. */
export async function startEmbedded(folder: string): Promise<Measured> {
  const { program, address } = await start('embedded', folder, [], 'timelines: {}');
  const channel = createChannel(address);
  const as = { '*': { metadata: Metadata({ authorization: `Bearer ${SERVICE}` }) } };
  const users = createClient(UserServiceDefinition, channel, as);
  const posts = createClient(PostServiceDefinition, channel, as);
  const add = async (name: string): Promise<string> =>
    (await users.createUser({ name, kind: UserKind.USER_KIND_PERSON })).user?.id ?? '';
  const author = await add('author');
  const readers: string[] = [];
  for (let n = 0; n < READERS; n++) {
    const reader = await add(`reader-${n}`);
    await users.follow({ followerId: reader, followedId: author });
    readers.push(reader);
  }
  for (let n = 0; n < DROPS; n++)
    await posts.createDrop({ userId: author, visibility: Visibility.VISIBILITY_PUBLIC, text: `${n}` });
  channel.close();
  return measured(program, address, await tokensOf(readers));
}

/** The role `timeline` with Redis and remote user and post services. */
export async function startWithRedis(folder: string, redisPort: number): Promise<Measured> {
  const services = await startMinimalServices();
  const readers = Array.from({ length: READERS }, (_, n) => `reader-${n}`);
  services.following.set('author', []);
  for (const reader of readers) services.following.set(reader, ['author']);
  const from = Date.now() - DROPS;
  for (let n = 0; n < DROPS; n++)
    services.drops.push({ id: crypto.randomUUID(), userId: 'author', createdAt: from + n });
  const { program, address } = await start(
    'redis',
    folder,
    ['--role', 'timeline'],
    `engine: { kind: distributed, project: there-is-none, redis: { nodes: ['127.0.0.1:${redisPort}'] } }
timelines: { user_service: '${services.address}', post_service: '${services.address}' }`,
  );
  const started = measured(program, address, await tokensOf(readers));
  return {
    ...started,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await services[Symbol.asyncDispose]();
    },
  };
}

/** The page that every contestant has to answer, as bytes. */
export async function pageOf({
  address,
  tokens: [token],
}: Pick<Measured, 'address' | 'tokens'>): Promise<Uint8Array> {
  const channel = createChannel(address);
  const metadata = Metadata({ authorization: `Bearer ${token}` });
  const page = await createClient(TimelineServiceDefinition, channel).getHomeTimeline(
    { limit: 50 },
    { metadata },
  );
  channel.close();
  return GetTimelineResponse.encode(page).finish();
}

async function start(
  name: string,
  folder: string,
  args: readonly string[],
  more: string,
): Promise<{ readonly program: Program; readonly address: string }> {
  const yaml = `
data: ./${name}
server:
  port: 0
  sign_in: { secret: { env: TOKEN_SECRET }, issuer: bench, audience: readers }
  grpc: { enabled: true, port: 0, service_token: { env: SERVICE_TOKEN } }
${more}
`;
  writeFileSync(join(folder, `${name}.yaml`), yaml);
  const env = {
    TOKEN_SECRET: SECRET,
    SERVICE_TOKEN: SERVICE,
    HOME: folder,
    METADATA_SERVER_DETECTION: 'none',
  };
  const program = new Program(['start', ...args, '--json', '--config', `${name}.yaml`], env, folder);
  const [, address = ''] = await program.waitForOutput(/"grpc": ?"([^"]+)"/);
  return { program, address };
}

function measured(program: Program, address: string, tokens: readonly string[]): Measured {
  return {
    address,
    pid: program.child.pid ?? 0,
    tokens,
    [Symbol.asyncDispose]: () => program.kill(),
  };
}

function tokensOf(subjects: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    subjects.map((subject) =>
      new SignJWT({ scope: 'read' })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer('bench')
        .setAudience('readers')
        .setSubject(subject)
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(SECRET)),
    ),
  );
}
