import { isIP } from 'node:net';
import { section } from './section.ts';
import {
  address,
  displayValue,
  duration,
  list,
  oneOf,
  pemFile,
  secret,
  size,
  text,
  toggle,
  whole,
} from './values.ts';

const RANGE = 'an IP address or range';

const range = text(RANGE).refine(isRange, {
  error: (issue) => `must be ${RANGE}, as in 192.0.2.7 or 10.0.0.0/8, not ${displayValue(issue.input)}`,
});

function isRange(written: string): boolean {
  const [ip = '', bits, ...rest] = written.split('/');
  const family = isIP(ip);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

/** Log, metrics and traces. */
export const telemetry = section({
  log_level: oneOf(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Minimum level of logged lines.'),
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

const signIn = section({
  secret: secret('the key that signs tokens')
    .exactOptional()
    .describe(
      'Key that signs tokens of programs (at least 32 characters); anyone who has it can create tokens. When absent, one is generated and stored with the accounts.',
    ),
  lifetime: duration(60_000).prefault('30d').describe('How long a session lasts after it was last used.'),
  jwks: address('the address of a key set')
    .exactOptional()
    .describe('Key set (JWKS) of an outside identity provider whose tokens are accepted as well.'),
  issuer: text('the issuer of tokens')
    .exactOptional()
    .describe('`iss` that tokens must carry: those of the provider with `jwks`, those by `secret` without.'),
  audience: text('the audience of tokens').exactOptional().describe('`aud` that the same tokens must carry.'),
});

const rateLimit = section({
  per_address: whole(0, 1_000_000)
    .default(600)
    .describe('Requests a minute from one address, of people who are not signed in; 0 means no limit.'),
  per_person: whole(0, 1_000_000)
    .default(1200)
    .describe('Requests a minute of one signed-in person, programs included; 0 means no limit.'),
});

const images = section({
  enabled: toggle()
    .default(true)
    .describe(
      'Fetch the pictures of articles for readers, so that other servers do not learn what they read.',
    ),
  largest: size(1024).prefault('5MB').describe('Maximum size of a proxied picture.'),
});

const serverTls = section({
  certificate: pemFile('the certificate').describe(
    'PEM file with the certificate of the page, followed by the intermediate ones. Read again when it changes.',
  ),
  key: pemFile('the private key').describe('PEM file with the private key of the certificate.'),
  hsts: duration(60_000)
    .exactOptional()
    .describe(
      'Tell browsers to use only https for this host name, on every port, for this long (Strict-Transport-Security). Not sent when absent.',
    ),
});

const grpcTls = section({
  certificate: pemFile('the certificate').describe(
    'PEM file with the certificate of gRPC, followed by the intermediate ones. Read again when it changes.',
  ),
  key: pemFile('the private key').describe('PEM file with the private key of the certificate.'),
  client_ca: pemFile('the authorities of client certificates')
    .exactOptional()
    .describe(
      'PEM file with the authorities that sign the certificates of callers. Callers without one are then refused (mTLS).',
    ),
});

const grpc = section({
  enabled: toggle()
    .default(false)
    .describe('Serve avion.TimelineService, UserService and PostService over gRPC.'),
  host: text('an IP address or host name').prefault('127.0.0.1').describe('Address that gRPC listens on.'),
  port: whole(0, 65_535).default(50_051).describe('Port of gRPC; 0 picks a free one.'),
  service_token: secret('the token of other services')
    .exactOptional()
    .describe('Token that authenticates your other services; they may act for every user.'),
  tls: grpcTls.exactOptional().describe('Serve gRPC over TLS.'),
});

/** Web page, API, streams and gRPC. */
export const server = section({
  host: text('an IP address or host name')
    .prefault('127.0.0.1')
    .describe('Address to listen on; 0.0.0.0 makes it reachable from other machines.'),
  port: whole(0, 65_535).default(8080).describe('Port of the web page and the API; 0 picks a free one.'),
  tls: serverTls
    .exactOptional()
    .describe('Serve the page and the API over https. Without it, put a proxy in front that does.'),
  public: toggle().default(true).describe('Whether guests may read.'),
  address: address('the address under which people reach the page')
    .exactOptional()
    .describe('Public URL of the page, for links in feeds and messages.'),
  trusted_proxies: list(text('an IP address or range'), 'IP addresses or ranges')
    .prefault([])
    .describe(
      'Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. List only addresses that no other machine can send from.',
    ),
  max_body: size(1024).prefault('1MB').describe('Maximum size of a request body.'),
  stop_within: duration(0, 600_000)
    .prefault('5s')
    .describe('Grace period for open requests when the program stops.'),
  rate_limit: rateLimit.prefault({}).describe('Rate limits of the API.'),
  images: images.prefault({}).describe('Proxy for the pictures of articles.'),
  sign_in: signIn.prefault({}).describe('Sign-in and tokens.'),
  grpc: grpc.prefault({}).describe('The timelines over gRPC.'),
});
