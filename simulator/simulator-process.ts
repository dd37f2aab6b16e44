import { fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostName } from './net/host.ts';
import type { SimulatorOptions } from './simulator.ts';

/** Options of a simulator in a process of its own. */
export type BesideOptions = Pick<
  SimulatorOptions,
  'port' | 'seed' | 'grow' | 'keepIn' | 'latencyMs' | 'discord' | 'mastodon'
>;

/** The simulator seen from another process. */
export interface SimulatorBeside extends AsyncDisposable {
  readonly urls: Readonly<Record<HostName, string>>;
  readonly discordWebhook: string;
  readonly mastodonToken: string;
}

export type BesideReply =
  | ({ readonly started: true } & Omit<SimulatorBeside, typeof Symbol.asyncDispose>)
  | { readonly started: false; readonly code: string | null; readonly message: string };

/** The simulator failed to start; `code` is the system's, such as `EADDRINUSE`. */
export class SimulatorStartError extends Error {
  override readonly name = 'SimulatorStartError';
  readonly code: string | null;
  constructor(message: string, code: string | null) {
    super(message);
    this.code = code;
  }
}

/** Runs the simulator in a process of its own, so that the newsroom has its CPU and memory to itself. */
export async function startSimulatorBeside(options: BesideOptions): Promise<SimulatorBeside> {
  const cache = getCompileCacheDir();
  const child = fork(
    fileURLToPath(new URL('./simulator-process-entry.ts', import.meta.url)),
    [JSON.stringify(options)],
    {
      execArgv: [],
      env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const reply = await new Promise<BesideReply>((resolve) => {
    child.once('message', (message) => resolve(message as BesideReply));
    child.once('exit', () => resolve({ started: false, code: null, message: 'the simulator ended at once' }));
  });
  if (!reply.started) {
    await ended;
    throw new SimulatorStartError(reply.message, reply.code);
  }
  const { urls, discordWebhook, mastodonToken } = reply;
  return {
    urls,
    discordWebhook,
    mastodonToken,
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
