import { type Attributes, context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Logger } from './logger.ts';
import { maskSecrets } from './secrets.ts';

/**
 * Traces. Without a collector in the configuration nothing of the SDK is loaded, and every function here costs next
 * to nothing: the API then has no provider behind it.
 */
export interface TracingOptions {
  /** Where traces are sent: OTLP over HTTP, as in `http://localhost:4318/v1/traces`. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly version: string;
  readonly logger: Logger;
}

export async function openTracing(options: TracingOptions): Promise<AsyncDisposable> {
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing(options);
}

/** Does the work inside a span, which ends with it and tells whether it failed. */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return trace.getTracer('kawaraban').startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      const message = maskSecrets(error instanceof Error ? error.message : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The headers (`traceparent`, `tracestate`) by which another program goes on with this trace; W3C Trace Context. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Does the work as a part of the trace that these headers name, if they name one. */
export function underTrace<T>(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  work: () => Promise<T>,
): Promise<T> {
  return context.with(propagation.extract(context.active(), headers), work);
}
