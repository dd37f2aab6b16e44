import type { Config } from '../config/config.ts';
import { createLogger } from '../telemetry/create-logger.ts';
import type { Logger } from '../telemetry/logger.ts';

/** The log as the configuration wants it. */
export function logOf({ telemetry }: Config): Logger {
  return createLogger({ level: telemetry.logLevel, format: telemetry.logFormat });
}
