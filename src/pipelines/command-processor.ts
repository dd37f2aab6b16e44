import { type ChildProcess, spawn } from 'node:child_process';
import type { Item } from '../item/item.ts';
import type { Clock } from '../time/clock.ts';
import { formatDuration, SECOND } from '../time/duration.ts';
import type { Processed, Processor } from './processor.ts';

/** Exit code by which a command requests a retry (EX_TEMPFAIL of sysexits). */
const EXIT_TRY_LATER = 75;
const DEFAULT_KILL_AFTER_MS = 10 * SECOND;

export interface CommandOptions {
  /** Program and arguments, run without a shell. */
  readonly command: readonly string[];
  readonly folder: string;
  readonly timeoutMs: number;
  /** How much of its output is kept, in bytes. */
  readonly keepOutput: number;
  /** From TERM to KILL. */
  readonly killAfterMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/**
 * Runs a user's command (D11). It gets the video as JSON on standard input and its main fields in the environment.
 * Exit code 0: done. 75: retry later. Anything else: failed. On timeout, and when the program stops, the whole
 * process group gets TERM and then KILL, so that no child process is left behind.
 */
export function commandProcessor(options: CommandOptions): Processor {
  return { process: (item, signal) => runCommand(options, item, signal) };
}

async function runCommand(options: CommandOptions, item: Item, signal: AbortSignal): Promise<Processed> {
  if (signal.aborted) return { outcome: 'stopped' };
  const [program = '', ...args] = options.command;
  const output = new TruncatedOutput(options.keepOutput);
  const ended = Promise.withResolvers<ProcessExit>();
  const child = spawn(program, args, {
    cwd: options.folder,
    env: { ...(options.env ?? process.env), ...environmentOf(item) },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  child.once('error', (error) => ended.resolve({ code: null, signal: null, error }));
  child.once('close', (code, killedBy) => ended.resolve({ code, signal: killedBy, error: null }));
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.add(chunk));
  // A command may close the pipe without reading its input; the EPIPE is ignored.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(inputOf(item)));

  const stopping = superviseProcess(child, options, signal, ended.promise);
  const ending = await ended.promise;
  const why = await stopping;
  if (why === 'stopped') return { outcome: 'stopped' };
  return resultOf(ending, why, options, output.toString());
}

interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error: Error | null;
}

/** Kills the process group on timeout or when the program stops; returns which of them ended it. */
async function superviseProcess(
  child: ChildProcess,
  { clock, timeoutMs, killAfterMs = DEFAULT_KILL_AFTER_MS }: CommandOptions,
  signal: AbortSignal,
  ended: Promise<ProcessExit>,
): Promise<'ended' | 'timeout' | 'stopped'> {
  const over = new AbortController();
  const done = ended.then(() => over.abort(new Error('ended')));
  const wait = async (ms: number, until: AbortSignal): Promise<boolean> => {
    try {
      await clock.sleep(ms, until);
      return true;
    } catch {
      return false;
    }
  };
  const timedOut = await wait(timeoutMs, AbortSignal.any([over.signal, signal]));
  if (over.signal.aborted) return 'ended';
  killGroup(child, 'SIGTERM');
  if (await wait(killAfterMs, over.signal)) killGroup(child, 'SIGKILL');
  await done;
  // Kills children that outlived the command.
  killGroup(child, 'SIGKILL');
  return timedOut ? 'timeout' : 'stopped';
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has exited already.
  }
}

function resultOf(
  ending: ProcessExit,
  why: 'ended' | 'timeout',
  options: CommandOptions,
  output: string,
): Processed {
  if (ending.error !== null) {
    const missing = 'code' in ending.error && ending.error.code === 'ENOENT';
    const detail = missing
      ? `the command ${options.command[0]} or its folder does not exist`
      : `the command could not be started: ${ending.error.message}`;
    return { outcome: 'failed', detail, output };
  }
  if (why === 'timeout') {
    return {
      outcome: 'failed',
      detail: `it took longer than ${formatDuration(options.timeoutMs)} and was ended`,
      output,
    };
  }
  if (ending.code === 0) return { outcome: 'done', output, summary: null };
  if (ending.code === EXIT_TRY_LATER)
    return { outcome: 'later', detail: `exit code ${EXIT_TRY_LATER}: try later`, output };
  const how = ending.code === null ? `ended by ${ending.signal}` : `exit code ${ending.code}`;
  return { outcome: 'failed', detail: `${how}${lastLine(output)}`, output };
}

function lastLine(output: string): string {
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line.slice(0, 300)}`;
}

/** The video with the field names of the contract. */
function inputOf(item: Item): Record<string, unknown> {
  return {
    ...item.video,
    videoId: item.video?.videoId ?? item.foreignId ?? item.key,
    title: item.title,
    url: item.url,
    publishedAt: new Date(item.publishedAt).toISOString(),
    attempts: item.attempts,
  };
}

function environmentOf(item: Item): Record<string, string> {
  return {
    KAWARABAN_VIDEO_ID: item.video?.videoId ?? item.foreignId ?? '',
    KAWARABAN_VIDEO_URL: item.url,
    KAWARABAN_VIDEO_TITLE: item.title.replaceAll('\0', ''),
    KAWARABAN_CHANNEL_ID: item.video?.channelId ?? '',
    KAWARABAN_CHANNEL_TITLE: (item.video?.channelTitle ?? '').replaceAll('\0', ''),
  };
}

/** Keeps the beginning and the end of a command's output, in bounded memory. */
export class TruncatedOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #dropped = 0;

  constructor(maxBytes: number) {
    this.#half = Math.max(1, Math.floor(maxBytes / 2));
  }

  add(chunk: Buffer): void {
    const free = this.#half - this.#headSize;
    if (free > 0) {
      this.#head.push(Buffer.from(chunk.subarray(0, free)));
      this.#headSize += Math.min(free, chunk.length);
      chunk = chunk.subarray(free);
    }
    if (chunk.length === 0) return;
    this.#tail.push(chunk);
    this.#tailSize += chunk.length;
    for (
      let first = this.#tail[0];
      first && this.#tailSize - first.length >= this.#half;
      first = this.#tail[0]
    ) {
      this.#tail.shift();
      this.#tailSize -= first.length;
      this.#dropped += first.length;
    }
  }

  /** The output as text, with a line that counts the bytes left out. */
  toString(): string {
    let tail = Buffer.concat(this.#tail);
    let dropped = this.#dropped;
    if (tail.length > this.#half) {
      dropped += tail.length - this.#half;
      tail = tail.subarray(tail.length - this.#half);
    }
    const head = Buffer.concat(this.#head);
    if (dropped === 0) return Buffer.concat([head, tail]).toString('utf8');
    return `${head.toString('utf8')}\n… ${dropped} bytes left out …\n${tail.toString('utf8')}`;
  }
}
