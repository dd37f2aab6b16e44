import type {
  CounterName,
  GaugeName,
  GaugeValue,
  HistogramName,
  Labels,
  Metrics,
  MetricsOptions,
} from './metrics.ts';

interface Measurement<Name> {
  readonly name: Name;
  value: number;
  readonly labels: Labels | undefined;
}

/** So many measurements are remembered one by one; then the SDK is loaded to sum them up. */
const MAX_BUFFERED = 10_000;

/**
 * Remembers until somebody asks. OpenTelemetry's SDK takes some 15 MB, and a newsroom on a small machine often has no
 * Prometheus that would ask. At the first scrape, or when there is much to remember, the SDK is loaded, told all
 * that happened, and takes over; no number is lost.
 */
export class LazyMetrics implements Metrics {
  readonly #options: MetricsOptions;
  #counted = new Map<string, Measurement<CounterName>>();
  #recorded: Measurement<HistogramName>[] = [];
  #observed: { readonly name: GaugeName; readonly read: () => GaugeValue[] | Promise<GaugeValue[]> }[] = [];
  #loading: Promise<Metrics> | null = null;
  #loaded: Metrics | null = null;

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  add(name: CounterName, value: number, labels?: Labels): void {
    if (this.#loaded !== null) {
      this.#loaded.add(name, value, labels);
      return;
    }
    const key = JSON.stringify([name, labels]);
    const known = this.#counted.get(key);
    if (known === undefined) this.#counted.set(key, { name, value, labels });
    else known.value += value;
  }

  record(name: HistogramName, value: number, labels?: Labels): void {
    if (this.#loaded !== null) {
      this.#loaded.record(name, value, labels);
      return;
    }
    this.#recorded.push({ name, value, labels });
    if (this.#recorded.length >= MAX_BUFFERED)
      this.#load().catch(() => {
        // Without an SDK nobody can ask either; the next scrape will say why.
        this.#recorded = [];
      });
  }

  observe(name: GaugeName, read: () => GaugeValue[] | Promise<GaugeValue[]>): void {
    if (this.#loaded === null) this.#observed.push({ name, read });
    else this.#loaded.observe(name, read);
  }

  async text(): Promise<string> {
    return (await this.#load()).text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const loaded = await this.#loading?.catch(() => null);
    await loaded?.[Symbol.asyncDispose]();
  }

  #load(): Promise<Metrics> {
    this.#loading ??= this.#takeOver().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  async #takeOver(): Promise<Metrics> {
    const { OpenTelemetryMetrics } = await import('./opentelemetry-metrics.ts');
    const metrics = new OpenTelemetryMetrics(this.#options);
    // From here to the end nothing is awaited, so nothing can happen in between.
    for (const { name, value, labels } of this.#counted.values()) metrics.add(name, value, labels);
    for (const { name, value, labels } of this.#recorded) metrics.record(name, value, labels);
    for (const { name, read } of this.#observed) metrics.observe(name, read);
    this.#counted = new Map();
    this.#recorded = [];
    this.#observed = [];
    this.#loaded = metrics;
    return metrics;
  }
}
