import type { PipelineConfig } from '../config/resolve.ts';
import type { ItemKey, Sighting } from '../item/item.ts';
import type { Intervention, ItemStore, SweepReport } from '../ledger/ledger.ts';
import { applyEdits, EditDetector } from '../outbox/edits.ts';
import type { MessageStore } from '../outbox/outbox.ts';
import type { RevisionStore } from '../outbox/publishing-stores.ts';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import type { Heartbeats } from '../scheduler/health.ts';
import { StalledLeaseDetector } from '../scheduler/lease.ts';
import { runLoop, runTogether, sleepFor } from '../scheduler/loop.ts';
import { type RunProgress, type RunReport, type Unfinished, unfinishedOf } from '../scheduler/run-report.ts';
import type { RunStore } from '../scheduler/run-store.ts';
import { dueAt, startOfWait } from '../scheduler/schedule.ts';
import { type RunnerDependencies, type RunResult, runOnce, runOnSchedule } from '../scheduler/scheduler.ts';
import type { PipelineSources } from '../sources/pipeline-sources.ts';
import type { CorrectedTimes } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { runDispatchLoop } from './background-dispatch.ts';
import { correctFutureTimes } from './correct-times.ts';
import type { CuratorStore } from './curator-store.ts';
import { decideMessage, type MessageDecision, retryItem } from './decide-message.ts';
import type { LeaderTerm, Pipeline, Preview, RunOptions, SweepOptions } from './pipeline.ts';
import type { LivePipelineSettings, PipelineSettings } from './pipeline-settings.ts';
import { dispatchDue, type PublishDependencies } from './publish.ts';

/** A dispatch that takes longer than this hangs: each message has a time limit of its own. */
const MAX_DISPATCH_MS = 15 * MINUTE;
/** How often a pipeline that was paused at the start looks whether it has been resumed. */
const RESUME_CHECK_MS = 30 * SECOND;

/** One run of a use case (curate, summarise, check) with its collaborators. */
export type Work = (
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options?: RunOptions,
) => Promise<RunReport>;

export interface ConfiguredPipelineOptions {
  readonly settings: PipelineConfig;
  /** What can be changed while the program runs. */
  readonly live: LivePipelineSettings;
  readonly sources: PipelineSources;
  /** Collaborators of its use cases for publishing. */
  readonly publishing: PublishDependencies & { readonly wakeUp: WakeUpSignal };
  /** `null` if the pipeline is not a curator. */
  readonly curator: CuratorStore | null;
  readonly runs: RunStore;
  readonly work: Work;
  readonly preview: Pipeline['preview'];
  /** Processes what the queue delivers, until the signal; `null` where this pipeline has no queue. */
  readonly worker: ((signal: AbortSignal) => Promise<void>) | null;
  /** Imports records that another program sharing the database wrote since the last run. */
  readonly adopt: (() => Promise<unknown>) | null;
  /** Where messages to be edited are recorded; `null` where no destination edits. */
  readonly revisions: RevisionStore | null;
  readonly heartbeats: Heartbeats;
  /** The author of its drops; `null` where it posts to no timeline. */
  readonly userId: string | null;
  /** How long a tombstone outlives its item. */
  readonly tombstonesMs: number;
}

/** One pipeline of the configuration: its runs, its background work, and a person's decisions on its items. */
export class ConfiguredPipeline implements Pipeline {
  readonly id: string;
  readonly name: string;
  readonly kind: PipelineConfig['kind'];
  readonly ledger: ItemStore;
  readonly outbox: MessageStore;
  readonly destinations: readonly string[];
  readonly userId: string | null;
  readonly preview: (signal: AbortSignal, watch?: (progress: RunProgress) => void) => Promise<Preview>;
  readonly #options: ConfiguredPipelineOptions;
  readonly #runner: RunnerDependencies;
  readonly #leases: StalledLeaseDetector;
  readonly #edits: EditDetector | null;
  readonly #editWakeUp: WakeUpSignal;

  constructor(options: ConfiguredPipelineOptions) {
    const { settings, publishing, runs, work, adopt, revisions } = options;
    const { clock, owner, events, wakeUp } = publishing;
    this.#options = options;
    this.id = settings.id;
    this.name = settings.name;
    this.kind = settings.kind;
    this.ledger = publishing.ledger;
    this.outbox = publishing.outbox;
    this.destinations = settings.publish;
    this.userId = options.userId;
    this.preview = options.preview;
    this.#leases = new StalledLeaseDetector(clock);
    this.#edits = revisions === null ? null : new EditDetector({ ...publishing, revisions });
    this.#editWakeUp = new WakeUpSignal(clock);
    this.#runner = {
      pipeline: settings.id,
      schedule: options.live.schedule(settings.id),
      since: clock.now(),
      runs,
      clock,
      owner,
      onBegin: async () => void (await adopt?.()),
      // Messages that the run leaves unfinished are dispatched as soon as it ends.
      work: (signal, watch, runOptions) => work(signal, watch, runOptions).finally(() => wakeUp.wake()),
      events,
    };
  }

  get sources(): readonly string[] {
    return [...this.#options.sources];
  }

  run(
    signal: AbortSignal,
    watch?: (progress: RunProgress) => void,
    options?: RunOptions,
  ): Promise<RunResult> {
    const { work } = this.#runner;
    return runOnce(
      { ...this.#runner, work: (stop, progress, lease) => work(stop, progress, { ...options, ...lease }) },
      signal,
      watch,
    );
  }

  async runOnSchedule({ signal, runSignal = signal, fence }: LeaderTerm): Promise<void> {
    await runOnSchedule({ ...this.#runner, ...(fence !== undefined && { fence }) }, signal, runSignal);
  }

  async runBackgroundWork(signal: AbortSignal): Promise<void> {
    const { publishing, worker, revisions, heartbeats } = this.#options;
    await this.#waitUntilEnabled(signal);
    if (signal.aborted) return;
    const heartbeat = `dispatch:${this.id}`;
    const onIteration = (): void => heartbeats.beat(heartbeat, MAX_DISPATCH_MS);
    const loops = [(stop: AbortSignal) => runDispatchLoop(publishing, publishing.wakeUp, onIteration, stop)];
    if (worker !== null) loops.push(worker);
    if (revisions !== null) loops.push((stop) => this.#runEditLoop(revisions, stop));
    await runTogether(loops, signal).finally(() => heartbeats.remove(heartbeat));
  }

  /** Messages of a pipeline that is paused later are still dispatched. */
  async #waitUntilEnabled(signal: AbortSignal): Promise<void> {
    const { live, publishing } = this.#options;
    const { clock, events } = publishing;
    const iterate = async (): Promise<'again' | 'over'> => {
      if ((await live.effective(this.id)).enabled) return 'over';
      return (await sleepFor(clock, RESUME_CHECK_MS, signal)) ? 'again' : 'over';
    };
    await runLoop(iterate, { pipeline: this.id, loop: 'settings', clock, events }, signal);
  }

  unfinished(limit: number): Promise<Unfinished> {
    return unfinishedOf(this.#options.publishing, limit);
  }

  async nextRunAt(): Promise<number | null> {
    const { live, publishing, runs } = this.#options;
    const [current, last] = await Promise.all([live.schedule(this.id).read(), runs.last(this.id)]);
    if (current === null) return null;
    const { schedule, since } = current;
    return dueAt(schedule, startOfWait(schedule, last?.startedAt ?? null, since), publishing.clock.now());
  }

  currentSettings(): Promise<PipelineSettings> {
    return this.#options.live.effective(this.id);
  }

  correctFutureTimes(): Promise<CorrectedTimes> {
    const { settings, publishing, curator } = this.#options;
    return correctFutureTimes({
      ...publishing,
      curator,
      destinations: settings.publish,
      leaseMs: settings.lease,
      leases: this.#leases,
    });
  }

  async dispatch(signal?: AbortSignal): Promise<void> {
    await dispatchDue(this.#options.publishing, signal);
    await this.#applyEdits(signal);
  }

  decideMessage(key: string, decision: MessageDecision, who: string): Promise<boolean> {
    return decideMessage(key, decision, who, this.#options.publishing);
  }

  retryItem(key: ItemKey, who: string): Promise<Intervention> {
    return retryItem(key, who, this.#options.publishing);
  }

  async seenAgain(sightings: readonly Sighting[]): Promise<void> {
    await this.#edits?.detect(sightings);
    await this.#applyEdits();
  }

  sweep({ dryRun, onProgress, signal }: SweepOptions): Promise<SweepReport> {
    const { settings, tombstonesMs } = this.#options;
    return this.ledger.sweep({
      keep: settings.keep,
      withoutTombstone: settings.forget,
      keepTombstones: tombstonesMs,
      dryRun,
      ...(onProgress !== undefined && { onProgress }),
      ...(signal !== undefined && { signal }),
    });
  }

  async #applyEdits(signal?: AbortSignal): Promise<void> {
    const { publishing, revisions } = this.#options;
    if (revisions !== null) await applyEdits({ ...publishing, revisions, wakeUp: this.#editWakeUp }, signal);
  }

  /** Retries edits that failed. */
  async #runEditLoop({ pollIntervalMs }: RevisionStore, signal: AbortSignal): Promise<void> {
    const iterate = async (): Promise<'again'> => {
      await this.#applyEdits(signal);
      await this.#editWakeUp.wait(pollIntervalMs, signal);
      return 'again';
    };
    const { clock, events } = this.#options.publishing;
    await runLoop(iterate, { pipeline: this.id, loop: 'editing', clock, events }, signal);
  }
}
