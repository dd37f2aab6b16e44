import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MadeFeed } from '../../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import type { Config } from '../../src/config/config.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { withCrashPoints } from './crash-injection.ts';
import { CrashError, Points } from './crash-points.ts';
import type { Lifetime, Plan } from './fault-plan.ts';
import { type Findings, findingsOf } from './findings.ts';
import { type Projects, whereOf } from './firestore-projects.ts';
import {
  CORRECTED,
  newsroomConfig,
  newsroomText,
  publishNews,
  quickReader,
  secretsOf,
} from './newsroom-config.ts';
import { RECOVERY } from './process-run.ts';
import { LONG_IDLE_MS, runUntilIdle } from './run-until-idle.ts';
import { skewedClock } from './skewed-clock.ts';

/** No machine fails here, so the files need no durable writes. */
export const QUICK_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Findings after a plan, and the names of the points that its lifetimes passed. */
export interface PlanResult extends Findings {
  readonly points: readonly string[];
  /** Those of the lifetime that noticed that articles were edited. */
  readonly editing: readonly string[];
}

/**
 * Runs plans in this process, many in a minute. A crash is an error at a point: from then on nothing of that lifetime
 * reaches the files or a destination any more, and the next lifetime opens the files again.
 */
export class InProcessRunner implements AsyncDisposable {
  readonly #simulator: Simulator;
  #later = 0;
  /** Error of the newsroom's clock in milliseconds; the simulator's clock is correct. */
  #clockError = 0;
  #plansRun = 0;
  readonly #projects: Projects | null;
  readonly #clock = skewedClock(() => this.#later + this.#clockError);

  private constructor(simulator: Simulator, projects: Projects | null) {
    this.#simulator = simulator;
    this.#projects = projects;
  }

  /** `projects`: where plans on Firestore run. */
  static async open(projects: Projects | null = null): Promise<InProcessRunner> {
    let runner: InProcessRunner | undefined;
    const simulator = await startSimulator({
      clock: skewedClock(() => runner?.later ?? 0),
      discord: { limits: false },
      mastodon: { limits: false },
      youtube: { videoMs: 3 * HOUR },
    });
    runner = new InProcessRunner(simulator, projects);
    return runner;
  }

  get later(): number {
    return this.#later;
  }

  /** Runs one plan to its end, lets everything recover, and returns the findings. */
  async run(plan: Plan): Promise<PlanResult> {
    const folder = mkdtempSync(join(QUICK_FOLDER, 'kawaraban-soak-'));
    const simulator = this.#simulator;
    const { kind, destination, articles, editing } = plan;
    simulator.discord.clear();
    simulator.mastodon.clear();
    this.#clockError = 0;
    const points: string[] = [];
    const secrets = secretsOf(simulator);
    try {
      const feed = publishNews(simulator, `run-${++this.#plansRun}`, articles);
      const updateEdited = editing !== undefined;
      const where = whereOf(plan.engine, this.#projects);
      const configured = (timeout: string): Config =>
        newsroomConfig(
          newsroomText({ kind, destination, feed: feed.url, where, timeout, updateEdited }, simulator),
          folder,
          secrets,
        );
      const config = configured('20s');
      // A half-open connection lasts until the timeout, so the timeout is short; otherwise a busy machine would run into it.
      const faultConfig = plan.faults.some(({ how }) => how === 'half_open') ? configured('1s') : config;
      for (const fault of plan.faults) simulator.injectFault(fault);
      for (const lifetime of plan.lifetimes)
        points.push(...(await this.#runLifetime(faultConfig, { rounds: [lifetime.after], lifetime })));
      simulator.clearFaults();
      this.#clockError = 0;
      const [first = 0, ...rest] = RECOVERY;
      await this.#runLifetime(config, { rounds: [first], maxIdleMs: LONG_IDLE_MS });
      await this.#runLifetime(config, { rounds: rest, maxIdleMs: LONG_IDLE_MS });
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
      simulator.clearFaults();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Edits the articles at their source, and runs the newsroom until it has updated their messages. */
  async #edit(feed: MadeFeed, config: Config, lifetime: Lifetime): Promise<readonly string[]> {
    feed.retitle((title) => `${title} ${CORRECTED}`);
    const points = await this.#runLifetime(config, { rounds: [HOUR], lifetime });
    this.#clockError = 0;
    await this.#runLifetime(config, { rounds: [11 * MINUTE, 3 * HOUR] });
    return points;
  }

  async #runLifetime(
    config: Config,
    { rounds, lifetime, maxIdleMs }: LifetimeOptions,
  ): Promise<readonly string[]> {
    const crashed = new AbortController();
    const stopped = Promise.withResolvers<void>();
    let resumed: PromiseWithResolvers<void> | null = null;
    const points = new Points(async ({ name, number }) => {
      if (number === lifetime?.at && lifetime.fault === 'crash') crashed.abort(new CrashError(name));
      if (crashed.signal.aborted) throw new CrashError(name);
      if (number === lifetime?.at && lifetime.fault === 'jump') this.#clockError += lifetime.by;
      if (number === lifetime?.at && lifetime.fault === 'stop') {
        resumed = Promise.withResolvers<void>();
        stopped.resolve();
      }
      await resumed?.promise;
    });
    const ended = this.#work(config, points, { rounds, maxIdleMs }, crashed.signal);
    await Promise.race([ended, stopped.promise]);
    if (resumed !== null) {
      // While it sleeps another replica finds its leases expired and does its work.
      await this.#runLifetime(config, { rounds: [11 * MINUTE] });
      (resumed as PromiseWithResolvers<void>).resolve();
    }
    await ended;
    return points.passed;
  }

  async #work(
    config: Config,
    points: Points,
    { rounds, maxIdleMs }: Pick<LifetimeOptions, 'rounds' | 'maxIdleMs'>,
    signal: AbortSignal,
  ): Promise<void> {
    let app: App | undefined;
    try {
      app = await openApp(config, {
        telemetry: silentTelemetry,
        version: '0',
        clock: this.#clock,
        interpose: (infrastructure) => withCrashPoints({ ...infrastructure, reader: quickReader }, points),
      });
      for (const ms of rounds) {
        this.#later += ms;
        await runUntilIdle(app, this.#clock, points, signal, maxIdleMs);
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

interface LifetimeOptions {
  /** Runs all pipelines once for each entry, that much later than before. */
  readonly rounds: readonly number[];
  readonly lifetime?: Lifetime;
  readonly maxIdleMs?: number | undefined;
}

/** A crashed lifetime need not close without errors. */
async function close(app: App | undefined, signal: AbortSignal): Promise<void> {
  try {
    await app?.[Symbol.asyncDispose]();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
