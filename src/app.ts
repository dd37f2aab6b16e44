import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { controlRoomOf } from './app/control/control-room.ts';
import { keepCounting } from './app/control/counting.ts';
import { RunJobs } from './app/control/jobs.ts';
import { dueOf, runIfDue } from './app/due-run.ts';
import { futureTimes, watchClock } from './app/future-times.ts';
import { observeNewsroom } from './app/gauges.ts';
import { keepGoing } from './app/going.ts';
import { openGround } from './app/ground.ts';
import { judgesOf } from './app/judges.ts';
import { judgingOf } from './app/judging.ts';
import { newsroomOf } from './app/newsroom.ts';
import { openPipelines } from './app/open-pipelines.ts';
import { openTimelines } from './app/open-timelines.ts';
import { patientUsers } from './app/patient-users.ts';
import { sharedPress } from './app/press-memory.ts';
import { testPress } from './app/press-test.ts';
import type { App, AppOptions } from './app/program.ts';
import { Pulse } from './app/pulse.ts';
import { retentionOf } from './app/retention.ts';
import { EVERY_ROLE } from './app/roles.ts';
import { serve, welcomeAddress } from './app/serving.ts';
import { signingIn } from './app/sign-in.ts';
import { SourceUsers } from './app/source-users.ts';
import { polledSources } from './app/sources.ts';
import { storiesOf } from './app/stories.ts';
import { timelineDesk } from './app/timeline-desk.ts';
import { redisOf } from './app/timelines.ts';
import type { Config } from './config/config.ts';
import { allGoing } from './pipelines/endless.ts';
import { Rests } from './press/rests.ts';
import { Admission } from './sources/admission.ts';
import { Poller } from './sources/poller.ts';
import { SourceNews } from './sources/source-news.ts';
import { systemClock } from './time/clock.ts';
import { SECOND } from './time/duration.ts';

export type { Ground } from './app/ground.ts';
export type { App, AppOptions } from './app/program.ts';

/** So long a store that does not answer holds up a stop. */
const STOP_WITHIN = 3 * SECOND;

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
  const { clock = systemClock, roles = EVERY_ROLE, telemetry, toRun = false, signal } = options;
  const { logger: log, events, metrics } = telemetry;
  const { engine, fetcher, reader, attachments } = await openGround(config, clock, options, stack);
  const stopStores = (): void => engine.stopWithin?.(STOP_WITHIN);
  signal?.addEventListener('abort', stopStores, { once: true });
  const warm = toRun ? reader.warmUp() : undefined;
  // It is told when the program runs; a start that ends before that ends for a reason of its own.
  warm?.catch(() => {});
  const timelines = await openTimelines({ config, engine, clock, telemetry, stack });
  const { social } = engine;
  const { passwordCost } = options;
  // A replica that is there for timelines alone asks nothing of the pipelines' stores.
  const alone = roles.size === 1 && roles.has('timeline');
  const signing = stack.use(
    await signingIn({
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
  const judges = await judgesOf({ config, engine, fetcher, clock, events, stack });
  const owner = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const sourceUsers = new SourceUsers({ config, social, clock, log });
  const news = new SourceNews({ users: sourceUsers, social, log });
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
  const parts = {
    config,
    engine,
    clock,
    events,
    log,
    pulse: new Pulse(clock),
    fetcher,
    rests: new Rests(clock),
    ...(await sharedPress({ config, engine, clock, stack })),
    reader,
    attachments,
    judges: judges.byId,
    history: judges.history,
    sources,
    poller,
    timelines,
    // A person who typed a command is told at once.
    authors: toRun ? patientUsers(social, { clock, log, ...(signal && { signal }) }) : social,
    owner,
  };
  const pipelines = alone ? new Map() : await openPipelines(parts, admission, signal);
  const retention = retentionOf({ ...parts, pipelines, judges, runs: engine.runs });
  const stories = alone ? null : await storiesOf({ ...parts, pipelines });
  if (stories !== null) stack.use(stories);

  const recorded = { pipelines, runs: engine.runs, sources: engine.sources, clock };
  let stopping = false;
  let acts = false;
  observeNewsroom({
    metrics,
    engine: engine.kind,
    pipelines,
    acts: () => (roles.has('scheduler') ? acts : null),
    clock,
  });
  const control = controlRoomOf({
    config,
    pipelines,
    runs: engine.runs,
    countsLog: engine.countsLog,
    sources: engine.sources,
    jobs: stack.use(new RunJobs({ pipelines, clock, log })),
    ...(engine.usageToday !== undefined && { usageToday: engine.usageToday.bind(engine) }),
  });
  const newsroom = newsroomOf({
    ...parts,
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
    sourceUser: (id) => sourceUsers.known(id),
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
    signing,
    stories,
    timelines: timelineDesk({
      social,
      changes: engine.changes,
      store: engine.timelines.store,
      timelines: timelines.timelines,
      shared: redisOf(config) !== null,
    }),
    judging: judgingOf({ ...parts, pipelines }),
    runIfDue: async (name, scheduledFor, signal) => {
      const due = dueOf(name, { config, pipelines, retention });
      if (due === null) return null;
      return runIfDue({ ...due, name, scheduledFor }, { runs: engine.runs, clock }, signal);
    },
    futureTimes: () => futureTimes(recorded),
    testPress: (destination, signal) => testPress(destination, { ...parts, social }, signal),
    welcomeAddress: (token, base) => welcomeAddress(config, token, base),
    serve: async (port = config.server.port) => {
      // Whoever shows the page has everything on it that can be followed.
      if (roles.has('web')) await sourceUsers.make();
      return serve({ config, newsroom, control, signing, fetcher, social, telemetry, clock, roles }, port);
    },
    keepGoing: async (signal) => {
      const stop = (): void => {
        stopping = true;
        stopStores();
      };
      signal.addEventListener('abort', stop, { once: true });
      const onActing = (now: boolean): void => {
        acts = now;
      };
      const going = { ...parts, roles, pipelines, retention, stories, leases: engine.leases, onActing };
      const counting = { pipelines, log: engine.countsLog, clock, logger: log, acts: () => acts };
      await allGoing(
        [
          async () => warm,
          (stop) => keepGoing(going, stop),
          async (stop) => alone || signing.keepSweeping(stop),
          async (stop) => roles.has('worker') && watchClock({ ...recorded, log }, stop),
          async (stop) => roles.has('web') && sourceUsers.keepMaking(stop),
          // One record for all copies: the scheduler that acts writes it.
          async (stop) => roles.has('scheduler') && keepCounting(counting, stop),
        ],
        signal,
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
