import type { PasswordCost } from '../auth/password.ts';
import type { Config } from '../config/config.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Newsroom } from '../server/newsroom.ts';
import type { SocialStore } from '../social/services.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import type { DueRun } from './due-run.ts';
import type { Engine } from './engine.ts';
import type { FutureTime } from './future-times.ts';
import type { Ground } from './ground.ts';
import type { Judging } from './judging.ts';
import type { PressTest } from './press-test.ts';
import type { Retention } from './retention.ts';
import type { Roles } from './roles.ts';
import type { Serving } from './serving.ts';
import type { SigningIn } from './sign-in.ts';
import type { Stories } from './stories.ts';
import type { TimelineDesk } from './timeline-desk.ts';

/** What stands around the program. */
export interface AppOptions {
  readonly telemetry: Telemetry;
  readonly version: string;
  /** It runs the sample newsroom on the simulator. */
  readonly sample?: boolean;
  /** It is going to run, so what is slow at first gets ready while the rest is opened. */
  readonly toRun?: boolean;
  /** Ends a start that waits for somebody. */
  readonly signal?: AbortSignal;
  /** What this copy does; everything where absent. */
  readonly roles?: Roles;
  readonly clock?: Clock;
  /** How hard passwords are hashed; hard where absent. */
  readonly passwordCost?: PasswordCost;
  /** Stands between the program and what it is built on. The crash harness stops and ends the program there. */
  readonly interpose?: (ground: Ground) => Ground;
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
  /** What was recorded while the clock was ahead. */
  futureTimes(): Promise<readonly FutureTime[]>;
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
