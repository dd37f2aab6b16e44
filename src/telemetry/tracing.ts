import type { Logger } from './logger.ts';

/**
 * Traces. Without a collector in the configuration nothing of OpenTelemetry is loaded, and every function here costs
 * next to nothing: nobody is listening.
 */
export interface TracingOptions {
  /** Where traces are sent: OTLP over HTTP, as in `http://localhost:4318/v1/traces`. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly version: string;
  readonly logger: Logger;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Why a returned value means failure, in words for the span; `null` where it means success. */
export type Failure<T> = (value: T) => string | null;

/** What listens where traces are wanted. */
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

/** Whether traces are sent, for callers that would have to prepare something. */
export function isTracing(): boolean {
  return tracer !== null;
}

/** Does the work inside a span, which ends with it and tells whether it failed. */
export function inSpan<T>(
  name: string,
  facts: SpanAttributes,
  work: () => Promise<T>,
  failure?: Failure<T>,
): Promise<T> {
  return tracer === null ? work() : tracer.inSpan(name, facts, work, failure);
}

/** Does the work as a part of the trace that these headers name, if they name one. */
export function underTrace<T>(headers: TraceHeaders, work: () => Promise<T>): Promise<T> {
  return tracer === null ? work() : tracer.underTrace(headers, work);
}

/** The headers (`traceparent`, `tracestate`) by which another program goes on with this trace; W3C Trace Context. */
export function traceHeaders(): Record<string, string> {
  return tracer?.headers() ?? {};
}

/** Says in the span under way that something happened. */
export function markSpan(name: string, facts: SpanAttributes): void {
  tracer?.mark(name, facts);
}

/** So that a log line can be found from its trace, and the other way round (C25). */
export function traceIds(): { readonly trace_id: string; readonly span_id: string } | null {
  return tracer?.ids() ?? null;
}
