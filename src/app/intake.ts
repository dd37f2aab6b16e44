import type { Config } from '../config/config.ts';
import { admitArrival, type Follower } from '../pipelines/admission.ts';
import { reachOf } from '../pipelines/ending-errors.ts';
import type { SocialStore } from '../social/services.ts';
import { SourceDesk } from '../sources/desk.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { Engine } from './engine.ts';
import { SourceNews } from './source-news.ts';
import { SourceUsers } from './source-users.ts';

export interface IntakeParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly social: SocialStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Events;
}

/** From what a source reports to the ledgers of the pipelines and to the people who follow it. */
export interface Intake {
  readonly desk: SourceDesk;
  /** Sources as people can follow them. */
  readonly sourceUsers: SourceUsers;
  /** From now on this pipeline gets what its sources report. */
  follow(pipeline: Follower): void;
  /** How many items a pipeline got since the start. */
  admittedBy(pipeline: string): number;
}

export function intakeOf({ config, engine, social, clock, log, events }: IntakeParts): Intake {
  const sourceUsers = new SourceUsers({ config, social, clock, log });
  const sourceNews = new SourceNews({ users: sourceUsers, social, log });
  const followers: Follower[] = [];
  const admitted = new Map<string, number>();
  const admittedBy = (pipeline: string): number => admitted.get(pipeline) ?? 0;
  const desk = new SourceDesk({
    store: engine.sources,
    clock,
    random: Math.random,
    logger: log,
    events,
    endsRound: (error) => reachOf(error) !== null,
    admit: async (arrival) => {
      const news = await admitArrival(arrival, followers, clock.now(), sourceNews, events);
      for (const [pipeline, n] of news) admitted.set(pipeline, admittedBy(pipeline) + n);
    },
  });
  return { desk, sourceUsers, follow: (pipeline) => followers.push(pipeline), admittedBy };
}
