import { address } from './address.ts';
import { section } from './section.ts';
import { oneOf, text, toggle } from './values.ts';

/** What the program tells about itself. */
export const telemetry = section({
  log_level: oneOf(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least important lines that are logged.'),
  log_format: oneOf(['auto', 'pretty', 'json'])
    .default('auto')
    .describe('`auto`: pretty on a terminal, JSON lines otherwise.'),
  metrics: toggle().default(true).describe('Serve Prometheus metrics at /metrics.'),
  traces: address('the address of an OpenTelemetry collector')
    .exactOptional()
    .describe('Where traces are sent (OTLP over HTTP), as in http://localhost:4318/v1/traces.'),
  service_name: text('a name', 1, 100).prefault('kawaraban').describe('Name in traces and metrics.'),
});
