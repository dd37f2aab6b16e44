import type { Reason, State } from '../item/lifecycle.ts';
import type { LogFields, Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { markSpan } from './tracing.ts';

/**
 * Events of the program, one method for each. An event feeds the log, the metrics and the active span. Item names and
 * URLs go into the log alone; labels are of low cardinality.
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
    /** Consecutive failures, including this one. */
    readonly failures: number;
  }): void;
  /** The network is unreachable, so no source is blamed. `already`: the previous poll failed for the same reason. */
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
  /** A failed attempt; `unknown` when the message may have been sent. */
  deliveryFailed(event: {
    readonly pipeline: string;
    readonly destination: string;
    readonly messageId: string;
    readonly outcome: 'refused' | 'retry' | 'unknown';
    readonly detail: string;
  }): void;
  /** An operator has to decide. */
  deliveryParked(event: {
    readonly pipeline: string;
    readonly destination: string;
    readonly messageId: string;
    readonly detail: string;
  }): void;
  judgeCalled(event: {
    readonly judge: string;
    readonly model: string;
    readonly question: 'evaluate' | 'screen' | 'summarise' | 'embed';
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
  /** A background loop (schedule, dispatching, processing, polling) failed and is retried. */
  loopFailed(event: {
    readonly pipeline: string;
    readonly loop: string;
    /** Consecutive failures, including this one. */
    readonly failures: number;
    readonly waitMs: number;
    readonly detail: string;
    readonly error: unknown;
  }): void;
  /** A queue message names no item and was moved to the dead-letter queue. */
  messageMalformed(event: {
    readonly pipeline: string;
    readonly messageId: string;
    readonly detail: string;
  }): void;
  requestServed(event: {
    readonly protocol: 'http' | 'grpc' | 'sse';
    /** Of HTTP. */
    readonly method?: string;
    /** The route pattern, never the requested URL. */
    readonly route: string;
    readonly status: string;
    readonly ms: number;
  }): void;
  /** One call to a remote user or post service, including its retries. */
  serviceCalled(event: {
    readonly service: string;
    readonly method: string;
    /** `ok`, `refused` for an invalid request, or why the service is unavailable. */
    readonly outcome: string;
    readonly attempts: number;
    readonly ms: number;
  }): void;
  streamClosed(event: { readonly cause: string; readonly ms: number }): void;
  /** A drop event was handled; `lagMs` is the time since the drop was created. */
  dropEventHandled(event: {
    readonly type: string;
    readonly outcome: 'handled' | 'malformed' | 'failed';
    readonly timelines: number;
    readonly ms: number;
    readonly lagMs?: number;
    readonly detail?: string;
  }): void;
  /** `hit`: the timeline was in the store. `miss`: it was rebuilt. */
  timelineRead(event: {
    readonly timeline: 'home' | 'local' | 'global';
    readonly outcome: 'hit' | 'miss';
  }): void;
  /** One call to Redis. `away`: unreachable or timed out (C25). */
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
    /** gRPC status name, if the call failed. */
    readonly code?: string;
  }): void;
}

export function createEvents(logger: Logger, metrics: Metrics): Events {
  const { add, record } = bound(metrics);
  const log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: LogFields): void => {
    logger[level](message, fields);
  };
  return {
    sourceRead(event) {
      const { kind, outcome, sightings, ms } = event;
      log(sightings > 0 ? 'info' : 'debug', 'Source read', event);
      add('kawaraban_source_readings_total', 1, { kind, outcome });
      record('kawaraban_source_duration_seconds', ms / 1000, { kind });
      markSpan('source.read', { kind, outcome });
    },
    sourceFailed(event) {
      const { kind, why } = event;
      log('warn', 'Failed to read source', event);
      add('kawaraban_source_readings_total', 1, { kind, outcome: why });
      markSpan('source.failed', { kind, why });
    },
    wentOffline(event) {
      const { kind, already } = event;
      log(already ? 'debug' : 'warn', 'Network unreachable, polling paused', event);
      add('kawaraban_source_readings_total', 1, { kind, outcome: 'offline' });
      markSpan('source.offline', { kind });
    },
    itemAdmitted(event) {
      const { pipeline, outcome } = event;
      log('debug', `Item ${outcome}`, event);
      add('kawaraban_sightings_total', 1, { pipeline, outcome });
      if (outcome === 'new') markSpan('item.admitted', { pipeline, outcome });
    },
    itemJudged(event) {
      const { pipeline, judge, provisional } = event;
      log('debug', 'Item judged', event);
      add('kawaraban_judgements_total', 1, { pipeline, judge, provisional: String(provisional) });
      markSpan('item.judged', { pipeline, judge });
    },
    itemFinished(event) {
      const { pipeline, to, reason } = event;
      log(to === 'failed' || to === 'parked' ? 'warn' : 'debug', `Item ${to}`, event);
      add('kawaraban_transitions_total', 1, { pipeline, state: to, reason });
      markSpan('item.settled', { pipeline, state: to, reason });
    },
    claimLost(event) {
      const { pipeline } = event;
      log('warn', 'Claim lost, result discarded', event);
      add('kawaraban_claims_lost_total', 1, { pipeline });
      markSpan('claim.lost', { pipeline });
    },
    deliverySent(event) {
      const { pipeline, destination, ms } = event;
      log('info', 'Message sent', event);
      add('kawaraban_deliveries_total', 1, { pipeline, destination, outcome: 'sent' });
      record('kawaraban_delivery_duration_seconds', ms / 1000, { destination });
      markSpan('delivery.sent', { pipeline, destination });
    },
    deliveryFailed(event) {
      const { pipeline, destination, outcome } = event;
      log('warn', 'Message not sent', event);
      add('kawaraban_deliveries_total', 1, { pipeline, destination, outcome });
      markSpan('delivery.failed', { pipeline, destination, outcome });
    },
    deliveryParked(event) {
      const { pipeline, destination } = event;
      log('error', 'Message parked, needs a decision', event);
      add('kawaraban_deliveries_total', 1, { pipeline, destination, outcome: 'parked' });
      markSpan('delivery.parked', { pipeline, destination });
    },
    judgeCalled(event) {
      const { judge, question, outcome, ms, inputTokens, outputTokens, microUsd } = event;
      log(outcome === 'judged' ? 'debug' : 'warn', 'Judge called', event);
      add('kawaraban_judge_calls_total', 1, { judge, question, outcome });
      record('kawaraban_judge_duration_seconds', ms / 1000, { judge, question });
      if (inputTokens > 0) add('kawaraban_judge_tokens_total', inputTokens, { judge, direction: 'input' });
      if (outputTokens > 0) add('kawaraban_judge_tokens_total', outputTokens, { judge, direction: 'output' });
      if (microUsd > 0) add('kawaraban_judge_micro_usd_total', microUsd, { judge });
      markSpan('judge.called', { judge, question, outcome });
    },
    runStarted(event) {
      log('info', 'Run started', event);
      markSpan('run.started', { pipeline: event.pipeline });
    },
    runFinished(event) {
      const { pipeline, outcome, ms } = event;
      log(outcome === 'failed' ? 'error' : 'info', `Run ${outcome}`, event);
      add('kawaraban_runs_total', 1, { pipeline, outcome });
      record('kawaraban_run_duration_seconds', ms / 1000, { pipeline });
      markSpan('run.finished', { pipeline, outcome });
    },
    loopFailed(event) {
      const { pipeline, loop } = event;
      log('error', 'Background loop failed, retrying', event);
      add('kawaraban_loop_failures_total', 1, { pipeline, loop });
      markSpan('loop.failed', { pipeline, loop });
    },
    messageMalformed(event) {
      const { pipeline } = event;
      log('error', 'Malformed queue message moved to the dead-letter queue', event);
      add('kawaraban_malformed_messages_total', 1, { pipeline });
      markSpan('message.malformed', { pipeline });
    },
    requestServed(event) {
      const { protocol, route, status, ms } = event;
      log('debug', 'Request served', event);
      add('kawaraban_requests_total', 1, { protocol, route, status });
      record('kawaraban_request_duration_seconds', ms / 1000, { protocol, route });
    },
    serviceCalled(event) {
      const { service, method, outcome, ms } = event;
      const fine = outcome === 'ok' || outcome === 'refused' || outcome === 'cancelled';
      log(fine ? 'debug' : 'warn', 'Remote service called', event);
      add('kawaraban_service_calls_total', 1, { service, method, outcome });
      record('kawaraban_service_duration_seconds', ms / 1000, { service, method });
    },
    streamClosed(event) {
      const { cause } = event;
      log('debug', 'Stream closed', event);
      add('kawaraban_streams_closed_total', 1, { cause });
      markSpan('stream.closed', { cause });
    },
    dropEventHandled(event) {
      const { type, outcome, timelines, ms, lagMs } = event;
      log(outcome === 'handled' ? 'debug' : 'warn', `Drop event ${outcome}`, event);
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
      log(code === undefined ? 'debug' : 'warn', 'Firestore called', event);
      if (reads > 0) add('firestore_reads_total', reads, { collection });
      if (writes > 0) add('firestore_writes_total', writes, { collection });
      if (deletes > 0) add('firestore_deletes_total', deletes, { collection });
      if (code !== undefined) add('firestore_errors_total', 1, { code });
      record('firestore_latency_seconds', ms / 1000, { operation });
      markSpan('firestore.called', { operation, collection });
    },
  };
}

/** For tests and embedded use. */
export const silentEvents: Events = new Proxy({} as Events, { get: () => () => {} });

function bound(metrics: Metrics): Pick<Metrics, 'add' | 'record'> {
  return { add: metrics.add.bind(metrics), record: metrics.record.bind(metrics) };
}
