import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import type { Clock } from '../../src/time/clock.ts';
import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { crashing } from './crash-injection.ts';
import { Points } from './crash-points.ts';
import { type Findings, findingsOf } from './findings.ts';
import {
  type HouseOptions,
  houseConfig,
  houseText,
  publishNews,
  quickReader,
  secretsOf,
} from './newsroom-config.ts';
import type { NewsroomOrder } from './newsroom-entry.ts';
import { PATIENT, workThrough } from './run-until-idle.ts';
import { MoveFile, movedClock } from './skewed-clock.ts';

const NEWSROOM = join(import.meta.dirname, 'newsroom-entry.ts');
const ARTICLES = 3;
/** Longer than every lease, then longer than every backoff. */
export const RECOVERY: readonly number[] = [11 * MINUTE, 3 * HOUR, 3 * HOUR, 13 * HOUR, 25 * HOUR];

export type House = Omit<HouseOptions, 'feed'>;

/** A simulated internet, a data folder, and newsrooms in processes of their own that share one clock. */
export class Scene implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly folder: string;
  readonly time: MoveFile;
  readonly #options: HouseOptions;
  readonly #text: string;
  readonly #children = new Set<ChildProcess>();
  #started = 0;

  private constructor(simulator: Simulator, folder: string, time: MoveFile, options: HouseOptions) {
    this.simulator = simulator;
    this.folder = folder;
    this.time = time;
    this.#options = options;
    this.#text = houseText(options, simulator);
  }

  static async set(house: House | ((folder: string) => House)): Promise<Scene> {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-crash-'));
    const time = MoveFile.create(join(folder, 'moved'));
    const simulator = await startSimulator({
      clock: movedClock(time.by),
      discord: { limits: false },
      mastodon: { limits: false },
      youtube: { videoMs: HOUR },
    });
    const feed = publishNews(simulator, 'news', ARTICLES).url;
    const options = typeof house === 'function' ? house(folder) : house;
    return new Scene(simulator, folder, time, { ...options, feed });
  }

  /** Starts a newsroom; its end is reported by the exit code, or by the signal that ended it. */
  start(order: Pick<NewsroomOrder, 'rounds' | 'end' | 'quick'>): Started {
    const pointsFile = join(this.folder, `points-${++this.#started}.json`);
    const whole: NewsroomOrder = {
      ...order,
      folder: this.folder,
      text: this.#text,
      env: secretsOf(this.simulator),
      moveFile: join(this.folder, 'moved'),
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
    const ended = new Promise<Ending>((resolve) => {
      child.once('close', (code, signal) => {
        this.#children.delete(child);
        resolve({ code, signal, said: stderr });
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
      throw new Error(`it ended with ${killed.code}: ${killed.said}`);
    const [first, ...rest] = RECOVERY;
    for (const rounds of [[first ?? 0], rest]) await this.#recover(rounds);
    return { killed, points: victim.points() ?? [], found: await this.look() };
  }

  async #recover(rounds: readonly number[]): Promise<void> {
    const clock = movedClock(this.time.by);
    const points = new Points();
    const { signal } = new AbortController();
    await this.#opened(clock, points, async (app) => {
      for (const ms of rounds) {
        this.time.move(ms);
        await workThrough(app, clock, points, signal, PATIENT);
      }
    });
  }

  /** The outcome of every item, seen from both sides. */
  look(): Promise<Findings> {
    const { kind, destination } = this.#options;
    const expected = kind === 'process' ? null : ARTICLES;
    return this.#opened(movedClock(this.time.by), new Points(), (app) =>
      findingsOf(app, destination, this.simulator, expected),
    );
  }

  async #opened<T>(clock: Clock, points: Points, work: (app: App) => Promise<T>): Promise<T> {
    const config = houseConfig(this.#text, this.folder, secretsOf(this.simulator));
    const app = await openApp(config, {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      interpose: (infrastructure) => crashing({ ...infrastructure, reader: quickReader }, points),
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

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it wrote to its standard error. */
  readonly said: string;
}

export interface Killed {
  readonly killed: Ending;
  readonly points: readonly string[];
  readonly found: Findings;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  /** The names of the points that it passed; `null` until it has ended or was stopped. */
  points(): string[] | null;
}
