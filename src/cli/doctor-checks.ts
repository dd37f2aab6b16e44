import { access, constants, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { formatSize } from '../config/size.ts';
import { EMBEDDER_ID } from '../judge/embedding-opinion.ts';
import type { JudgeSpend } from '../judge/judge.ts';
import type { UnusableRecord } from '../ledger/ledger.ts';
import { checkDiskSpace, DiskFullError } from '../telemetry/disk-space.ts';
import { DAY, formatDuration } from '../time/duration.ts';
import { formatName } from './format.ts';

/** Result of one check. */
export interface CheckResult {
  readonly what: string;
  readonly state: 'good' | 'doubtful' | 'bad';
  readonly detail: string;
  /** What to do about it, if anything. */
  readonly cure?: string;
}

const MIN_FREE_BYTES = 100 * 1024 ** 2;
const LOW_FREE_BYTES = 1024 ** 3;
const FREE_SPACE_ADVICE = 'free some space: the ledger and the exports need it';

export function checkNode(version: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const good = major > 22 || (major === 22 && minor >= 18);
  return {
    what: 'Node',
    state: good ? 'good' : 'bad',
    detail: version,
    ...(!good && { cure: 'use 22.18 or newer; npm start installs its own' }),
  };
}

/** Whether the data folder can be written or created. Writes and removes a probe file. */
export async function checkFolder(folder: string): Promise<CheckResult> {
  const what = 'Data folder';
  const cure = 'change its owner or its mode, or name another with `data:` or KAWARABAN_DATA';
  try {
    const existing = await nearestExisting(folder);
    if (existing !== folder) {
      await access(existing, constants.W_OK | constants.X_OK);
      return { what, state: 'good', detail: `${folder} will be created` };
    }
    await checkDiskSpace(folder);
    return { what, state: 'good', detail: `${folder} can be written` };
  } catch (error) {
    if (error instanceof DiskFullError)
      return { what, state: 'bad', detail: `the disk that holds ${folder} is full`, cure: FREE_SPACE_ADVICE };
    return { what, state: 'bad', detail: `${folder} cannot be written (${codeOf(error)})`, cure };
  }
}

export async function checkSpace(folder: string): Promise<CheckResult> {
  const { bavail, bsize } = await statfs(await nearestExisting(folder));
  const free = bavail * bsize;
  return {
    what: 'Disk space',
    state: free < MIN_FREE_BYTES ? 'bad' : free < LOW_FREE_BYTES ? 'doubtful' : 'good',
    detail: `${formatSize(free)} free`,
    ...(free < LOW_FREE_BYTES && { cure: FREE_SPACE_ADVICE }),
  };
}

/** The folder itself, or the nearest one above it that exists. */
async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      await access(path);
      return path;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    }
  }
}

export async function checkPort(what: string, host: string, port: number): Promise<CheckResult> {
  if (port === 0) return { what, state: 'good', detail: 'any free port' };
  const code = await new Promise<string | null>((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
  if (code === null) return { what, state: 'good', detail: `${host}:${port} is free` };
  if (code === 'EADDRINUSE')
    return {
      what,
      state: 'doubtful',
      detail: `${host}:${port} is in use`,
      cure: 'fine if that is your newsroom already running; otherwise stop the other program or set another port',
    };
  return {
    what,
    state: 'bad',
    detail: `${host}:${port} cannot be used (${code})`,
    cure: 'set another host or port',
  };
}

/** A renewal that fails is noticed this long before it hurts. */
const EXPIRY_WARNING_MS = 14 * DAY;

/** Whether a certificate is valid, and for how long still. */
export function checkCertificate(
  what: string,
  { from, until }: { readonly from: number; readonly until: number },
  now: number,
): CheckResult {
  const date = new Date(until).toISOString().slice(0, 10);
  const cure = 'renew it; a running newsroom takes the new files by itself';
  if (from > now)
    return {
      what,
      state: 'bad',
      detail: `not valid before ${new Date(from).toISOString()}`,
      cure: 'check the clock of this machine, or use another certificate',
    };
  if (until <= now) return { what, state: 'bad', detail: `expired on ${date}`, cure };
  if (until - now < EXPIRY_WARNING_MS)
    return { what, state: 'doubtful', detail: `expires on ${date}, in ${formatDuration(until - now)}`, cure };
  return { what, state: 'good', detail: `valid until ${date}` };
}

/** Whether the command of a processor can be started: a path is relative to its folder, a name is looked up in PATH. */
export async function checkCommand(
  pipeline: string,
  command: readonly string[],
  folder: string,
  path = process.env.PATH ?? '',
): Promise<CheckResult> {
  const what = `Command of ${pipeline}`;
  const [program = ''] = command;
  const named = program.includes('/');
  const places = named ? [''] : path.split(delimiter).filter((place) => place !== '');
  for (const place of places) {
    const file = resolve(folder, place, program);
    if (await isExecutable(file)) return { what, state: 'good', detail: `${file} can be run` };
  }
  return {
    what,
    state: 'bad',
    detail: named
      ? `${resolve(folder, program)} does not exist or is not executable`
      : `${program} is not in PATH`,
    cure: `install it or correct \`processor.command\` of the pipeline; every item of ${pipeline} fails until then`,
  };
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Clock skew: the median of the differences to the servers of the sources. */
export function checkClock(ahead: readonly (number | null)[]): CheckResult {
  const known = ahead.filter((ms) => ms !== null).toSorted((a, b) => a - b);
  const median = known[Math.floor(known.length / 2)];
  if (median === undefined) return { what: 'Clock', state: 'good', detail: 'no server to compare it with' };
  const seconds = Math.round(median / 1000);
  const skewed = Math.abs(seconds) > 120;
  return {
    what: 'Clock',
    state: skewed ? 'bad' : 'good',
    detail: Math.abs(seconds) < 5 ? 'right' : `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}`,
    ...(skewed && { cure: 'switch on time synchronisation (NTP): leases and schedules need it' }),
  };
}

/** Whether anything was recorded while the clock was ahead. */
export function checkRecordedTimes(
  future: readonly { readonly what: string; readonly at: number }[],
  now: number,
): CheckResult {
  const what = 'Recorded times';
  if (future.length === 0) return { what, state: 'good', detail: 'none is in the future' };
  const named = future.map((one) => `${one.what} ${formatDuration(one.at - now)} ahead`).join(', ');
  return {
    what,
    state: 'bad',
    detail: `recorded in the future: ${named}. The clock was ahead`,
    cure: 'check that the clock is right now and switch on time synchronisation (NTP); such times are ignored, and the next run, poll or attempt replaces them',
  };
}

/** Records written by another program that the ledger of a pipeline cannot use. */
export function checkRecords(pipeline: string, unusable: readonly UnusableRecord[]): CheckResult[] {
  return unusable.map(({ name, problem }) => ({
    what: `Ledger of ${pipeline}`,
    state: 'bad',
    detail: `${name} cannot be used: ${problem}. It is skipped`,
    cure: 'correct its values or delete it, with sqlite3 or the program that wrote it; it is then processed at once',
  }));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** What an operator has to change, by kind of failure; other failures are temporary. */
const JUDGE_ADVICE: Readonly<Record<string, string>> = {
  refused_key: 'set another `key`',
  wrong_model: 'name a `model` that the server has',
  misconfigured:
    'change what the server refuses: `base_url`, `model`, `max_output_tokens`, `temperature` or `reasoning`',
  no_credit: 'add credit to the account, or choose another judge',
  output_limit: 'raise `max_output_tokens`, or lower `reasoning`',
};

/** What decides whether two articles are about the same story (Q16). */
export function describeEmbedder({ embedder, identity }: Pick<Config, 'embedder' | 'identity'>): string {
  if (!identity.sameStory.enabled) return 'off; every article is a story of its own';
  if (embedder === undefined)
    return 'by rules; no embedding model is configured, so they also decide what is in doubt';
  return `by rules; what is in doubt by the embedding model ${embedder.model} (${embedder.kind})`;
}

/** The last recorded failure of a remote judge; it is not called here, since a call costs money. */
export function checkJudge({ judge, trouble: failure }: Pick<JudgeSpend, 'judge' | 'trouble'>): CheckResult {
  const what = judge === EMBEDDER_ID ? 'Embedding model' : `Judge ${judge}`;
  if (failure === null) return { what, state: 'good', detail: 'no recorded failure' };
  const cure = JUDGE_ADVICE[failure.why];
  const detail = `${formatName(failure.why)}: ${failure.detail}`;
  const isEmbedder = judge === EMBEDDER_ID;
  const test = isEmbedder ? 'the rules decide until it answers' : 'test it with kawaraban judge try';
  return cure === undefined
    ? { what, state: 'doubtful', detail, cure: test }
    : { what, state: 'bad', detail, cure: isEmbedder ? `${cure}; ${test}` : `${cure}; then ${test}` };
}
