import type { Logger } from './logger.ts';

/**
 * Traces. Without a configured collector OpenTelemetry is not loaded, and every function here costs next to nothing.
 */
export interface TracingOptions {
  /** Where traces are sent: OTLP over HTTP, as in `http://localhost:4318/v1/traces`. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly version: string;
  readonly logger: Logger;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Error message for the span if the returned value means failure; `null` if it means success. */
export type Failure<T> = (value: T) => string | null;

/** Port of the tracing backend. */
export interface Tracer {
  inSpan<T>(name: string, facts: SpanAttributes, work: () => Promise<T>, failure?: Failure<T>): Promise<T>;
  underTrace<T>(headers: TraceHeaders, work: () => Promise<T>): Promise<T>;
  headers(): Record<string, string>;
  mark(name: string, facts: SpanAttributes): void;
  ids(): { readonly trace_id: string; readonly span_id: string } | null;
}

export type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>;

let tracer: Tracer | null = null;

export async function openTracing(options: TracingOptions): Promise<AsyncDisposable> {
  const { OtlpTracer } = await import('./otlp-tracer.ts');
  const opened = new OtlpTracer(options);
  tracer = opened;
  return {
    async [Symbol.asyncDispose]() {
      tracer = null;
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Whether traces are sent, for callers that prepare attributes at a cost. */
export function isTracing(): boolean {
  return tracer !== null;
}

/** Runs the work inside a span, which ends with it and records whether it failed. */
export function inSpan<T>(
  name: string,
  facts: SpanAttributes,
  work: () => Promise<T>,
  failure?: Failure<T>,
): Promise<T> {
  return tracer === null ? work() : tracer.inSpan(name, facts, work, failure);
}

/** Runs the work as part of the trace named by these headers, if any. */
export function underTrace<T>(headers: TraceHeaders, work: () => Promise<T>): Promise<T> {
  return tracer === null ? work() : tracer.underTrace(headers, work);
}

/** Headers (`traceparent`, `tracestate`) that propagate this trace to another program; W3C Trace Context. */
export function traceHeaders(): Record<string, string> {
  return tracer?.headers() ?? {};
}

/** Adds an event to the active span. */
export function markSpan(name: string, facts: SpanAttributes): void {
  tracer?.mark(name, facts);
}

/** IDs that link log lines and traces (C25). */
export function traceIds(): { readonly trace_id: string; readonly span_id: string } | null {
  return tracer?.ids() ?? null;
}
