import type { Counter, Histogram } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import type { GaugeValue, Metrics, MetricsOptions } from './metrics.ts';
import {
  COUNTERS,
  type CounterName,
  GAUGES,
  type GaugeName,
  HISTOGRAMS,
  type HistogramName,
  type Labels,
} from './metrics.ts';

/** Collects only on a scrape. */
class ScrapeReader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

export class OpenTelemetryMetrics implements Metrics {
  readonly #reader = new ScrapeReader();
  readonly #provider: MeterProvider;
  readonly #counters: Readonly<Record<CounterName, Counter>>;
  readonly #histograms: Readonly<Record<HistogramName, Histogram>>;
  readonly #gauges = new Map<GaugeName, (() => GaugeValue[] | Promise<GaugeValue[]>)[]>();
  // Without scope labels, which would be the same on every series.
  readonly #serializer = new PrometheusSerializer('', false, undefined, false, true);

  constructor({ serviceName, version }: MetricsOptions) {
    const resource = resourceFromAttributes({ 'service.name': serviceName, 'service.version': version });
    this.#provider = new MeterProvider({ resource, readers: [this.#reader] });
    const meter = this.#provider.getMeter('kawaraban', version);
    this.#counters = mapValues(COUNTERS, (description, name) => meter.createCounter(name, { description }));
    this.#histograms = mapValues(HISTOGRAMS, ({ says, buckets }, name) =>
      meter.createHistogram(name, { description: says, advice: { explicitBucketBoundaries: [...buckets] } }),
    );
    for (const name of Object.keys(GAUGES) as GaugeName[])
      meter.createObservableGauge(name, { description: GAUGES[name] }).addCallback(async (result) => {
        for (const { value, labels } of await this.#read(name)) result.observe(value, labels);
      });
    this.observe('process_resident_memory_bytes', () => [{ value: process.memoryUsage.rss() }]);
    this.observe('process_uptime_seconds', () => [{ value: Math.round(process.uptime()) }]);
  }

  add(name: CounterName, value: number, labels?: Labels): void {
    this.#counters[name].add(value, labels);
  }

  record(name: HistogramName, value: number, labels?: Labels): void {
    this.#histograms[name].record(value, labels);
  }

  observe(name: GaugeName, read: () => GaugeValue[] | Promise<GaugeValue[]>): void {
    this.#gauges.set(name, [...(this.#gauges.get(name) ?? []), read]);
  }

  async text(): Promise<string> {
    const { resourceMetrics } = await this.#reader.collect();
    return this.#serializer.serialize(resourceMetrics);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider.shutdown();
  }

  async #read(name: GaugeName): Promise<GaugeValue[]> {
    const readings = await Promise.allSettled((this.#gauges.get(name) ?? []).map(async (read) => read()));
    return readings.flatMap((reading) => (reading.status === 'fulfilled' ? reading.value : []));
  }
}

function mapValues<K extends string, V, R>(
  from: Readonly<Record<K, V>>,
  make: (value: V, name: K) => R,
): Readonly<Record<K, R>> {
  const pairs = (Object.entries(from) as [K, V][]).map(([name, value]) => [name, make(value, name)]);
  return Object.fromEntries(pairs) as Record<K, R>;
}
