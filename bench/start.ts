import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from '../scripts/build.ts';
import { stage } from '../scripts/package/program.ts';
import { countDrops } from '../scripts/started-newsroom.ts';
import { type BenchOptions, type Result, result } from './bench.ts';
import { median, rounds } from './rounds.ts';

export const about =
  'commands, the first page and idle memory: the published package beside the sources of 0.2.0';

const ROOT = join(import.meta.dirname, '..');
/** The commit of release 0.2.0; a clone has no tags. */
const BEFORE = '0fe4ba8d';

/** A way of running the program. */
interface Contestant {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
  const tree = join(folder, 'sources');
  try {
    await build();
    const installed = join(folder, 'installed');
    stage(installed);
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', tree, BEFORE], { cwd: ROOT });
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    // As `npm start` of a clone runs it; the package sets its compile cache by itself, and malloc cannot be set from inside.
    const before: Contestant = {
      args: [join(tree, 'src', 'cli', 'main.ts')],
      env: {
        NODE_COMPILE_CACHE: join(folder, 'cache'),
        MALLOC_ARENA_MAX: '1',
        MALLOC_TRIM_THRESHOLD_: '65536',
      },
    };
    const ours: Contestant = { args: [join(installed, 'bin', 'kawaraban.mjs')], env: { HOME: folder } };
    // `npx kawaraban` of a clone, which has no cache.
    const command: Contestant = { args: [join(tree, 'bin', 'kawaraban.mjs')], env: {} };

    let started = 0;
    const firstPage = async (contestant: Contestant, name: string): Promise<number> => {
      await using newsroom = await Newsroom.start(contestant, join(folder, `data-${started++}`));
      const ms = await newsroom.firstPage();
      log(`${name}: the first page with items after ${ms.toFixed(0)} ms`);
      return ms;
    };
    const pages = await rounds(
      quick ? 1 : 9,
      { ours: () => firstPage(ours, 'package'), before: () => firstPage(before, '0.2.0') },
      quick ? 6000 : undefined,
    );
    const data = { ours: join(folder, 'data-0'), before: join(folder, 'data-1') };
    const statuses = await rounds(
      quick ? 2 : 15,
      { ours: () => status(ours, data.ours), before: () => status(command, data.before) },
      quick ? 8000 : undefined,
    );
    const seconds = quick ? 5 : 45;
    const memory = {
      ours: await idleMemory(ours, join(folder, 'idle-ours'), seconds, log),
      before: await idleMemory(before, join(folder, 'idle-before'), seconds, log),
    };
    const peer = (value: number) => ({ name: 'the sources of 0.2.0', value: Math.round(value) });
    return [
      result({
        name: 'kawaraban status',
        ours: Math.round(statuses.ours),
        unit: 'ms',
        peer: peer(statuses.before),
        goal: 'at most 0.4 of before',
        met: statuses.ours <= 0.4 * statuses.before,
      }),
      result({
        name: 'start to the first page with items',
        ours: Math.round(pages.ours),
        unit: 'ms',
        peer: peer(pages.before),
        goal: 'at most 0.6 of before',
        met: pages.ours <= 0.6 * pages.before,
      }),
      result({
        name: 'resident memory when idle',
        ours: Math.round(memory.ours / 1e6),
        unit: 'MB',
        peer: peer(memory.before / 1e6),
        limit: { name: 'most allowed', value: 110 },
        goal: 'at most 110 MB',
        met: memory.ours <= 110e6,
      }),
    ];
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', tree], { cwd: ROOT, stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  }
}

function spawnProgram({ args, env }: Contestant, command: readonly string[], folder: string): ChildProcess {
  return spawn(process.execPath, [...args, ...command], {
    cwd: folder,
    env: { PATH: process.env.PATH, KAWARABAN_PORT: '0', KAWARABAN_SIMULATOR_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

async function status(contestant: Contestant, folder: string): Promise<number> {
  const began = performance.now();
  const child = spawnProgram(contestant, ['status'], folder);
  child.stdout?.resume();
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`status ended with ${code}`);
  return performance.now() - began;
}

/** Once the start is over, its threads have ended and the garbage collector has run. In bytes. */
async function idleMemory(
  contestant: Contestant,
  folder: string,
  seconds: number,
  log: (line: string) => void,
): Promise<number> {
  await using newsroom = await Newsroom.start(contestant, folder);
  await newsroom.firstPage();
  log(`idle for ${seconds} s …`);
  const seen: number[] = [];
  for (let second = 0; second < seconds; second++) {
    await setTimeout(1000);
    seen.push(newsroom.memory());
  }
  log(`memory by second, in MB: ${seen.map((bytes) => Math.round(bytes / 1e6)).join(' ')}`);
  return median(seen.slice(-3));
}

/** The sample newsroom in an empty folder. */
class Newsroom implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #began = performance.now();
  #output = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
  }

  static async start(contestant: Contestant, folder: string): Promise<Newsroom> {
    mkdirSync(folder, { recursive: true });
    return new Newsroom(spawnProgram(contestant, ['start', '--json'], folder));
  }

  /** Milliseconds until the local timeline shows something. */
  async firstPage(): Promise<number> {
    for (;;) {
      const url = /"url":"(http[^"]+)"/.exec(this.#output)?.[1];
      if (url !== undefined && (await countDrops(url).catch(() => 0)) > 0)
        return performance.now() - this.#began;
      if (this.#child.exitCode !== null) throw new Error(`it ended by itself: ${this.#output}`);
      await setTimeout(10);
    }
  }

  memory(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
