import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Closing } from './app/closing.ts';
import { controlRoomOf } from './app/control/control-room.ts';
import { keepCounting } from './app/control/counting.ts';
import { RunJobs } from './app/control/jobs.ts';
import { type DueRun, dueOf, runIfDue } from './app/due-run.ts';
import type { Engine } from './app/engine.ts';
import { observeNewsroom } from './app/gauges.ts';
import { keepGoing } from './app/going.ts';
import { judgesOf } from './app/judges.ts';
import { type Judging, judgingOf } from './app/judging.ts';
import { networkOf } from './app/network.ts';
import { newsroomOf } from './app/newsroom.ts';
import { openEngine } from './app/open-engine.ts';
import { pipelineOf } from './app/pipelines.ts';
import { sharedPress } from './app/press-memory.ts';
import { type PressTest, testPress } from './app/press-test.ts';
import { Pulse } from './app/pulse.ts';
import { type Retention, retentionOf } from './app/retention.ts';
import { EVERY_ROLE, type Roles } from './app/roles.ts';
import { type Serving, serve, welcomeAddress } from './app/serving.ts';
import { type SigningIn, signingIn } from './app/sign-in.ts';
import { SourceNews } from './app/source-news.ts';
import { SourceUsers } from './app/source-users.ts';
import { followedSources, usualFirstContact } from './app/sources.ts';
import { type Stories, storiesOf } from './app/stories.ts';
import { type TimelineDesk, timelineDesk } from './app/timeline-desk.ts';
import { redisOf, timelineSettings } from './app/timelines.ts';
import type { PasswordCost } from './auth/password.ts';
import type { Config } from './config/config.ts';
import { admitArrival, type Follower } from './pipelines/admission.ts';
import { reachOf } from './pipelines/ending-errors.ts';
import { allGoing } from './pipelines/endless.ts';
import type { Pipeline } from './pipelines/pipeline.ts';
import { Rests } from './press/rests.ts';
import { createArticleReader } from './reading/article/article-reader.ts';
import type { ArticleReader } from './reading/article.ts';
import { type AttachmentLimits, createAttachmentReader } from './reading/attachments.ts';
import type { Fetcher } from './reading/fetcher.ts';
import { createFetcher } from './reading/http/create-fetcher.ts';
import { IsolatedProcess } from './reading/isolated/isolated-process.ts';
import { createPdfTextReader } from './reading/pdf/pdf-text-reader.ts';
import type { Newsroom } from './server/newsroom.ts';
import type { SocialStore } from './social/services.ts';
import { SourceDesk } from './sources/desk.ts';
import { startTimelines } from './stream/timeline-service.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { type Clock, systemClock } from './time/clock.ts';
import { watchOthers } from './timeline/watch-others.ts';

export interface AppOptions {
  readonly telemetry: Telemetry;
  readonly version: string;
  /** It runs the sample newsroom on the simulator. */
  readonly sample?: boolean;
  /** It is going to run, so what is slow at first gets ready while the rest is opened. */
  readonly toRun?: boolean;
  /** What this copy does; everything where absent. */
  readonly roles?: Roles;
  readonly clock?: Clock;
  /** How hard passwords are hashed; hard where absent. */
  readonly passwordCost?: PasswordCost;
  /** Stands between the program and what it is built on. The crash harness stops and ends the program there. */
  readonly interpose?: (ground: Ground) => Ground;
}

/** What the program stands on: where it keeps things, its way out, and how it reads pages. */
export interface Ground {
  readonly engine: Engine;
  readonly fetcher: Fetcher;
  readonly reader: ArticleReader;
}

/** The program with all its parts open and nothing running yet. */
export interface App extends AsyncDisposable {
  readonly config: Config;
  readonly engine: Engine;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly newsroom: Newsroom;
  readonly retention: Retention;
  readonly judging: Judging;
  /** Ranked lists of stories; `null` where the configuration does not ask for them. */
  readonly stories: Stories | null;
  /** People, follows and drops, as everybody else uses them: what is written here reaches the timelines. */
  readonly social: SocialStore;
  readonly timelines: TimelineDesk;
  /**
   * Runs a pipeline, or the sweep under its name in the record of runs, unless what was due at that moment is done.
   * `null`: there is no such pipeline.
   */
  runIfDue(name: string, scheduledFor: number | null, signal: AbortSignal): Promise<DueRun | null>;
  /** Who may sign in, and how. */
  readonly signing: SigningIn;
  /** Sends a message that says it is a test through one destination. */
  testPress(destination: string, signal: AbortSignal): Promise<PressTest>;
  /** Where a one-time link leads; `base` is where the server listens, where that is known. */
  welcomeAddress(token: string, base?: string): string;
  /** Opens what its roles serve, where the configuration says; the page on another port if given. Every copy tells how it is. */
  serve(port?: number): Promise<Serving>;
  /** Does what its roles are for, until the signal. From the signal on nobody new is sent here. */
  keepGoing(signal: AbortSignal): Promise<void>;
}

/** Configuration in, parts out. */
export async function openApp(config: Config, options: AppOptions): Promise<App> {
  const { clock = systemClock, interpose = (ground) => ground, roles = EVERY_ROLE } = options;
  const { logger: log, events, metrics } = options.telemetry;
  const closing = new Closing();
  try {
    const opened = closing.add('the engine', await openEngine(config, clock, options.telemetry));
    const wayOut = closing.add('the way out', createFetcher({ clock, log, ...networkOf(config) }));
    const isolated = closing.add('the reading process', new IsolatedProcess({ clock }));
    const { engine, fetcher, reader } = interpose({
      engine: opened,
      fetcher: wayOut,
      reader: createArticleReader({ fetcher: wayOut, isolated, clock, maxBytes: config.network.maxPage }),
    });
    const texts = createPdfTextReader({ isolated });
    const warm = options.toRun ? reader.warmUp() : undefined;
    const timelines = closing.add(
      'the timelines',
      await startTimelines({
        social: engine.social,
        keeping: engine.timelines,
        clock,
        log,
        telling: events,
        ...timelineSettings(config),
      }),
    );
    metrics.observe('kawaraban_streams_open', () => [{ value: timelines.streams.open }]);

    // What others do reaches Redis by itself; the memory of this program has to be told.
    if (redisOf(config) === null)
      closing.add(
        'the watch on other programs',
        watchOthers({
          social: engine.social,
          events: engine.timelines.events,
          store: engine.timelines.store,
          timelines: timelines.timelines,
          clock,
          log,
        }),
      );
    const signing = closing.add(
      'signing in',
      await signingIn({
        config,
        store: engine.accounts,
        social: timelines.social,
        fetcher,
        clock,
        log,
        ...(options.passwordCost !== undefined && { passwordCost: options.passwordCost }),
      }),
    );
    const judges = await judgesOf({ config, engine, fetcher, clock, closing });

    const sourceUsers = new SourceUsers({ config, social: timelines.social, clock, log });
    const sourceNews = new SourceNews({ users: sourceUsers, social: timelines.social, log });
    const followers: Follower[] = [];
    const admitted = new Map<string, number>();
    const desk = new SourceDesk({
      store: engine.sources,
      clock,
      random: Math.random,
      logger: log,
      endsRound: (error) => reachOf(error) !== null,
      forgetful: (id) =>
        followers.some(({ sources, ledger }) => sources.includes(id) && !ledger.abilities.remembersWaiting),
      admit: async (arrival) => {
        for (const [pipeline, n] of await admitArrival(arrival, followers, clock.now(), sourceNews)) {
          admitted.set(pipeline, (admitted.get(pipeline) ?? 0) + n);
        }
      },
    });

    const parts = {
      config,
      engine,
      clock,
      events,
      log,
      pulse: new Pulse(clock),
      fetcher,
      rests: new Rests(),
      ...(await sharedPress({ config, engine, clock, closing })),
      reader,
      attachments: (limits: AttachmentLimits) => createAttachmentReader({ fetcher, texts, limits }),
      judges: judges.byId,
      history: judges.history,
      desk,
      followed: followedSources({ config, fetcher, clock }),
      timelines,
      owner: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
    };
    const pipelines = new Map<string, Pipeline>();
    // A copy that is there for timelines alone asks nothing of the pipelines' stores.
    const alone = roles.size === 1 && roles.has('timeline');
    for (const settings of alone ? [] : Object.values(config.pipelines)) {
      const memory = await engine.memoryOf(settings);
      const firstContact =
        settings.firstContact ?? usualFirstContact(settings.kind === 'process' ? 'youtube' : 'feed');
      followers.push({
        pipeline: settings.id,
        sources: settings.sources,
        ledger: memory.ledger,
        firstContact,
        handOver: settings.kind === 'process' && settings.queue === 'pubsub',
        seenAgain: async (sightings) => {
          // Trouble with an edit never holds up the news.
          await pipelines
            .get(settings.id)
            ?.seenAgain(sightings)
            .catch((error: unknown) => {
              log.error('edited items could not be looked at', { pipeline: settings.id, error });
            });
        },
      });
      pipelines.set(settings.id, await pipelineOf(settings, memory, (id) => admitted.get(id) ?? 0, parts));
    }

    const retention = retentionOf({ ...parts, pipelines, judges, runs: engine.runs });
    const stories = alone ? null : await storiesOf({ ...parts, pipelines });
    if (stories !== null) closing.add('the stories', stories);
    const info = {
      name: options.sample ? 'The sample newsroom' : 'Kawaraban',
      version: options.version,
      engine: engine.kind,
      sample: options.sample ?? false,
      startedAt: clock.now(),
    };
    // Whoever shows the page has everything on it that can be followed.
    const shows = roles.has('web');
    let stopping = false;
    let acts = false;
    observeNewsroom({
      metrics,
      engine: engine.kind,
      pipelines,
      acts: () => (roles.has('scheduler') ? acts : null),
      clock,
    });
    const jobs = closing.add('runs by hand', new RunJobs({ pipelines, clock, log }));
    const control = controlRoomOf({
      config,
      pipelines,
      runs: engine.runs,
      countsLog: engine.countsLog,
      sources: engine.sources,
      jobs,
      ...(engine.usageToday !== undefined && { usageToday: engine.usageToday.bind(engine) }),
    });
    const newsroom = newsroomOf({
      ...parts,
      info,
      roles,
      pipelines,
      runs: engine.runs,
      leases: engine.leases,
      engine: engine.kind,
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
      social: timelines.social,
      timelines: timelineDesk({
        social: timelines.social,
        store: engine.timelines.store,
        timelines: timelines.timelines,
        shared: redisOf(config) !== null,
      }),
      signing,
      judging: judgingOf({ ...parts, pipelines }),
      stories,
      runIfDue: (name, scheduledFor, signal) => {
        const due = dueOf(name, { config, pipelines, retention });
        return due === null
          ? Promise.resolve(null)
          : runIfDue({ ...due, name, scheduledFor }, { runs: engine.runs, clock }, signal);
      },
      testPress: (destination, signal) =>
        testPress(destination, { ...parts, social: timelines.social }, signal),
      welcomeAddress: (token, base) => welcomeAddress(config, token, base),
      serve: async (port = config.server.port) => {
        if (shows) await sourceUsers.make();
        return serve(
          {
            config,
            newsroom,
            control,
            signing,
            fetcher,
            social: timelines.social,
            telemetry: options.telemetry,
            clock,
            roles,
          },
          port,
        );
      },
      keepGoing: async (signal) => {
        signal.addEventListener('abort', () => (stopping = true), { once: true });
        const onActing = (now: boolean): void => {
          acts = now;
        };
        const going = { ...parts, roles, pipelines, retention, stories, leases: engine.leases, onActing };
        const counting = { pipelines, log: engine.countsLog, clock, logger: log, acts: () => acts };
        await allGoing(
          [
            async () => warm,
            (stop) => keepGoing(going, stop),
            (stop) => signing.keepSweeping(stop),
            async (stop) => shows && sourceUsers.keepMaking(stop),
            // One record for all copies: the scheduler that acts writes it.
            async (stop) => roles.has('scheduler') && keepCounting(counting, stop),
          ],
          signal,
        );
      },
      [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
    };
  } catch (error) {
    await closing[Symbol.asyncDispose]();
    throw error;
  }
}
