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
  /** Of a person, who reads the own home with it. */
  readonly token: string;
}

const DROPS = 1000;
const SECRET = 'a secret of quite enough characters for this';
const SERVICE = 'a-service-proves-itself-to-the-bench-by-this-token';

/** As everybody starts it: SQLite, timelines in memory, and its own user and post services. */
export async function startEmbedded(folder: string): Promise<Measured> {
  const { program, address } = await start('embedded', folder, [], 'timelines: {}');
  const channel = createChannel(address);
  const as = { '*': { metadata: Metadata({ authorization: `Bearer ${SERVICE}` }) } };
  const users = createClient(UserServiceDefinition, channel, as);
  const posts = createClient(PostServiceDefinition, channel, as);
  const add = async (name: string): Promise<string> =>
    (await users.createUser({ name, kind: UserKind.USER_KIND_PERSON })).user?.id ?? '';
  const [reader, author] = [await add('reader'), await add('author')];
  await users.follow({ followerId: reader, followedId: author });
  for (let n = 0; n < DROPS; n++)
    await posts.createDrop({ userId: author, visibility: Visibility.VISIBILITY_PUBLIC, text: `${n}` });
  channel.close();
  return measured(program, address, await tokenOf(reader));
}

/** The role `timeline` with Redis and remote user and post services. */
export async function startWithRedis(folder: string, redisPort: number): Promise<Measured> {
  const services = await startMinimalServices();
  services.following.set('author', []).set('reader', ['author']);
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
  const { pid, token, ...program_ } = await measured(program, address, await tokenOf('reader'));
  return {
    address,
    pid,
    token,
    async [Symbol.asyncDispose]() {
      await program_[Symbol.asyncDispose]();
      await services[Symbol.asyncDispose]();
    },
  };
}

/** The page that everybody has to answer, as bytes. */
export async function pageOf({ address, token }: Measured): Promise<Uint8Array> {
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
  const [, address = ''] = await program.says(/"grpc": ?"([^"]+)"/);
  return { program, address };
}

async function measured(program: Program, address: string, token: string): Promise<Measured> {
  return {
    address,
    pid: program.child.pid ?? 0,
    token,
    [Symbol.asyncDispose]: () => program.kill(),
  };
}

function tokenOf(subject: string): Promise<string> {
  return new SignJWT({ scope: 'read' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('bench')
    .setAudience('readers')
    .setSubject(subject)
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(SECRET));
}
