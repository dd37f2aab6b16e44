import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, inject } from 'vitest';
import { freePort } from '../scripts/free-port.ts';
import { emulatorFolder } from './requirements.ts';

/** One of Google's emulators. */
export interface Emulator extends AsyncDisposable {
  /** Host and port, as the client libraries take it. */
  readonly host: string;
}

export type EmulatorKind = 'firestore' | 'pubsub';

// The SDKs query the machine's Google identity, which no emulator needs and most machines do not have.
process.env.METADATA_SERVER_DETECTION ??= 'none';

/** Generous: Java starts slowly on a busy machine. */
const READY_TIMEOUT_MS = 110_000;
const STOP_TIMEOUT_MS = 5_000;
/** An emulator lives for minutes: what Java's second compiler and its concurrent collector cost is not earned back. */
const JAVA_TOOL_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';
/** Runs its arguments, and kills the process group at the end of descriptor 3. */
const IN_GROUP = '{ cat > /dev/null; kill -KILL 0; } <&3 & exec "$@" 3<&-';

/** Projects isolate tests: each test has its own, so nothing has to be cleaned up in between. */
export function freshProject(): string {
  return `demo-${process.pid}-${++projects}`;
}
let projects = 0;

/** An emulator for the suites of a test file: one process for the whole run, started by the first file that needs it. */
export function emulatorForThisFile(kind: EmulatorKind): { readonly host: string } {
  let host: string | null = null;
  beforeAll(async () => {
    const response = await fetch(`${inject('emulators')}/${kind}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    host = text;
  }, READY_TIMEOUT_MS + 10_000);
  return {
    get host() {
      if (host === null) throw new Error('The emulator runs only while tests do.');
      return host;
    },
  };
}

export async function startEmulator(kind: EmulatorKind): Promise<Emulator> {
  const folder = emulatorFolder();
  if (folder === null) throw new Error("Google's emulators are not installed.");
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const { program, args } = commandOf(kind, folder, port);
  // A group of its own: the start script forks, and only the group ends all of it. It ends with this
  // process, however that ends: the pipe is closed then.
  const child = spawn('sh', ['-c', IN_GROUP, 'sh', program, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, JAVA_TOOL_OPTIONS },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output.push(chunk.toString());
      if (output.length > 50) output.shift();
    });
  const stop = (): Promise<void> => stopGroup(child);
  process.once('exit', () => kill(child, 'SIGKILL'));
  try {
    await answering(`http://${host}/`, child);
  } catch (error) {
    await stop();
    throw new Error(`The ${kind} emulator did not start. Its output: ${output.join('').slice(-2000)}`, {
      cause: error,
    });
  }
  return { host, [Symbol.asyncDispose]: stop };
}

function commandOf(kind: EmulatorKind, folder: string, port: number): { program: string; args: string[] } {
  if (kind === 'pubsub')
    return {
      program: join(folder, 'pubsub-emulator/bin/cloud-pubsub-emulator'),
      args: ['--host=127.0.0.1', `--port=${port}`],
    };
  return {
    program: 'java',
    args: [
      '-Duser.language=en',
      '-Xmx1g',
      '-cp',
      join(folder, 'cloud-firestore-emulator/cloud-firestore-emulator.jar'),
      'com.google.cloud.datastore.emulator.firestore.CloudFirestore',
      'start',
      '--host=127.0.0.1',
      `--port=${port}`,
    ],
  };
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('It ended at once.');
    try {
      await (await fetch(url, { signal: AbortSignal.timeout(2_000) })).arrayBuffer();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return kill(child, 'SIGKILL');
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  kill(child, 'SIGTERM');
  const timer = setTimeout(() => kill(child, 'SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
  // The script may exit before its child processes.
  kill(child, 'SIGKILL');
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has already ended.
  }
}
