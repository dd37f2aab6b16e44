import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import type { Clock } from '../../src/time/clock.ts';
import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { withCrashPoints } from './crash-injection.ts';
import { Points } from './crash-points.ts';
import { type Findings, findingsOf } from './findings.ts';
import {
  type NewsroomOptions,
  newsroomConfig,
  newsroomText,
  publishNews,
  quickReader,
  secretsOf,
} from './newsroom-config.ts';
import type { NewsroomTask } from './newsroom-entry.ts';
import { LONG_IDLE_MS, runUntilIdle } from './run-until-idle.ts';
import { ClockOffsetFile, skewedClock } from './skewed-clock.ts';

const NEWSROOM = join(import.meta.dirname, 'newsroom-entry.ts');
const ARTICLES = 3;
/** Longer than every lease, then longer than every backoff. */
export const RECOVERY: readonly number[] = [11 * MINUTE, 3 * HOUR, 3 * HOUR, 13 * HOUR, 25 * HOUR];

export type ProcessRunOptions = Omit<NewsroomOptions, 'feed'>;

/** A simulated internet, a data folder, and newsrooms in processes of their own that share one clock. */
export class ProcessRunner implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly folder: string;
  readonly time: ClockOffsetFile;
  readonly #options: NewsroomOptions;
  readonly #text: string;
  readonly #children = new Set<ChildProcess>();
  #started = 0;

  private constructor(simulator: Simulator, folder: string, time: ClockOffsetFile, options: NewsroomOptions) {
    this.simulator = simulator;
    this.folder = folder;
    this.time = time;
    this.#options = options;
    this.#text = newsroomText(options, simulator);
  }

  static async open(
    setup: ProcessRunOptions | ((folder: string) => ProcessRunOptions),
  ): Promise<ProcessRunner> {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-crash-'));
    const time = ClockOffsetFile.create(join(folder, 'moved'));
    const simulator = await startSimulator({
      clock: skewedClock(time.by),
      discord: { limits: false },
      mastodon: { limits: false },
      youtube: { videoMs: HOUR },
    });
    const feed = publishNews(simulator, 'news', ARTICLES).url;
    const options = typeof setup === 'function' ? setup(folder) : setup;
    return new ProcessRunner(simulator, folder, time, { ...options, feed });
  }

  /** Starts a newsroom; its end is reported by the exit code, or by the signal that ended it. */
  start(task: Pick<NewsroomTask, 'rounds' | 'end' | 'quick'>): Started {
    const pointsFile = join(this.folder, `points-${++this.#started}.json`);
    const whole: NewsroomTask = {
      ...task,
      folder: this.folder,
      text: this.#text,
      env: secretsOf(this.simulator),
      offsetFile: join(this.folder, 'moved'),
      pointsFile,
    };
    const child = spawn(process.execPath, [NEWSROOM, JSON.stringify(whole)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#children.add(child);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const ended = new Promise<ProcessExit>((resolve) => {
      child.once('close', (code, signal) => {
        this.#children.delete(child);
        resolve({ code, signal, stderr });
      });
    });
    const points = (): string[] | null =>
      existsSync(pointsFile) ? (JSON.parse(readFileSync(pointsFile, 'utf8')) as string[]) : null;
    return { child, ended, points };
  }

  /** Makes an empty file in the folder. */
  write(name: string): void {
    writeFileSync(join(this.folder, name), '');
  }

  /**
   * Kills a newsroom in a process of its own at a point, opens what it left behind twice, lets it recover, and returns what is
   * found then.
   */
  async killAt(at: number | string): Promise<Killed> {
    const victim = this.start({ rounds: [0], end: { at, by: 'SIGKILL' }, quick: true });
    const killed = await victim.ended;
    if (killed.signal === null && killed.code !== 0)
      throw new Error(`the newsroom exited with ${killed.code}: ${killed.stderr}`);
    const [first, ...rest] = RECOVERY;
    for (const rounds of [[first ?? 0], rest]) await this.#recover(rounds);
    return { killed, points: victim.points() ?? [], found: await this.findings() };
  }

  async #recover(rounds: readonly number[]): Promise<void> {
    const clock = skewedClock(this.time.by);
    const points = new Points();
    const { signal } = new AbortController();
    await this.#opened(clock, points, async (app) => {
      for (const ms of rounds) {
        this.time.move(ms);
        await runUntilIdle(app, clock, points, signal, LONG_IDLE_MS);
      }
    });
  }

  /** Compares ledger, outbox and destination for every item. */
  findings(): Promise<Findings> {
    const { kind, destination } = this.#options;
    const expected = kind === 'process' ? null : ARTICLES;
    return this.#opened(skewedClock(this.time.by), new Points(), (app) =>
      findingsOf(app, destination, this.simulator, expected),
    );
  }

  async #opened<T>(clock: Clock, points: Points, work: (app: App) => Promise<T>): Promise<T> {
    const config = newsroomConfig(this.#text, this.folder, secretsOf(this.simulator));
    const app = await openApp(config, {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      interpose: (infrastructure) => withCrashPoints({ ...infrastructure, reader: quickReader }, points),
    });
    try {
      return await work(app);
    } finally {
      await app[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await this.simulator[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

export interface Killed {
  readonly killed: ProcessExit;
  readonly points: readonly string[];
  readonly found: Findings;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessExit>;
  /** The names of the points that it passed; `null` until it has ended or was stopped. */
  points(): string[] | null;
}
