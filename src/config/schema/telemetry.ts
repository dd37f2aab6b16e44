import { isIP } from 'node:net';
import { address } from './address.ts';
import { section } from './section.ts';
import { list, oneOf, shown, text, toggle } from './values.ts';

const RANGE = 'an IP address or range';

const range = text(RANGE).refine(isRange, {
  error: (issue) => `must be ${RANGE}, as in 192.0.2.7 or 10.0.0.0/8, not ${shown(issue.input)}`,
});

function isRange(written: string): boolean {
  const [ip = '', bits, ...rest] = written.split('/');
  const family = isIP(ip);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

/** What the program tells about itself. */
export const telemetry = section({
  log_level: oneOf(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least important lines that are logged.'),
  log_format: oneOf(['auto', 'pretty', 'json'])
    .default('auto')
    .describe('`auto`: pretty on a terminal, JSON lines otherwise.'),
  metrics: toggle().default(true).describe('Serve Prometheus metrics at /metrics.'),
  metrics_from: list(range, 'IP addresses or ranges')
    .prefault(['127.0.0.0/8', '::1'])
    .describe(
      'Where /metrics and the details of /readyz may be read from without signing in, directly and not through a proxy. Owners may read them from everywhere.',
    ),
  traces: address('the address of an OpenTelemetry collector')
    .exactOptional()
    .describe('Where traces are sent (OTLP over HTTP), as in http://localhost:4318/v1/traces.'),
  service_name: text('a name', 1, 100).prefault('kawaraban').describe('Name in traces and metrics.'),
});
