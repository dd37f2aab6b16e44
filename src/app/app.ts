import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type AuthService, createAuthService } from '../auth/auth-service.ts';
import type { PasswordCost } from '../auth/passwords.ts';
import type { Config } from '../config/config.ts';
import { Learning } from '../learning/learning.ts';
import { createJudgeInspector, type JudgeInspector } from '../pipelines/judge-inspector.ts';
import { LiveInterests } from '../pipelines/live-interests.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { LivePipelineSettings } from '../pipelines/pipeline-settings.ts';
import { SettingsChanges } from '../pipelines/settings-changes.ts';
import { RateLimits } from '../publishers/service-response.ts';
import { sendTestMessage, TEST_SENDER, type TestMessageResult } from '../publishers/test-message.ts';
import { EntryAdmission } from '../reader/entry-admission.ts';
import { LocalReaderEvents } from '../reader/reader-events.ts';
import { createReaderService } from '../reader/reader-service.ts';
import { StoryEdits } from '../same-story/story-edits.ts';
import { type FutureTimestamp, findFutureTimestamps, watchClock } from '../scheduler/clock-watch.ts';
import { type DueRun, findScheduledWork, runIfDue } from '../scheduler/due-run.ts';
import { Heartbeats } from '../scheduler/health.ts';
import { registerGauges, runCountsRecorder } from '../scheduler/item-counts.ts';
import { RunJobs } from '../scheduler/jobs.ts';
import { runTogether } from '../scheduler/loop.ts';
import { createRetention, type Retention } from '../scheduler/retention.ts';
import { LiveEntryRetention } from '../scheduler/retention-settings.ts';
import { ALL_ROLES, type Roles, runRoles } from '../scheduler/roles.ts';
import { createControlRoom } from '../server/http/create-control-room.ts';
import { createNewsroom } from '../server/http/create-newsroom.ts';
import type { Newsroom } from '../server/http/newsroom.ts';
import { oneTimeLinkUrl } from '../server/one-time-link.ts';
import type { SocialStore } from '../social/social-store.ts';
import { Admission } from '../sources/admission.ts';
import { LiveSources } from '../sources/create-source.ts';
import { SourceIcons } from '../sources/icons/source-icons.ts';
import { Poller } from '../sources/poller.ts';
import { readerSources } from '../sources/reader-sources.ts';
import { SourceCatalogue } from '../sources/source-catalogue.ts';
import { SourceDrops } from '../sources/source-drops.ts';
import { SourceFollows } from '../sources/source-follows.ts';
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
import type { RunningServers } from './serve.ts';
import { readerSettings, redisSettings, startTimelineService } from './timelines.ts';

/** Environment of the program. */
export interface AppOptions {
  readonly telemetry: Telemetry;
  readonly version: string;
  /** Run the sample newsroom on the simulator. */
  readonly sample?: boolean;
  /** The app is going to `run`: warm up slow parts while the rest is opened. */
  readonly longRunning?: boolean;
  /** Aborts a start that waits for a service. */
  readonly signal?: AbortSignal;
  /** Roles of this replica; default all. */
  readonly roles?: Roles;
  readonly clock?: Clock;
  /** Folder of the built page; default `dist/web` of the package. */
  readonly webRoot?: string;
  /** Cost of password hashing; default high. */
  readonly passwordCost?: PasswordCost;
  /** Wraps the infrastructure. Tests inject faults and crashes there. */
  readonly interpose?: (infrastructure: Infrastructure) => Infrastructure;
}

/** The program with all its parts open and nothing running yet. */
export interface App extends AsyncDisposable {
  readonly config: Config;
  readonly engine: Engine;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  /** Changes of schedule, minimum score and pause. */
  readonly pipelineSettings: LivePipelineSettings;
  /** Interests with the aliases that owners accepted. */
  readonly interests: LiveInterests;
  /** All sources, as they are now. */
  readonly catalogue: SourceCatalogue;
  readonly newsroom: Newsroom;
  readonly retention: Retention;
  /** How long the reader keeps articles; changed by the owner. */
  readonly entryRetention: LiveEntryRetention;
  readonly judgeInspector: JudgeInspector;
  /** Ranked lists of stories; `null` if none is configured. */
  readonly stories: StoryService | null;
  /** Users, follows and drops; changes reach the timelines. */
  readonly social: SocialStore;
  readonly timelineAdmin: TimelineAdmin;
  /**
   * Runs a pipeline, or the retention by its name in the run store, unless the scheduled run was done. `null`: there
   * is no such pipeline.
   */
  runIfDue(name: string, scheduledFor: number | null, signal: AbortSignal): Promise<DueRun | null>;
  /** Timestamps recorded while the clock was ahead. */
  futureTimestamps(): Promise<readonly FutureTimestamp[]>;
  /** Accounts, sessions and sign-in. */
  readonly auth: AuthService;
  /** Sends a test message to one destination. */
  sendTestMessage(destination: string, signal: AbortSignal): Promise<TestMessageResult>;
  /** URL of a one-time link; `base` is the address of the server, if known. */
  oneTimeLinkUrl(token: string, base?: string): string;
  /**
   * Starts the servers of its roles; `port` overrides the configured port of the web server. Every replica serves
   * health checks.
   */
  serve(port?: number): Promise<RunningServers>;
  /** Runs the loops of its roles, until the signal. From then on it is not ready for new requests. */
  run(signal: AbortSignal): Promise<void>;
}

/** How long an unresponsive store delays a stop. */
const STORE_STOP_TIMEOUT_MS = 3 * SECOND;

/** A replica reads so many entries when it adds its first one, to find those about the same event; each is billed. */
const MAX_COMPARED_ON_FIRESTORE = 1_000;
/** And so many four times a day, once people react to articles. */
const MAX_BACKGROUND_ON_FIRESTORE = 300;

/** Opens the program. If a step fails, what was opened before is closed again. */
export async function openApp(config: Config, options: AppOptions): Promise<App> {
  const stack = new AsyncDisposableStack();
  try {
    return await compose(config, options, stack);
  } catch (error) {
    await stack.disposeAsync();
    // An error caused by the stop is not reported.
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function compose(config: Config, options: AppOptions, stack: AsyncDisposableStack): Promise<App> {
  const { clock = systemClock, roles = ALL_ROLES, telemetry, longRunning = false, signal } = options;
  const { logger: log, events, metrics } = telemetry;
  const { engine, fetcher, reader, attachments } = await openInfrastructure(config, clock, options, stack);
  const stopStores = (): void => engine.stopWithin?.(STORE_STOP_TIMEOUT_MS);
  signal?.addEventListener('abort', stopStores, { once: true });
  const warm = longRunning ? reader.warmUp() : undefined;
  // `run` awaits it; a start that fails before that has its own error.
  warm?.catch(() => {});
  const timelines = await startTimelineService({ config, engine, clock, telemetry, stack });
  const { social } = engine;
  const { passwordCost } = options;
  // A replica with only the role `timeline` does not open the stores of pipelines.
  const timelinesOnly = roles.size === 1 && roles.has('timeline');
  if (!timelinesOnly) await engine.claimFormat?.(options.version);
  const signing = stack.use(
    await createAuthService({
      config,
      store: engine.accounts,
      entries: engine.entries,
      reactions: engine.reactions,
      social,
      fetcher,
      clock,
      log,
      timelinesOnly,
      ...(engine.timelines.revocations && { revocations: engine.timelines.revocations }),
      ...(passwordCost !== undefined && { passwordCost }),
    }),
  );
  const judges = await buildJudges({ config, engine, fetcher, clock, events, log, stack });
  const owner = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const catalogue = new SourceCatalogue({ config, store: engine.sourceCatalogue, clock, log });
  if (!timelinesOnly) await catalogue.refresh();
  const sourceUsers = new SourceUsers({ catalogue, social, clock, log });
  const news = new SourceDrops({ users: sourceUsers, social, log });
  const readerEvents = engine.timelines.readerEvents ?? stack.use(new LocalReaderEvents());
  const edits = new StoryEdits({ store: engine.storyEdits, clock });
  const opinion = judges.storyOpinion;
  const entries = new EntryAdmission({
    entries: engine.entries,
    edits,
    opinion,
    sources: catalogue,
    clock,
    onNew: (newestId) => readerEvents.publish(null, { type: 'entries', newestId }),
    sameStory: config.identity.sameStory.enabled,
    ...(engine.kind === 'distributed' && { maxCompared: MAX_COMPARED_ON_FIRESTORE }),
  });
  const admission = new Admission({ clock, entries, news, events, log });
  const sources = new LiveSources({ config, catalogue, fetcher, clock, log });
  const poller = stack.use(
    new Poller({
      sources,
      store: engine.sources,
      admission,
      clock,
      random: Math.random,
      owner,
      logger: log,
      events,
    }),
  );
  catalogue.onChange(() => poller.wake());
  const learning = new Learning({
    store: engine.reactions,
    entries: engine.entries,
    sourceNames: (id) => catalogue.get(id)?.settings.name ?? id,
    clock,
    enabled: config.learning,
    ...(engine.kind === 'distributed' && { maxBackground: MAX_BACKGROUND_ON_FIRESTORE }),
  });
  const heartbeats = new Heartbeats(clock);
  const settingsChanges = new SettingsChanges({
    store: engine.pipelineSettings,
    clock,
    pipelines: config.pipelines,
  });
  const pipelineSettings = new LivePipelineSettings({
    pipelines: config.pipelines,
    changes: settingsChanges,
  });
  const interests = new LiveInterests({ pipelines: config.pipelines, changes: settingsChanges });
  const entryRetention = new LiveEntryRetention({ config, changes: settingsChanges });
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
    stories: { edits, opinion },
    catalogue,
    sources,
    poller,
    pipelineSettings,
    interests,
    learning,
    timelines,
    // A command fails at once instead of retrying.
    authors: { users: social, retry: longRunning ? { clock, log, ...(signal && { signal }) } : null },
    owner,
  };
  const pipelines = timelinesOnly ? new Map() : await buildPipelines(shared, admission, signal);
  const retention = createRetention({
    config,
    pipelines,
    judges,
    entries: engine.entries,
    entryRetention,
    runs: engine.runs,
    clock,
    events,
    owner,
  });
  const stories = timelinesOnly
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
  const shownSources = readerSources(catalogue);
  const follows = new SourceFollows({
    social,
    sources: shownSources,
    users: sourceUsers,
    entries: engine.entries,
    drops: news,
  });
  const icons = config.server.images.enabled
    ? stack.use(
        new SourceIcons({
          store: engine.sourceIcons,
          fetcher,
          clock,
          log,
          onFound: () => readerService?.streams.announce({ type: 'sources' }),
        }),
      )
    : null;
  const readerService = timelinesOnly
    ? null
    : stack.use(
        createReaderService({
          entries: engine.entries,
          storyEdits: { store: engine.storyEdits, edits },
          sources: shownSources,
          users: sourceUsers,
          social,
          records: engine.sources,
          accounts: engine.accounts,
          articles: reader,
          icons,
          events: readerEvents,
          learning,
          feedKey: signing.keyFor('reader-feeds'),
          clock,
          log,
          telemetry: events,
          ...readerSettings(config, engine),
        }),
      );
  catalogue.onChange(() => readerService?.streams.announce({ type: 'sources' }));
  const control = createControlRoom({
    config,
    pipelines,
    runs: engine.runs,
    countsLog: engine.countsLog,
    pipelineSettings,
    interests,
    entryRetention,
    catalogue,
    sources: engine.sources,
    entries: engine.entries,
    icons: engine.sourceIcons,
    sourceUsers,
    poller,
    follows,
    clock,
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
    catalogue,
    sources: engine.sources,
    judges,
    entries: engine.entries,
    stories,
    sourceUser: (id) => sourceUsers.cached(id),
    stopping: () => stopping,
    metrics: () => metrics.text(),
  });
  return {
    config,
    engine,
    pipelines,
    pipelineSettings,
    interests,
    catalogue,
    newsroom,
    retention,
    entryRetention,
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
      interests,
      history: judges.history,
      reader,
      clock,
    }),
    runIfDue: async (name, scheduledFor, signal) => {
      const due = await findScheduledWork(name, { config, pipelines, retention });
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
    oneTimeLinkUrl: (token, base) => oneTimeLinkUrl(config.server, token, base),
    serve: async (port = config.server.port) => {
      // A replica with the page creates every user that can be followed on it.
      if (roles.has('web')) await sourceUsers.createMissing();
      // A command that serves nothing does not load the servers.
      const { serve } = await import('./serve.ts');
      return serve(
        {
          config,
          newsroom,
          control,
          reader: readerService,
          follows,
          auth: signing,
          fetcher,
          social,
          telemetry,
          clock,
          roles,
          ...(options.webRoot !== undefined && { webRoot: options.webRoot }),
        },
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
          async (stop) => timelinesOnly || settingsChanges.follow(events, stop),
          async (stop) => timelinesOnly || signing.runSweeper(stop),
          async (stop) => timelinesOnly || catalogue.follow(events, stop),
          async (stop) => roles.has('worker') && watchClock({ ...recorded, log }, stop),
          async (stop) => roles.has('web') && sourceUsers.keepComplete(stop),
          // One record for all replicas: the leader writes it.
          async (stop) => roles.has('scheduler') && runCountsRecorder(counting, stop),
        ],
        signal,
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
