/**
 * All metrics. Labels are of low cardinality: a pipeline, a kind, an outcome, a reason; never a URL, an item or a
 * person. Names as in Prometheus.
 */
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SHORT_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2];
const LONG_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];

export const COUNTERS = {
  kawaraban_source_readings_total: 'Polls of sources, by kind and outcome.',
  kawaraban_sightings_total: 'Items seen in sources, by pipeline and whether they were new.',
  kawaraban_judgements_total: 'Items judged, by pipeline and judge.',
  kawaraban_transitions_total: 'State transitions of items, by pipeline, target state and reason.',
  kawaraban_claims_lost_total: 'Claims whose lease expired before the work was done, by pipeline.',
  kawaraban_deliveries_total: 'Deliveries of messages, by pipeline, destination and outcome.',
  kawaraban_runs_total: 'Finished runs, by pipeline and outcome.',
  kawaraban_loop_failures_total: 'Failures of background loops, by pipeline and loop; each is retried.',
  kawaraban_malformed_messages_total:
    'Queue messages that name no item and were moved to the dead-letter queue, by pipeline.',
  kawaraban_judge_calls_total: 'Calls to judges, by judge, question and outcome.',
  kawaraban_judge_tokens_total: 'Tokens used by judges, by judge and direction.',
  kawaraban_judge_micro_usd_total: 'Money spent on judges in millionths of a US dollar.',
  kawaraban_requests_total: 'Requests served, by protocol, route and status.',
  kawaraban_service_calls_total: 'Calls to remote user and post services, by service, method and outcome.',
  kawaraban_streams_closed_total: 'Closed live streams, by cause.',
  kawaraban_events_total: 'Drop events handled, by type and outcome.',
  kawaraban_timeline_pages_total: 'Timeline pages, by timeline and cache hit or miss.',
  kawaraban_redis_errors_total:
    'Failed calls to Redis, by command and outcome: refused, or away (unreachable or timed out).',
  firestore_reads_total: 'Documents read from Firestore, by collection.',
  firestore_writes_total: 'Documents written to Firestore, by collection.',
  firestore_deletes_total: 'Documents deleted from Firestore, by collection.',
  firestore_errors_total: 'Errors returned by Firestore, by code (`PermissionDenied`, `Unavailable`, …).',
} as const;
export type CounterName = keyof typeof COUNTERS;

export const HISTOGRAMS = {
  kawaraban_run_duration_seconds: { says: 'Duration of runs.', buckets: LONG_SECONDS },
  kawaraban_source_duration_seconds: { says: 'Duration of source polls.', buckets: SECONDS },
  kawaraban_judge_duration_seconds: { says: 'Duration of judge calls.', buckets: SECONDS },
  kawaraban_delivery_duration_seconds: { says: 'Duration of sending a message.', buckets: SECONDS },
  kawaraban_request_duration_seconds: { says: 'Duration of requests.', buckets: SECONDS },
  kawaraban_service_duration_seconds: {
    says: 'Duration of calls to remote user and post services.',
    buckets: SECONDS,
  },
  kawaraban_fan_out_duration_seconds: {
    says: 'Duration of the fan-out of a drop to all timelines.',
    buckets: SECONDS,
  },
  kawaraban_event_lag_seconds: {
    says: 'Time from the creation of a drop to its handling.',
    buckets: SECONDS,
  },
  kawaraban_redis_duration_seconds: { says: 'Duration of Redis calls, by command.', buckets: SHORT_SECONDS },
  firestore_latency_seconds: { says: 'Duration of Firestore calls, by operation.', buckets: SECONDS },
} as const;
export type HistogramName = keyof typeof HISTOGRAMS;

export const GAUGES = {
  kawaraban_items: 'Items in the ledger, by pipeline and state.',
  kawaraban_outbox: 'Messages in the outbox, by pipeline and state.',
  kawaraban_oldest_open_seconds: 'Age of the oldest waiting item, by pipeline.',
  kawaraban_queue_depth: 'Items waiting in a queue, by pipeline.',
  kawaraban_scheduler_acts: '1 while this replica is the leader of the schedulers, 0 while it is on standby.',
  kawaraban_streams_open: 'Open live streams.',
  kawaraban_fan_out_waiting: 'Drops waiting for fan-out.',
  kawaraban_redis_memory_bytes: 'Memory used by Redis, over all servers.',
  kawaraban_redis_up: '1 while Redis is reachable, 0 otherwise.',
  kawaraban_tls_certificate_expiry_seconds:
    'Time until the TLS certificate in use expires, by use: http, grpc, services or redis.',
  process_resident_memory_bytes: 'Resident memory.',
  process_uptime_seconds: 'Time since the program started.',
} as const;
export type GaugeName = keyof typeof GAUGES;

export type Labels = Readonly<Record<string, string>>;

/** Counters, histograms and gauges by the names above. */
export interface Metrics extends AsyncDisposable {
  add(name: CounterName, value: number, labels?: Labels): void;
  record(name: HistogramName, value: number, labels?: Labels): void;
  /** Registers a gauge that is read at every scrape. A gauge that fails is left out of that scrape. */
  observe(name: GaugeName, read: () => GaugeValue[] | Promise<GaugeValue[]>): void;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

export interface GaugeValue {
  readonly value: number;
  readonly labels?: Labels;
}

/** For tests, and where metrics are disabled. */
export const silentMetrics: Metrics = {
  add() {},
  record() {},
  observe() {},
  text: async () => '',
  async [Symbol.asyncDispose]() {},
};

export interface MetricsOptions {
  readonly serviceName: string;
  readonly version: string;
}
