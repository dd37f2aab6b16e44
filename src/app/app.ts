import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type AuthService, createAuthService } from '../auth/auth-service.ts';
import type { PasswordCost } from '../auth/passwords.ts';
import type { Config } from '../config/config.ts';
import { createJudgeInspector, type JudgeInspector } from '../pipelines/judge-inspector.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { RateLimits } from '../publishers/service-response.ts';
import { sendTestMessage, TEST_SENDER, type TestMessageResult } from '../publishers/test-message.ts';
import { type FutureTimestamp, findFutureTimestamps, watchClock } from '../scheduler/clock-watch.ts';
import { type DueRun, findScheduledWork, runIfDue } from '../scheduler/due-run.ts';
import { Heartbeats } from '../scheduler/health.ts';
import { registerGauges, runCountsRecorder } from '../scheduler/item-counts.ts';
import { RunJobs } from '../scheduler/jobs.ts';
import { runTogether } from '../scheduler/loop.ts';
import { createRetention, type Retention } from '../scheduler/retention.ts';
import { ALL_ROLES, type Roles, runRoles } from '../scheduler/roles.ts';
import { createControlRoom } from '../server/http/create-control-room.ts';
import { createNewsroom } from '../server/http/create-newsroom.ts';
import type { Newsroom } from '../server/http/newsroom.ts';
import type { SocialStore } from '../social/social-store.ts';
import { Admission } from '../sources/admission.ts';
import { polledSources } from '../sources/create-source.ts';
import { Poller } from '../sources/poller.ts';
import { SourceDrops } from '../sources/source-drops.ts';
import { SourceUsers } from '../sources/source-users.ts';
import { createStoryService, type StoryService } from '../stories/story-service.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import { createTimelineAdmin, type TimelineAdmin } from '../timelines/timeline-admin.ts';
import { buildJudges } from './build-judges.ts';
import { buildPipelines } from './build-pipeline.ts';
import { buildPublisher, openDestinationState } from './build-publishers.ts';
import type { Engine } from './engine.ts';
import { type Infrastructure, openInfrastructure } from './infrastructure.ts';
import { oneTimeLinkUrl, type RunningServers, serve } from './serve.ts';
import { redisSettings, startTimelineService } from './timelines.ts';

/** What stands around the program. */
export interface AppOptions {
  readonly telemetry: Telemetry;
  readonly version: string;
  /** It runs the sample newsroom on the simulator. */
  readonly sample?: boolean;
  /** It is going to run, so what is slow at first gets ready while the rest is opened. */
  readonly longRunning?: boolean;
  /** Ends a start that waits for a service. */
  readonly signal?: AbortSignal;
  /** What this copy does; everything where absent. */
  readonly roles?: Roles;
  readonly clock?: Clock;
  /** How hard passwords are hashed; hard where absent. */
  readonly passwordCost?: PasswordCost;
  /** Stands between the program and what it is built on. The crash harness stops and ends the program there. */
  readonly interpose?: (ground: Infrastructure) => Infrastructure;
}

/** The program with all its parts open and nothing running yet. */
export interface App extends AsyncDisposable {
  readonly config: Config;
  readonly engine: Engine;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly newsroom: Newsroom;
  readonly retention: Retention;
  readonly judgeInspector: JudgeInspector;
  /** Ranked lists of stories; `null` where the configuration does not ask for them. */
  readonly stories: StoryService | null;
  /** People, follows and drops, as everybody else uses them: what is written here reaches the timelines. */
  readonly social: SocialStore;
  readonly timelineAdmin: TimelineAdmin;
  /**
   * Runs a pipeline, or the sweep under its name in the record of runs, unless what was due at that moment is done.
   * `null`: there is no such pipeline.
   */
  runIfDue(name: string, scheduledFor: number | null, signal: AbortSignal): Promise<DueRun | null>;
  /** What was recorded while the clock was ahead. */
  futureTimestamps(): Promise<readonly FutureTimestamp[]>;
  /** Who may sign in, and how. */
  readonly auth: AuthService;
  /** Sends a message that says it is a test through one destination. */
  sendTestMessage(destination: string, signal: AbortSignal): Promise<TestMessageResult>;
  /** Where a one-time link leads; `base` is where the server listens, where that is known. */
  oneTimeLinkUrl(token: string, base?: string): string;
  /** Opens what its roles serve, where the configuration says; the page on another port if given. Every copy tells how it is. */
  serve(port?: number): Promise<RunningServers>;
  /** Runs what its roles are for, until the signal. From then on it is not ready for new requests. */
  run(signal: AbortSignal): Promise<void>;
}

/** So long a store that does not answer holds up a stop. */
const STORE_STOP_TIMEOUT_MS = 3 * SECOND;

/** Configuration in, parts out. What was opened before something failed is closed again. */
export async function openApp(config: Config, options: AppOptions): Promise<App> {
  const stack = new AsyncDisposableStack();
  try {
    return await compose(config, options, stack);
  } catch (error) {
    await stack.disposeAsync();
    // What failed because the program stops is no news.
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function compose(config: Config, options: AppOptions, stack: AsyncDisposableStack): Promise<App> {
  const { clock = systemClock, roles = ALL_ROLES, telemetry, longRunning: toRun = false, signal } = options;
  const { logger: log, events, metrics } = telemetry;
  const { engine, fetcher, reader, attachments } = await openInfrastructure(config, clock, options, stack);
  const stopStores = (): void => engine.stopWithin?.(STORE_STOP_TIMEOUT_MS);
  signal?.addEventListener('abort', stopStores, { once: true });
  const warm = toRun ? reader.warmUp() : undefined;
  // Its failure is reported when the program runs; a start that ends before that has a reason of its own.
  warm?.catch(() => {});
  const timelines = await startTimelineService({ config, engine, clock, telemetry, stack });
  const { social } = engine;
  const { passwordCost } = options;
  // A replica that is there for timelines alone asks nothing of the pipelines' stores.
  const alone = roles.size === 1 && roles.has('timeline');
  const signing = stack.use(
    await createAuthService({
      config,
      store: engine.accounts,
      social,
      fetcher,
      clock,
      log,
      timelinesOnly: alone,
      ...(engine.timelines.revocations && { revocations: engine.timelines.revocations }),
      ...(passwordCost !== undefined && { passwordCost }),
    }),
  );
  const judges = await buildJudges({ config, engine, fetcher, clock, events, stack });
  const owner = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const sourceUsers = new SourceUsers({ config, social, clock, log });
  const news = new SourceDrops({ users: sourceUsers, social, log });
  const admission = new Admission({ clock, news, events, log });
  const sources = polledSources({ config, fetcher, clock });
  const poller = new Poller({
    sources,
    store: engine.sources,
    admission,
    clock,
    random: Math.random,
    owner,
    logger: log,
    events,
  });
  const heartbeats = new Heartbeats(clock);
  const shared = {
    config,
    engine,
    clock,
    events,
    log,
    heartbeats,
    fetcher,
    rateLimits: new RateLimits(clock),
    ...(await openDestinationState({ config, engine, clock, stack })),
    reader,
    attachments,
    judges: judges.byId,
    history: judges.history,
    sources,
    poller,
    timelines,
    // A person who typed a command gets the error at once.
    authors: { users: social, retry: toRun ? { clock, log, ...(signal && { signal }) } : null },
    owner,
  };
  const pipelines = alone ? new Map() : await buildPipelines(shared, admission, signal);
  const retention = createRetention({ config, pipelines, judges, runs: engine.runs, clock, events, owner });
  const stories = alone
    ? null
    : await createStoryService({ config, engine, pipelines, fetcher, clock, events, owner });
  if (stories !== null) stack.use(stories);

  const recorded = { pipelines, runs: engine.runs, sources: engine.sources, clock };
  let stopping = false;
  let isLeader = false;
  registerGauges({
    metrics,
    engine: engine.kind,
    pipelines,
    isLeader: () => (roles.has('scheduler') ? isLeader : null),
    clock,
  });
  const control = createControlRoom({
    config,
    pipelines,
    runs: engine.runs,
    countsLog: engine.countsLog,
    sources: engine.sources,
    jobs: stack.use(new RunJobs({ pipelines, clock, log })),
    ...(engine.usageToday !== undefined && { usageToday: engine.usageToday.bind(engine) }),
  });
  const newsroom = createNewsroom({
    config,
    clock,
    owner,
    heartbeats,
    timelines,
    social,
    info: {
      name: options.sample ? 'The sample newsroom' : 'Kawaraban',
      version: options.version,
      engine: engine.kind,
      sample: options.sample ?? false,
      startedAt: clock.now(),
    },
    roles,
    pipelines,
    runs: engine.runs,
    leases: engine.leases,
    engine: engine.kind,
    dataFolder: config.data,
    sources: engine.sources,
    judges,
    stories,
    sourceUser: (id) => sourceUsers.cached(id),
    stopping: () => stopping,
    metrics: () => metrics.text(),
  });
  return {
    config,
    engine,
    pipelines,
    newsroom,
    retention,
    social,
    auth: signing,
    stories,
    timelineAdmin: createTimelineAdmin({
      social,
      changes: engine.changes,
      store: engine.timelines.store,
      timelines: timelines.timelines,
      shared: redisSettings(config) !== null,
    }),
    judgeInspector: createJudgeInspector({
      config,
      pipelines,
      judges: judges.byId,
      history: judges.history,
      reader,
      clock,
    }),
    runIfDue: async (name, scheduledFor, signal) => {
      const due = findScheduledWork(name, { config, pipelines, retention });
      if (due === null) return null;
      return runIfDue({ ...due, name, scheduledFor }, { runs: engine.runs, clock }, signal);
    },
    futureTimestamps: () => findFutureTimestamps(recorded),
    sendTestMessage: async (destination, signal) => {
      const users = Object.values(config.pipelines).filter(({ publish }) => publish.includes(destination));
      const sender = users[0]?.id ?? TEST_SENDER;
      const publisher = await buildPublisher(destination, sender, { ...shared, social });
      return sendTestMessage(publisher, sender, clock, signal);
    },
    oneTimeLinkUrl: (token, base) => oneTimeLinkUrl(config, token, base),
    serve: async (port = config.server.port) => {
      // A replica with the page creates every user that can be followed on it.
      if (roles.has('web')) await sourceUsers.createMissing();
      return serve(
        { config, newsroom, control, auth: signing, fetcher, social, telemetry, clock, roles },
        port,
      );
    },
    run: async (signal) => {
      const stop = (): void => {
        stopping = true;
        stopStores();
      };
      signal.addEventListener('abort', stop, { once: true });
      const onLeadership = (now: boolean): void => {
        isLeader = now;
      };
      const replica = {
        roles,
        pipelines,
        poller,
        retention,
        stories,
        leases: engine.leases,
        clock,
        owner,
        log,
        events,
        heartbeats,
        onLeadership,
      };
      const counting = { pipelines, log: engine.countsLog, clock, logger: log, isLeader: () => isLeader };
      await runTogether(
        [
          async () => warm,
          (stop) => runRoles(replica, stop),
          async (stop) => alone || signing.runSweeper(stop),
          async (stop) => roles.has('worker') && watchClock({ ...recorded, log }, stop),
          async (stop) => roles.has('web') && sourceUsers.createUntilComplete(stop),
          // One record for all replicas: the leader writes it.
          async (stop) => roles.has('scheduler') && runCountsRecorder(counting, stop),
        ],
        signal,
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
