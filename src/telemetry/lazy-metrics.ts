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

/** Measurements buffered before the SDK is loaded to aggregate them. */
const MAX_BUFFERED = 10_000;

/**
 * Buffers measurements until the first scrape. OpenTelemetry's SDK takes some 15 MB, and a newsroom on a small machine
 * often has no Prometheus. At the first scrape, or when the buffer is full, the SDK is loaded and gets everything that
 * was buffered; no measurement is lost.
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
        // Without the SDK no scrape can be answered; the next one reports the error.
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
    this.#loading ??= this.#loadSdk().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  async #loadSdk(): Promise<Metrics> {
    const { OpenTelemetryMetrics } = await import('./opentelemetry-metrics.ts');
    const metrics = new OpenTelemetryMetrics(this.#options);
    // No await from here on, so no measurement can arrive in between.
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
