/**
 * Every metric of the program. Attributes are of low cardinality: a pipeline, a kind, an outcome, a reason; never an
 * address, an item or a person. Names as Prometheus shows them.
 */
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SHORT_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2];
const LONG_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];

export const COUNTERS = {
  kawaraban_source_readings_total: 'Readings of sources, by kind and outcome.',
  kawaraban_sightings_total: 'Items seen in sources, by pipeline and whether they were new.',
  kawaraban_judgements_total: 'Items judged, by pipeline and judge.',
  kawaraban_transitions_total: 'Changes of state, by pipeline, target state and reason.',
  kawaraban_claims_lost_total: 'Claims that ran out before the work was done, by pipeline.',
  kawaraban_deliveries_total: 'Messages, by pipeline, destination and outcome.',
  kawaraban_runs_total: 'Runs that ended, by pipeline and outcome.',
  kawaraban_loop_failures_total:
    'Failures of what goes on all the time, by pipeline and loop; each is tried again.',
  kawaraban_malformed_messages_total:
    'Messages of a queue that name no item and went to its dead letters, by pipeline.',
  kawaraban_judge_calls_total: 'Calls of a judge, by judge, question and outcome.',
  kawaraban_judge_tokens_total: 'Tokens, by judge and direction.',
  kawaraban_judge_micro_usd_total: 'Money spent on judges in millionths of a US dollar.',
  kawaraban_requests_total: 'Requests served, by protocol, route and status.',
  kawaraban_service_calls_total: 'Calls to remote user and post services, by service, method and outcome.',
  kawaraban_streams_closed_total: 'Live streams that ended, by cause.',
  kawaraban_events_total: 'Drop events handled, by type and outcome.',
  kawaraban_timeline_pages_total: 'Timeline pages, by timeline and whether the list was there.',
  kawaraban_redis_errors_total: 'Calls to Redis that failed, by command and whether it was away.',
  firestore_reads_total: 'Documents read from Firestore, by collection.',
  firestore_writes_total: 'Documents written to Firestore, by collection.',
  firestore_deletes_total: 'Documents deleted from Firestore, by collection.',
  firestore_errors_total:
    'Errors that Firestore answered with, by code (`PermissionDenied`, `Unavailable`, …).',
} as const;
export type CounterName = keyof typeof COUNTERS;

export const HISTOGRAMS = {
  kawaraban_run_duration_seconds: { says: 'How long runs took.', buckets: LONG_SECONDS },
  kawaraban_source_duration_seconds: { says: 'How long readings of sources took.', buckets: SECONDS },
  kawaraban_judge_duration_seconds: { says: 'How long judges took.', buckets: SECONDS },
  kawaraban_delivery_duration_seconds: { says: 'How long sending a message took.', buckets: SECONDS },
  kawaraban_request_duration_seconds: { says: 'How long requests took.', buckets: SECONDS },
  kawaraban_service_duration_seconds: {
    says: 'How long remote user and post services took.',
    buckets: SECONDS,
  },
  kawaraban_fan_out_duration_seconds: {
    says: 'How long a drop took to reach all timelines.',
    buckets: SECONDS,
  },
  kawaraban_event_lag_seconds: { says: 'From the making of a drop to its handling.', buckets: SECONDS },
  kawaraban_redis_duration_seconds: { says: 'How long Redis took, by command.', buckets: SHORT_SECONDS },
  firestore_latency_seconds: { says: 'How long Firestore took, by operation.', buckets: SECONDS },
} as const;
export type HistogramName = keyof typeof HISTOGRAMS;

export const GAUGES = {
  kawaraban_items: 'Items in the ledger, by pipeline and state.',
  kawaraban_outbox: 'Messages in the outbox, by pipeline and state.',
  kawaraban_oldest_open_seconds: 'Age of the oldest item that waits, by pipeline.',
  kawaraban_queue_depth: 'Items that wait in a queue, by pipeline.',
  kawaraban_scheduler_acts: 'Whether this copy is the scheduler that acts: 1, or 0 while it stands by.',
  kawaraban_streams_open: 'Live streams that are open.',
  kawaraban_fan_out_waiting: 'Drops that wait to be fanned out.',
  kawaraban_redis_memory_bytes: 'Memory that Redis uses, over all servers.',
  kawaraban_redis_up: '1 while Redis answers, 0 while it is away.',
  process_resident_memory_bytes: 'Resident memory.',
  process_uptime_seconds: 'Time since the program started.',
} as const;
export type GaugeName = keyof typeof GAUGES;

export type Labels = Readonly<Record<string, string>>;

/** Numbers about the program. What is counted, and under which names, stands in `instruments.ts`. */
export interface Metrics extends AsyncDisposable {
  add(name: CounterName, value: number, labels?: Labels): void;
  record(name: HistogramName, value: number, labels?: Labels): void;
  /** Asked at every scrape. One that fails is left out of that scrape. */
  observe(name: GaugeName, read: () => GaugeValue[] | Promise<GaugeValue[]>): void;
  /** Everything in Prometheus' text format. */
  text(): Promise<string>;
}

export interface GaugeValue {
  readonly value: number;
  readonly labels?: Labels;
}

/** For tests, and where metrics are switched off. */
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
