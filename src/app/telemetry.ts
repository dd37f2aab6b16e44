import type { Config } from '../config/config.ts';
import { openTelemetry, type Telemetry } from '../telemetry/telemetry.ts';

export { silentTelemetry } from '../telemetry/telemetry.ts';

/** Log, metrics and traces as the configuration wants them. */
export function telemetryOf({ telemetry }: Config, version: string): Promise<Telemetry> {
  const { logLevel, logFormat, serviceName, metrics, traces } = telemetry;
  return openTelemetry({
    serviceName,
    version,
    metrics,
    log: { level: logLevel, format: logFormat },
    ...(traces !== undefined && { traces }),
  });
}
