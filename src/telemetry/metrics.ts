import type { CounterName, GaugeName, HistogramName, Labels } from './instruments.ts';

/** Numbers about the program. What is counted, and under which names, stands in `instruments.ts`. */
export interface Metrics extends AsyncDisposable {
  add(name: CounterName, value: number, labels?: Labels): void;
  record(name: HistogramName, value: number, labels?: Labels): void;
  /** Asked at every scrape. One that fails is left out of that scrape. */
  observe(name: GaugeName, read: () => Reading[] | Promise<Reading[]>): void;
  /** Everything in Prometheus' text format. */
  text(): Promise<string>;
}

export interface Reading {
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
