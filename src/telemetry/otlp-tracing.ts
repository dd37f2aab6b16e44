import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TracingOptions } from './tracing.ts';

/** How long the end of the program waits for a collector that does not answer. */
const LAST_WORDS_MS = 2000;

export function openOtlpTracing({ endpoint, serviceName, version, logger }: TracingOptions): AsyncDisposable {
  const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: LAST_WORDS_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const say = (message: string): void => logger.debug('Tracing', { detail: message });
  const warn = (message: string): void => logger.warn('Traces could not be sent', { detail: message });
  diag.setLogger({ error: warn, warn, info: say, debug: say, verbose: say }, DiagLogLevel.WARN);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    async [Symbol.asyncDispose]() {
      trace.disable();
      propagation.disable();
      context.disable();
      await Promise.race([
        provider.shutdown().catch((error: unknown) => warn(String(error))),
        new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref()),
      ]);
      diag.disable();
    },
  };
}
