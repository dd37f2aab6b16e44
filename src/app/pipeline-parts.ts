import type { Config } from '../config/config.ts';
import type { InterestsHistory } from '../judge/interests-history.ts';
import type { Judge } from '../judge/judge.ts';
import type { DailyCap } from '../press/daily-cap.ts';
import type { Rests } from '../press/rests.ts';
import type { RevisionStore } from '../press/revisions.ts';
import type { ArticleReader } from '../reading/article.ts';
import type { AttachmentLimits, AttachmentReader } from '../reading/attachments.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import type { Poller } from '../sources/poller.ts';
import type { PolledSource } from '../sources/source-reader.ts';
import type { TimelineService } from '../stream/timeline-service.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { Engine } from './engine.ts';
import type { Users } from './patient-users.ts';
import type { Pulse } from './pulse.ts';

/** What every pipeline is made of. */
export interface PipelineParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
  /** By which it is seen that loops turn. */
  readonly pulse: Pulse;
  readonly fetcher: Fetcher;
  /** What services said about their limits. */
  readonly rests: Rests;
  /** How much destinations get in a day, whoever sends it, by their IDs. */
  readonly caps: ReadonlyMap<string, DailyCap>;
  /** Where messages are noted that are to be edited; `null` where no destination does that. */
  readonly revisions: RevisionStore | null;
  readonly reader: ArticleReader;
  readonly attachments: (limits: AttachmentLimits) => AttachmentReader;
  readonly judges: ReadonlyMap<string, Judge>;
  readonly history: InterestsHistory;
  /** Every enabled source, by its ID. */
  readonly sources: ReadonlyMap<string, PolledSource>;
  readonly poller: Poller;
  readonly timelines: TimelineService;
  /** Where pipelines get their authors. */
  readonly authors: Users;
  /** This process, in claims and leases. */
  readonly owner: string;
}
