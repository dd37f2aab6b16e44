import type { Reason, State } from '../item/lifecycle.ts';
import type { LogFields, Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { markSpan } from './tracing.ts';

/**
 * What happens in the newsroom, one method for each thing worth telling. Each feeds the log, the counters and the
 * trace under way. Names of items and addresses go into the log alone; labels are of low cardinality.
 */
export interface Events {
  sourceRead(event: {
    readonly source: string;
    readonly kind: string;
    readonly outcome: 'read' | 'unchanged';
    readonly sightings: number;
    readonly ms: number;
  }): void;
  sourceFailed(event: {
    readonly source: string;
    readonly kind: string;
    readonly why: string;
    readonly detail: string;
    /** In a row, this one included. */
    readonly failures: number;
  }): void;
  /** Nothing can be reached, so no source is blamed. `already`: the one before could not be read for the same reason. */
  wentOffline(event: {
    readonly source: string;
    readonly kind: string;
    readonly already: boolean;
    readonly detail: string;
  }): void;
  itemAdmitted(event: {
    readonly pipeline: string;
    readonly item: string;
    readonly source: string;
    readonly outcome: 'new' | 'baseline' | 'known' | 'swept' | 'refused';
  }): void;
  itemJudged(event: {
    readonly pipeline: string;
    readonly item: string;
    readonly judge: string;
    readonly score: number | null;
    readonly provisional: boolean;
  }): void;
  itemFinished(event: {
    readonly pipeline: string;
    readonly item: string;
    readonly from: State;
    readonly to: State;
    readonly reason: Reason;
    readonly detail?: string | null;
  }): void;
  claimLost(event: { readonly pipeline: string; readonly item: string; readonly owner: string }): void;
  deliverySent(event: {
    readonly pipeline: string;
    readonly destination: string;
    /** Key of the message in the outbox. */
    readonly messageId: string;
    readonly remoteId: string;
    readonly ms: number;
  }): void;
  /** Not sent this time; `unknown` when it may have been. */
  deliveryFailed(event: {
    readonly pipeline: string;
    readonly destination: string;
    readonly messageId: string;
    readonly outcome: 'refused' | 'retry' | 'unknown';
    readonly detail: string;
  }): void;
  /** Only a person can decide now. */
  deliveryParked(event: {
    readonly pipeline: string;
    readonly destination: string;
    readonly messageId: string;
    readonly detail: string;
  }): void;
  judgeCalled(event: {
    readonly judge: string;
    readonly model: string;
    readonly question: 'evaluate' | 'screen' | 'summarise';
    readonly outcome: 'judged' | 'later' | 'unfit';
    readonly why?: string;
    readonly ms: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly microUsd: number;
  }): void;
  runStarted(event: { readonly pipeline: string; readonly run: string; readonly trigger: string }): void;
  runFinished(event: {
    readonly pipeline: string;
    readonly run: string;
    readonly outcome: 'finished' | 'failed' | 'stopped';
    readonly summary: string;
    readonly ms: number;
  }): void;
  /** What goes on all the time (schedule, dispatching, processing, looking) failed, and is tried again. */
  loopFailed(event: {
    readonly pipeline: string;
    readonly loop: string;
    /** In a row, this one included. */
    readonly failures: number;
    readonly waitMs: number;
    readonly detail: string;
    readonly error: unknown;
  }): void;
  /** A message of a queue names no item, and went to the queue's dead letters. */
  messageMalformed(event: {
    readonly pipeline: string;
    readonly messageId: string;
    readonly detail: string;
  }): void;
  requestServed(event: {
    readonly protocol: 'http' | 'grpc' | 'sse';
    /** The pattern, never the address that was asked for. */
    readonly route: string;
    readonly status: string;
    readonly ms: number;
  }): void;
  /** One call to a remote user or post service, all its attempts together. */
  serviceCalled(event: {
    readonly service: string;
    readonly method: string;
    /** `ok`, `refused` for a mistake of ours, or why the service is unavailable. */
    readonly outcome: string;
    readonly attempts: number;
    readonly ms: number;
  }): void;
  streamClosed(event: { readonly cause: string; readonly ms: number }): void;
  /** A drop event was handled; `lagMs` from the making of the drop. */
  dropEventHandled(event: {
    readonly type: string;
    readonly outcome: 'handled' | 'malformed' | 'failed';
    readonly timelines: number;
    readonly ms: number;
    readonly lagMs?: number;
    readonly detail?: string;
  }): void;
  /** `hit`: the list was there. `miss`: it had to be made. */
  timelineRead(event: {
    readonly timeline: 'home' | 'local' | 'global';
    readonly outcome: 'hit' | 'miss';
  }): void;
  /** One call to Redis. `away`: it could not be reached or did not answer in time (C25). */
  redisCalled(event: {
    readonly command: string;
    readonly outcome: 'answered' | 'refused' | 'away';
    readonly ms: number;
  }): void;
  /** One call to Firestore (A17). */
  firestoreCalled(event: {
    readonly operation: string;
    readonly collection: string;
    readonly reads?: number;
    readonly writes?: number;
    readonly deletes?: number;
    readonly ms: number;
    /** gRPC's name of the error, where it failed. */
    readonly code?: string;
  }): void;
}

export function createEvents(logger: Logger, metrics: Metrics): Events {
  const { add, record } = bound(metrics);
  const tell = (level: 'debug' | 'info' | 'warn' | 'error', sentence: string, fields: LogFields): void => {
    logger[level](sentence, fields);
  };
  return {
    sourceRead(event) {
      const { kind, outcome, sightings, ms } = event;
      tell(sightings > 0 ? 'info' : 'debug', 'Source read', event);
      add('kawaraban_source_readings_total', 1, { kind, outcome });
      record('kawaraban_source_duration_seconds', ms / 1000, { kind });
      markSpan('source.read', { kind, outcome });
    },
    sourceFailed(event) {
      const { kind, why } = event;
      tell('warn', 'Source could not be read', event);
      add('kawaraban_source_readings_total', 1, { kind, outcome: why });
      markSpan('source.failed', { kind, why });
    },
    wentOffline(event) {
      const { kind, already } = event;
      tell(already ? 'debug' : 'warn', 'Nothing can be reached; sources wait', event);
      add('kawaraban_source_readings_total', 1, { kind, outcome: 'offline' });
      markSpan('source.offline', { kind });
    },
    itemAdmitted(event) {
      const { pipeline, outcome } = event;
      tell('debug', `Item ${outcome}`, event);
      add('kawaraban_sightings_total', 1, { pipeline, outcome });
      if (outcome === 'new') markSpan('item.admitted', { pipeline, outcome });
    },
    itemJudged(event) {
      const { pipeline, judge, provisional } = event;
      tell('debug', 'Item judged', event);
      add('kawaraban_judgements_total', 1, { pipeline, judge, provisional: String(provisional) });
      markSpan('item.judged', { pipeline, judge });
    },
    itemFinished(event) {
      const { pipeline, to, reason } = event;
      tell(to === 'failed' || to === 'parked' ? 'warn' : 'debug', `Item ${to}`, event);
      add('kawaraban_transitions_total', 1, { pipeline, state: to, reason });
      markSpan('item.settled', { pipeline, state: to, reason });
    },
    claimLost(event) {
      const { pipeline } = event;
      tell('warn', 'Claim lost; the work was thrown away', event);
      add('kawaraban_claims_lost_total', 1, { pipeline });
      markSpan('claim.lost', { pipeline });
    },
    deliverySent(event) {
      const { pipeline, destination, ms } = event;
      tell('info', 'Message sent', event);
      add('kawaraban_deliveries_total', 1, { pipeline, destination, outcome: 'sent' });
      record('kawaraban_delivery_duration_seconds', ms / 1000, { destination });
      markSpan('delivery.sent', { pipeline, destination });
    },
    deliveryFailed(event) {
      const { pipeline, destination, outcome } = event;
      tell('warn', 'Message not sent', event);
      add('kawaraban_deliveries_total', 1, { pipeline, destination, outcome });
      markSpan('delivery.failed', { pipeline, destination, outcome });
    },
    deliveryParked(event) {
      const { pipeline, destination } = event;
      tell('error', 'Message parked; a person has to decide', event);
      add('kawaraban_deliveries_total', 1, { pipeline, destination, outcome: 'parked' });
      markSpan('delivery.parked', { pipeline, destination });
    },
    judgeCalled(event) {
      const { judge, question, outcome, ms, inputTokens, outputTokens, microUsd } = event;
      tell(outcome === 'judged' ? 'debug' : 'warn', 'Judge called', event);
      add('kawaraban_judge_calls_total', 1, { judge, question, outcome });
      record('kawaraban_judge_duration_seconds', ms / 1000, { judge, question });
      if (inputTokens > 0) add('kawaraban_judge_tokens_total', inputTokens, { judge, direction: 'input' });
      if (outputTokens > 0) add('kawaraban_judge_tokens_total', outputTokens, { judge, direction: 'output' });
      if (microUsd > 0) add('kawaraban_judge_micro_usd_total', microUsd, { judge });
      markSpan('judge.called', { judge, question, outcome });
    },
    runStarted(event) {
      tell('info', 'Run started', event);
      markSpan('run.started', { pipeline: event.pipeline });
    },
    runFinished(event) {
      const { pipeline, outcome, ms } = event;
      tell(outcome === 'failed' ? 'error' : 'info', `Run ${outcome}`, event);
      add('kawaraban_runs_total', 1, { pipeline, outcome });
      record('kawaraban_run_duration_seconds', ms / 1000, { pipeline });
      markSpan('run.finished', { pipeline, outcome });
    },
    loopFailed(event) {
      const { pipeline, loop } = event;
      tell('error', 'Something failed that goes on all the time; it is tried again', event);
      add('kawaraban_loop_failures_total', 1, { pipeline, loop });
      markSpan('loop.failed', { pipeline, loop });
    },
    messageMalformed(event) {
      const { pipeline } = event;
      tell('error', 'Malformed queue message moved to the dead letters', event);
      add('kawaraban_malformed_messages_total', 1, { pipeline });
      markSpan('message.malformed', { pipeline });
    },
    requestServed(event) {
      const { protocol, route, status, ms } = event;
      tell('debug', 'Request served', event);
      add('kawaraban_requests_total', 1, { protocol, route, status });
      record('kawaraban_request_duration_seconds', ms / 1000, { protocol, route });
    },
    serviceCalled(event) {
      const { service, method, outcome, ms } = event;
      const fine = outcome === 'ok' || outcome === 'refused' || outcome === 'cancelled';
      tell(fine ? 'debug' : 'warn', 'Remote service called', event);
      add('kawaraban_service_calls_total', 1, { service, method, outcome });
      record('kawaraban_service_duration_seconds', ms / 1000, { service, method });
    },
    streamClosed(event) {
      const { cause } = event;
      tell('debug', 'Stream closed', event);
      add('kawaraban_streams_closed_total', 1, { cause });
      markSpan('stream.closed', { cause });
    },
    dropEventHandled(event) {
      const { type, outcome, timelines, ms, lagMs } = event;
      tell(outcome === 'handled' ? 'debug' : 'warn', `Drop event ${outcome}`, event);
      add('kawaraban_events_total', 1, { type, outcome });
      if (timelines > 0) record('kawaraban_fan_out_duration_seconds', ms / 1000);
      if (lagMs !== undefined) record('kawaraban_event_lag_seconds', lagMs / 1000, { type });
      markSpan('drop.event', { type, outcome });
    },
    timelineRead({ timeline, outcome }) {
      add('kawaraban_timeline_pages_total', 1, { timeline, outcome });
      markSpan('timeline.read', { timeline, outcome });
    },
    redisCalled({ command, outcome, ms }) {
      record('kawaraban_redis_duration_seconds', ms / 1000, { command });
      if (outcome !== 'answered') add('kawaraban_redis_errors_total', 1, { command, outcome });
    },
    firestoreCalled(event) {
      const { operation, collection, reads = 0, writes = 0, deletes = 0, ms, code } = event;
      tell(code === undefined ? 'debug' : 'warn', 'Firestore called', event);
      if (reads > 0) add('firestore_reads_total', reads, { collection });
      if (writes > 0) add('firestore_writes_total', writes, { collection });
      if (deletes > 0) add('firestore_deletes_total', deletes, { collection });
      if (code !== undefined) add('firestore_errors_total', 1, { code });
      record('firestore_latency_seconds', ms / 1000, { operation });
      markSpan('firestore.called', { operation, collection });
    },
  };
}

/** For tests and for parts that are used without a program around them. */
export const silentEvents: Events = new Proxy({} as Events, { get: () => () => {} });

function bound(metrics: Metrics): Pick<Metrics, 'add' | 'record'> {
  return { add: metrics.add.bind(metrics), record: metrics.record.bind(metrics) };
}
