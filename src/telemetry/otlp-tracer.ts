import { context, DiagLogLevel, diag, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { errorMessage } from './errors.ts';
import { maskSecrets } from './secrets.ts';
import type { Failure, SpanAttributes, TraceHeaders, Tracer, TracingOptions } from './tracing.ts';

/** How long shutdown waits for a collector that does not answer. */
const FLUSH_TIMEOUT_MS = 2000;

/** OpenTelemetry's tracer, registered globally so that libraries that use its API take part. */
export class OtlpTracer implements Tracer, AsyncDisposable {
  readonly #provider: TracerProvider;
  readonly #warn: (message: string) => void;

  constructor({ endpoint, serviceName, version, logger }: TracingOptions) {
    const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: FLUSH_TIMEOUT_MS });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    const debug = (message: string): void => logger.debug('Tracing', { detail: message });
    const warn = (message: string): void => logger.warn('Failed to send traces', { detail: message });
    this.#warn = warn;
    diag.setLogger({ error: warn, warn, info: debug, debug, verbose: debug }, DiagLogLevel.WARN);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(this.#provider);
  }

  inSpan<T>(name: string, facts: SpanAttributes, work: () => Promise<T>, failure?: Failure<T>): Promise<T> {
    return trace.getTracer('kawaraban').startActiveSpan(name, { attributes: masked(facts) }, async (span) => {
      try {
        const value = await work();
        const why = failure?.(value) ?? null;
        if (why !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: maskSecrets(why) });
        return value;
      } catch (error) {
        const message = maskSecrets(errorMessage(error));
        span.setStatus({ code: SpanStatusCode.ERROR, message });
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
        throw error;
      } finally {
        span.end();
      }
    });
  }

  underTrace<T>(headers: TraceHeaders, work: () => Promise<T>): Promise<T> {
    return context.with(propagation.extract(context.active(), headers), work);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagation.inject(context.active(), headers);
    return headers;
  }

  mark(name: string, facts: SpanAttributes): void {
    const span = trace.getActiveSpan();
    // Work started by a request may continue after its span ended.
    if (span?.isRecording() === true) span.addEvent(name, masked(facts));
  }

  ids(): { readonly trace_id: string; readonly span_id: string } | null {
    const span = trace.getActiveSpan()?.spanContext();
    return span === undefined ? null : { trace_id: span.traceId, span_id: span.spanId };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    trace.disable();
    propagation.disable();
    context.disable();
    await Promise.race([
      this.#provider.shutdown().catch((error: unknown) => this.#warn(String(error))),
      new Promise((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref()),
    ]);
    diag.disable();
  }
}

function masked(facts: SpanAttributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? maskSecrets(value) : value,
    ]),
  );
}
