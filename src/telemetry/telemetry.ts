import type { Config } from '../config/config.ts';
import { createLogger, type LoggerOptions } from './create-logger.ts';
import { createEvents, type Events, silentEvents } from './events.ts';
import { LazyMetrics } from './lazy-metrics.ts';
import { type Logger, silentLogger } from './logger.ts';
import { type Metrics, silentMetrics } from './metrics.ts';
import { openTracing } from './tracing.ts';

/** Opens log, metrics and traces as configured. */
export function openConfiguredTelemetry({ telemetry }: Config, version: string): Promise<Telemetry> {
  const { logLevel, logFormat, serviceName, metrics, traces } = telemetry;
  return openTelemetry({
    serviceName,
    version,
    metrics,
    log: { level: logLevel, format: logFormat },
    ...(traces !== undefined && { traces }),
  });
}

export interface TelemetryOptions {
  readonly serviceName: string;
  readonly version: string;
  readonly log?: LoggerOptions;
  readonly metrics: boolean;
  /** Endpoint for traces; none are sent when absent. */
  readonly traces?: string;
}

/** Log, metrics and traces, and the events that feed all three. */
export interface Telemetry extends AsyncDisposable {
  readonly logger: Logger;
  readonly events: Events;
  readonly metrics: Metrics;
}

export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { serviceName, version, traces } = options;
  const logger = createLogger(options.log);
  const metrics = options.metrics ? new LazyMetrics({ serviceName, version }) : silentMetrics;
  const tracing =
    traces === undefined ? null : await openTracing({ endpoint: traces, serviceName, version, logger });
  return {
    logger,
    metrics,
    events: createEvents(logger, metrics),
    async [Symbol.asyncDispose]() {
      await tracing?.[Symbol.asyncDispose]();
      await metrics[Symbol.asyncDispose]();
    },
  };
}

/** For tests, and for commands that print their own output. */
export const silentTelemetry: Telemetry = {
  logger: silentLogger,
  events: silentEvents,
  metrics: silentMetrics,
  async [Symbol.asyncDispose]() {},
};
