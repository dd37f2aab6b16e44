import { COUNTERS, GAUGES, HISTOGRAMS } from '../src/telemetry/metrics.ts';

interface Panel {
  readonly title: string;
  readonly says?: string;
  readonly unit?: string;
  readonly kind?: 'timeseries' | 'stat';
  /** Expression and legend. */
  readonly of: readonly (readonly [expression: string, legend: string])[];
}

const quantile = (metric: string, by: string): string =>
  `histogram_quantile(0.95, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`;

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  'At a glance': [
    { title: 'Copies', kind: 'stat', of: [['count(up{job="kawaraban"} == 1)', 'copies']] },
    { title: 'Scheduler leaders', kind: 'stat', of: [['sum(kawaraban_scheduler_acts)', 'leaders']] },
    {
      title: 'Parked messages',
      kind: 'stat',
      of: [['sum(kawaraban_outbox{state="parked"})', 'parked']],
    },
    {
      title: 'Oldest waiting item',
      kind: 'stat',
      unit: 's',
      of: [['max(kawaraban_oldest_open_seconds)', 'age']],
    },
  ],
  Pipelines: [
    {
      title: 'Finished runs',
      of: [['sum by (pipeline, outcome) (increase(kawaraban_runs_total[1h]))', '{{pipeline}} {{outcome}}']],
    },
    {
      title: 'Duration of runs (p95)',
      unit: 's',
      of: [[quantile('kawaraban_run_duration_seconds', 'pipeline'), '{{pipeline}}']],
    },
    {
      title: 'Items by state',
      of: [['sum by (pipeline, state) (kawaraban_items)', '{{pipeline}} {{state}}']],
    },
    {
      title: 'Decisions',
      of: [
        [
          'sum by (pipeline, state, reason) (increase(kawaraban_transitions_total[1h]))',
          '{{pipeline}} → {{state}} ({{reason}})',
        ],
      ],
    },
    {
      title: 'Items seen',
      of: [
        ['sum by (pipeline, outcome) (increase(kawaraban_sightings_total[1h]))', '{{pipeline}} {{outcome}}'],
      ],
    },
    { title: 'Waiting videos', of: [['sum by (pipeline) (kawaraban_queue_depth)', '{{pipeline}}']] },
    {
      title: 'Claims lost',
      of: [['sum by (pipeline) (increase(kawaraban_claims_lost_total[1h]))', '{{pipeline}}']],
    },
  ],
  Sources: [
    {
      title: 'Readings',
      of: [
        ['sum by (kind, outcome) (increase(kawaraban_source_readings_total[1h]))', '{{kind}} {{outcome}}'],
      ],
    },
    {
      title: 'Duration of polls (p95)',
      unit: 's',
      of: [[quantile('kawaraban_source_duration_seconds', 'kind'), '{{kind}}']],
    },
  ],
  Judges: [
    {
      title: 'Calls',
      of: [
        [
          'sum by (judge, question, outcome) (increase(kawaraban_judge_calls_total[1h]))',
          '{{judge}} {{question}} {{outcome}}',
        ],
      ],
    },
    {
      title: 'Duration of judge calls (p95)',
      unit: 's',
      of: [[quantile('kawaraban_judge_duration_seconds', 'judge'), '{{judge}}']],
    },
    {
      title: 'Tokens',
      of: [
        [
          'sum by (judge, direction) (increase(kawaraban_judge_tokens_total[1d]))',
          '{{judge}} {{direction}} in a day',
        ],
      ],
    },
    {
      title: 'Cost in a day',
      unit: 'currencyUSD',
      of: [['sum by (judge) (increase(kawaraban_judge_micro_usd_total[1d])) / 1e6', '{{judge}}']],
    },
    {
      title: 'Items judged',
      of: [
        ['sum by (pipeline, judge) (increase(kawaraban_judgements_total[1h]))', '{{pipeline}} by {{judge}}'],
      ],
    },
  ],
  Destinations: [
    {
      title: 'Messages',
      of: [
        [
          'sum by (destination, outcome) (increase(kawaraban_deliveries_total[1h]))',
          '{{destination}} {{outcome}}',
        ],
      ],
    },
    {
      title: 'Duration of deliveries (p95)',
      unit: 's',
      of: [[quantile('kawaraban_delivery_duration_seconds', 'destination'), '{{destination}}']],
    },
    { title: 'Outbox', of: [['sum by (pipeline, state) (kawaraban_outbox)', '{{pipeline}} {{state}}']] },
  ],
  'Timelines and requests': [
    {
      title: 'Requests',
      unit: 'reqps',
      of: [
        [
          'sum by (protocol, status) (rate(kawaraban_requests_total[$__rate_interval]))',
          '{{protocol}} {{status}}',
        ],
      ],
    },
    {
      title: 'Duration of requests (p95)',
      unit: 's',
      of: [[quantile('kawaraban_request_duration_seconds', 'protocol'), '{{protocol}}']],
    },
    { title: 'Open streams', of: [['sum by (instance) (kawaraban_streams_open)', '{{instance}}']] },
    {
      title: 'Closed streams',
      of: [['sum by (cause) (increase(kawaraban_streams_closed_total[1h]))', '{{cause}}']],
    },
    {
      title: 'Drop events',
      of: [
        ['sum by (type, outcome) (rate(kawaraban_events_total[$__rate_interval]))', '{{type}} {{outcome}}'],
      ],
    },
    {
      title: 'Time from the creation of a drop to its handling (p95)',
      unit: 's',
      of: [[quantile('kawaraban_event_lag_seconds', 'type'), '{{type}}']],
    },
    {
      title: 'Fan-out (p95)',
      unit: 's',
      of: [
        [
          'histogram_quantile(0.95, sum by (le) (rate(kawaraban_fan_out_duration_seconds_bucket[$__rate_interval])))',
          'all timelines',
        ],
      ],
    },
    { title: 'Drops waiting for fan-out', of: [['sum(kawaraban_fan_out_waiting)', 'drops']] },
    {
      title: 'Timeline pages',
      of: [
        [
          'sum by (timeline, outcome) (rate(kawaraban_timeline_pages_total[$__rate_interval]))',
          '{{timeline}} {{outcome}}',
        ],
      ],
    },
  ],
  'Firestore and process': [
    {
      title: 'Documents in a day, with the free tier',
      of: [
        ['sum(increase(firestore_reads_total[1d]))', 'reads (50,000 free)'],
        ['sum(increase(firestore_writes_total[1d]))', 'writes (20,000 free)'],
        ['sum(increase(firestore_deletes_total[1d]))', 'deletes (20,000 free)'],
      ],
    },
    {
      title: 'Firestore’s errors',
      of: [['sum by (code) (increase(firestore_errors_total[1h]))', '{{code}}']],
    },
    {
      title: 'Duration of Firestore calls (p95)',
      unit: 's',
      of: [[quantile('firestore_latency_seconds', 'operation'), '{{operation}}']],
    },
    {
      title: 'Memory',
      unit: 'bytes',
      of: [['process_resident_memory_bytes{job="kawaraban"}', '{{instance}}']],
    },
    {
      title: 'Uptime',
      unit: 's',
      of: [['process_uptime_seconds{job="kawaraban"}', '{{instance}}']],
    },
  ],
};

/** Adds a panel for every metric that is in no other row. */
function rows(): Readonly<Record<string, readonly Panel[]>> {
  const shown = JSON.stringify(ROWS);
  const left = (names: object): string[] => Object.keys(names).filter((name) => !shown.includes(name));
  const others: Panel[] = [
    ...left(COUNTERS).map(
      (name): Panel => ({ title: name, of: [[`sum(rate(${name}[$__rate_interval]))`, 'in a second']] }),
    ),
    ...left(HISTOGRAMS).map(
      (name): Panel => ({
        title: `${name} (p95)`,
        unit: 's',
        of: [[`histogram_quantile(0.95, sum by (le) (rate(${name}_bucket[$__rate_interval])))`, 'p95']],
      }),
    ),
    ...left(GAUGES).map((name): Panel => ({ title: name, of: [[name, '{{instance}}']] })),
  ];
  return others.length === 0 ? ROWS : { ...ROWS, 'Everything else': others };
}

/** Every expression in the dashboard. */
export function expressions(): readonly string[] {
  return Object.values(rows()).flatMap((panels) =>
    panels.flatMap(({ of }) => of.map(([expression]) => expression)),
  );
}

/** `deploy/dashboards/kawaraban.json`, the dashboard for Grafana. */
export function dashboard(): object {
  let id = 0;
  let y = 0;
  const panels = Object.entries(rows()).flatMap(([title, row]) => {
    const width = row[0]?.kind === 'stat' ? 6 : 8;
    const height = row[0]?.kind === 'stat' ? 4 : 8;
    const head = {
      id: ++id,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: 24, h: 1 },
      panels: [],
    };
    const body = row.map((panel, n) =>
      panelOf(panel, ++id, {
        x: (n * width) % 24,
        y: y + Math.floor((n * width) / 24) * height,
        w: width,
        h: height,
      }),
    );
    y += Math.ceil((row.length * width) / 24) * height;
    return [head, ...body];
  });
  return {
    uid: 'kawaraban',
    title: 'Kawaraban',
    tags: ['kawaraban'],
    timezone: 'browser',
    schemaVersion: 41,
    refresh: '1m',
    time: { from: 'now-24h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus', current: {} },
      ],
    },
    panels,
  };
}

function panelOf(
  { title, unit = 'short', kind = 'timeseries', of }: Panel,
  id: number,
  gridPos: object,
): object {
  const datasource = { type: 'prometheus', uid: '$datasource' };
  return {
    id,
    type: kind,
    title,
    datasource,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options:
      kind === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'] } }
        : { legend: { displayMode: 'list', placement: 'bottom' } },
    targets: of.map(([expr, legendFormat], n) => ({
      refId: String.fromCharCode(65 + n),
      datasource,
      expr,
      legendFormat,
    })),
  };
}
