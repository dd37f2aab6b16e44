import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MadeFeed } from '../../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import type { Config } from '../../src/config/config.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { crashing } from './crash-injection.ts';
import { CrashError, Points } from './crash-points.ts';
import type { Life, Plan } from './fault-plan.ts';
import { type Findings, findingsOf } from './findings.ts';
import { type Projects, whereOf } from './firestore-projects.ts';
import { CORRECTED, houseConfig, houseText, publishNews, quickReader, secretsOf } from './newsroom-config.ts';
import { RECOVERY } from './process-run.ts';
import { PATIENT, workThrough } from './run-until-idle.ts';
import { movedClock } from './skewed-clock.ts';

/** No machine fails here, so the files need no durable writes. */
const QUICK_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Findings after a plan, and the names of the points that its lives passed. */
export interface Played extends Findings {
  readonly points: readonly string[];
  /** Those of the life that noticed that articles were edited. */
  readonly editing: readonly string[];
}

/**
 * Runs plans in this process, many in a minute. A crash is an error at a point: from then on nothing of that life
 * reaches the files or a destination any more, and the next life opens the files again.
 */
export class Stage implements AsyncDisposable {
  readonly #simulator: Simulator;
  #later = 0;
  /** How wrong the newsroom's clock is; the other sides' clocks are right. */
  #wrongBy = 0;
  #played = 0;
  readonly #projects: Projects | null;
  readonly #clock = movedClock(() => this.#later + this.#wrongBy);

  private constructor(simulator: Simulator, projects: Projects | null) {
    this.#simulator = simulator;
    this.#projects = projects;
  }

  /** `projects`: where plans on Firestore run. */
  static async open(projects: Projects | null = null): Promise<Stage> {
    let stage: Stage | undefined;
    const simulator = await startSimulator({
      clock: movedClock(() => stage?.later ?? 0),
      discord: { limits: false },
      mastodon: { limits: false },
      youtube: { videoMs: 3 * HOUR },
    });
    stage = new Stage(simulator, projects);
    return stage;
  }

  get later(): number {
    return this.#later;
  }

  /** Runs one plan to its end, lets everything recover, and returns the findings. */
  async play(plan: Plan): Promise<Played> {
    const folder = mkdtempSync(join(QUICK_FOLDER, 'kawaraban-soak-'));
    const simulator = this.#simulator;
    const { kind, destination, articles, editing } = plan;
    simulator.discord.clear();
    simulator.mastodon.clear();
    this.#wrongBy = 0;
    const points: string[] = [];
    const secrets = secretsOf(simulator);
    try {
      const feed = publishNews(simulator, `run-${++this.#played}`, articles);
      const updateEdited = editing !== undefined;
      const where = whereOf(plan.engine, this.#projects);
      const configured = (timeout: string): Config =>
        houseConfig(
          houseText({ kind, destination, feed: feed.url, where, timeout, updateEdited }, simulator),
          folder,
          secrets,
        );
      const config = configured('20s');
      // Silence costs real time; without it a busy machine must not look like a silent one.
      const troubled = plan.misdeeds.some(({ how }) => how === 'half_open') ? configured('1s') : config;
      for (const misdeed of plan.misdeeds) simulator.misbehave(misdeed);
      for (const life of plan.lives)
        points.push(...(await this.#live(troubled, { rounds: [life.after], life })));
      simulator.behave();
      this.#wrongBy = 0;
      const [first = 0, ...rest] = RECOVERY;
      await this.#live(config, { rounds: [first], longestQuiet: PATIENT });
      await this.#live(config, { rounds: rest, longestQuiet: PATIENT });
      const edited = editing === undefined ? [] : await this.#edit(feed, config, editing);
      const app = await openApp(config, { telemetry: silentTelemetry, version: '0', clock: this.#clock });
      try {
        const expected = kind === 'process' ? null : articles;
        const found = await findingsOf(app, destination, simulator, expected, updateEdited);
        return { ...found, points, editing: edited };
      } finally {
        await app[Symbol.asyncDispose]();
      }
    } finally {
      simulator.behave();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Edits the articles at their source, and lets the newsroom notice. */
  async #edit(feed: MadeFeed, config: Config, life: Life): Promise<readonly string[]> {
    feed.retitle((title) => `${title} ${CORRECTED}`);
    const points = await this.#live(config, { rounds: [HOUR], life });
    this.#wrongBy = 0;
    await this.#live(config, { rounds: [11 * MINUTE, 3 * HOUR] });
    return points;
  }

  async #live(config: Config, { rounds, life, longestQuiet }: Living): Promise<readonly string[]> {
    const gone = new AbortController();
    const asleep = Promise.withResolvers<void>();
    let woken: PromiseWithResolvers<void> | null = null;
    const points = new Points(async ({ name, number }) => {
      if (number === life?.at && life.happens === 'crash') gone.abort(new CrashError(name));
      if (gone.signal.aborted) throw new CrashError(name);
      if (number === life?.at && life.happens === 'jump') this.#wrongBy += life.by;
      if (number === life?.at && life.happens === 'stop') {
        woken = Promise.withResolvers<void>();
        asleep.resolve();
      }
      await woken?.promise;
    });
    const ended = this.#work(config, points, { rounds, longestQuiet }, gone.signal);
    await Promise.race([ended, asleep.promise]);
    if (woken !== null) {
      // While it sleeps another replica finds its leases expired and does its work.
      await this.#live(config, { rounds: [11 * MINUTE] });
      (woken as PromiseWithResolvers<void>).resolve();
    }
    await ended;
    return points.passed;
  }

  async #work(
    config: Config,
    points: Points,
    { rounds, longestQuiet }: Pick<Living, 'rounds' | 'longestQuiet'>,
    signal: AbortSignal,
  ): Promise<void> {
    let app: App | undefined;
    try {
      app = await openApp(config, {
        telemetry: silentTelemetry,
        version: '0',
        clock: this.#clock,
        interpose: (infrastructure) => crashing({ ...infrastructure, reader: quickReader }, points),
      });
      for (const ms of rounds) {
        this.#later += ms;
        await workThrough(app, this.#clock, points, signal, longestQuiet);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await close(app, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#simulator[Symbol.asyncDispose]();
  }
}

interface Living {
  /** Runs all pipelines once for each entry, that much later than before. */
  readonly rounds: readonly number[];
  readonly life?: Life;
  readonly longestQuiet?: number | undefined;
}

/** A crashed life need not close without errors. */
async function close(app: App | undefined, signal: AbortSignal): Promise<void> {
  try {
    await app?.[Symbol.asyncDispose]();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
