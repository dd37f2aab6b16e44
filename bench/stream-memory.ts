import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { type App, openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { type BenchOptions, type Result, result } from './bench.ts';
import { median } from './rounds.ts';
import { startBenchRedis } from './timeline/redis-server.ts';

export const about =
  'memory of open home streams: first wave, 20 s later, over waves, beside a bare node:http server';

const KB = 1024;
/** With fewer, one-time costs of the first requests would count more than the streams. */
const STREAMS = 2000;
const LIMIT_KB = 20;
const CONCURRENCY = 50;
/** After a start or a wave, until the figures are stable. */
const SETTLE_MS = 3000;
const LATER_MS = 17_000;
const PROGRAM = join(import.meta.dirname, '..', 'bin', 'kawaraban.mjs');
const BARE = join(import.meta.dirname, 'timeline', 'bare-streams.ts');
const env = {
  TOKEN_SECRET: 'a secret of quite enough characters for this',
  SERVICE_TOKEN: 'the-copies-prove-themselves-to-the-services-by-this',
};

interface Measured {
  /** Resident memory that a stream of the first wave added, in bytes. */
  readonly first: number;
  readonly later: number;
  /** Resident memory of the process with all streams of a wave open, in bytes. */
  readonly waves: readonly number[];
}

/** The real program in a process of its own, on Redis and with remote user and post services, which run in this one. */
export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const [waves, runs] = quick ? [1, 1] : [5, 3];
  const folder = mkdtempSync(join(tmpdir(), 'bench-stream-memory-'));
  const redis = await startBenchRedis();
  const configuration = (name: string, grpc: string, services = ''): string => `
data: ${join(folder, name)}
server:
  port: 0
  rate_limit: { per_address: 0, per_person: 0 }
  sign_in: { secret: { env: TOKEN_SECRET }, issuer: house, audience: readers }
  grpc: ${grpc}
telemetry: { log_level: error }
timelines:
  redis: { nodes: ['127.0.0.1:${redis.port}'] }
${services}`;
  const grpc = '{ enabled: true, port: 0, service_token: { env: SERVICE_TOKEN } }';
  const loaded = parseConfig(configuration('services', grpc), join(folder, 'services.yaml'), env);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0.0.0' });
  const serving = await app.serve();
  try {
    const services = ['user', 'post'].map((of) => `  ${of}_service: '${serving.grpc}'\n`).join('');
    const file = join(folder, 'kawaraban.yaml');
    const remote = `${services}  service_token: { env: SERVICE_TOKEN }\n`;
    writeFileSync(file, configuration('replica', '{ enabled: false }', remote));
    log(`${STREAMS} readers`);
    const tokens = await addReaders(app);
    const measure = (args: readonly string[], path: string): Promise<Measured> =>
      measureStreams({ args, path, folder, tokens, waves });
    const ours: Measured[] = [];
    const bare: Measured[] = [];
    for (let n = 0; n < runs; n++) {
      ours.push(await measure([PROGRAM, 'start', '--json', '--config', file], '/events/timeline/home'));
      bare.push(await measure([BARE], '/'));
      log(JSON.stringify({ ours: ours.at(-1), bare: bare.at(-1) }));
    }
    return resultsOf(ours, bare);
  } finally {
    await serving[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

function resultsOf(ours: readonly Measured[], bare: readonly Measured[]): readonly Result[] {
  const each = (when: string, figure: (measured: Measured) => number): Result => {
    const kilobytes = (of: readonly Measured[]): number => Number((median(of.map(figure)) / KB).toFixed(1));
    const value = kilobytes(ours);
    return result({
      name: `memory of one of ${STREAMS} home streams, ${when}`,
      ours: value,
      unit: 'KB',
      peer: { name: 'a bare node:http server', value: kilobytes(bare) },
      limit: { name: 'most allowed', value: LIMIT_KB },
      goal: `at most ${LIMIT_KB} KB`,
      met: value <= LIMIT_KB,
    });
  };
  const afterWave = (at: number): number =>
    Number((median(ours.map(({ waves }) => waves.at(at) ?? Number.NaN)) / 1e6).toFixed(1));
  const first = each('first wave', (measured) => measured.first);
  if (ours[0]?.waves.length === 1) return [first];
  return [
    first,
    each(`${(SETTLE_MS + LATER_MS) / 1000} s later`, ({ later }) => later),
    result({
      name: `memory of the process in wave ${ours[0]?.waves.length} of ${STREAMS} streams`,
      ours: afterWave(-1),
      unit: 'MB',
      limit: { name: 'in the first wave', value: afterWave(0) },
      goal: 'at most 1.1×',
      met: afterWave(-1) <= 1.1 * afterWave(0),
    }),
  ];
}

async function addReaders(app: App): Promise<readonly string[]> {
  const secret = new TextEncoder().encode(env.TOKEN_SECRET);
  const tokens: string[] = [];
  for (let n = 0; n < STREAMS; n++) {
    const { id } = await app.social.addUser({ name: `reader${n}`, displayName: 'Reader', kind: 'person' });
    const token = new SignJWT({ scope: 'read write' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('house')
      .setAudience('readers')
      .setSubject(id)
      .setExpirationTime('12h');
    tokens.push(await token.sign(secret));
  }
  return tokens;
}

interface Measurement {
  /** Of Node, for a server that prints its `url` as JSON. */
  readonly args: readonly string[];
  readonly path: string;
  readonly folder: string;
  /** One for each stream. */
  readonly tokens: readonly string[];
  /** With one alone, only that is measured. */
  readonly waves: number;
}

async function measureStreams(options: Measurement): Promise<Measured> {
  const { args, path, folder, tokens } = options;
  const server = spawn(process.execPath, [...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await urlOf(server);
    await setTimeout(SETTLE_MS);
    const before = residentOf(server);
    const waves: number[] = [];
    let later = Number.NaN;
    for (let wave = 0; wave < options.waves; wave++) {
      const open = await openStreams(`${url}${path}`, tokens);
      await setTimeout(SETTLE_MS);
      waves.push(residentOf(server));
      if (options.waves === 1) break;
      if (wave === 0) {
        await setTimeout(LATER_MS);
        later = residentOf(server);
      }
      for (const stream of open) stream.destroy();
      await setTimeout(SETTLE_MS);
    }
    const each = (bytes: number): number => (bytes - before) / tokens.length;
    return { first: each(waves[0] ?? Number.NaN), later: each(later), waves };
  } finally {
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  }
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk;
    const url = /"url": ?"([^"]+)"/.exec(text)?.[1];
    if (url === undefined) continue;
    stdout?.resume();
    return url;
  }
  throw new Error(`The server did not start: ${text}`);
}

async function openStreams(url: string, tokens: readonly string[]): Promise<readonly IncomingMessage[]> {
  const open: IncomingMessage[] = [];
  for (let n = 0; n < tokens.length; n += CONCURRENCY)
    open.push(
      ...(await Promise.all(tokens.slice(n, n + CONCURRENCY).map((token) => openStream(url, token)))),
    );
  return open;
}

function openStream(url: string, token: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (message) => {
      message.on('error', () => {}).resume();
      if (message.statusCode === 200) resolve(message);
      else reject(new Error(`A stream was refused with ${message.statusCode}`));
    }).on('error', reject);
  });
}

function residentOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * KB;
}
