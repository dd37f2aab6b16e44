export interface Override {
  readonly name: string;
  readonly path: readonly string[];
  readonly words: string;
  /** Comma-separated values. */
  readonly list?: boolean;
}

/** Environment variables that override settings of the file, for containers and tests. */
export const OVERRIDES = [
  { name: 'KAWARABAN_DATA', path: ['data'], words: 'folder of the embedded engine' },
  { name: 'KAWARABAN_HOST', path: ['server', 'host'], words: 'address to listen on' },
  { name: 'KAWARABAN_PORT', path: ['server', 'port'], words: 'port of the web page and the API' },
  {
    name: 'KAWARABAN_TLS_CERTIFICATE',
    path: ['server', 'tls', 'certificate'],
    words: 'PEM file with the certificate of the page',
  },
  {
    name: 'KAWARABAN_TLS_KEY',
    path: ['server', 'tls', 'key'],
    words: 'PEM file with its private key',
  },
  {
    name: 'KAWARABAN_LOG_LEVEL',
    path: ['telemetry', 'log_level'],
    words: 'debug, info, warn, error or silent',
  },
  {
    name: 'KAWARABAN_METRICS_FROM',
    path: ['telemetry', 'metrics_from'],
    list: true,
    words: 'IP addresses or ranges that may read /metrics, with commas',
  },
  { name: 'KAWARABAN_TRACES', path: ['telemetry', 'traces'], words: 'address that traces are sent to' },
  {
    name: 'KAWARABAN_PROJECT',
    path: ['engine', 'project'],
    words: 'Google Cloud project of the distributed engine',
  },
  {
    name: 'KAWARABAN_FIRESTORE_EMULATOR',
    path: ['engine', 'firestore', 'emulator'],
    words: 'host and port of a Firestore emulator',
  },
  {
    name: 'KAWARABAN_PUBSUB_EMULATOR',
    path: ['engine', 'pubsub', 'emulator'],
    words: 'host and port of a Pub/Sub emulator',
  },
  {
    name: 'KAWARABAN_REDIS',
    path: ['engine', 'redis', 'nodes'],
    list: true,
    words: 'hosts and ports of Redis, with commas',
  },
  {
    name: 'KAWARABAN_USER_SERVICE',
    path: ['timelines', 'user_service'],
    words: 'host and port of a remote user service',
  },
  {
    name: 'KAWARABAN_POST_SERVICE',
    path: ['timelines', 'post_service'],
    words: 'host and port of a remote post service',
  },
  { name: 'KAWARABAN_GRPC_HOST', path: ['server', 'grpc', 'host'], words: 'address that gRPC listens on' },
  { name: 'KAWARABAN_GRPC_PORT', path: ['server', 'grpc', 'port'], words: 'port of gRPC' },
  {
    name: 'KAWARABAN_GRPC_TLS_CERTIFICATE',
    path: ['server', 'grpc', 'tls', 'certificate'],
    words: 'PEM file with the certificate of gRPC',
  },
  {
    name: 'KAWARABAN_GRPC_TLS_KEY',
    path: ['server', 'grpc', 'tls', 'key'],
    words: 'PEM file with its private key',
  },
  {
    name: 'KAWARABAN_GRPC_TLS_CLIENT_CA',
    path: ['server', 'grpc', 'tls', 'client_ca'],
    words: 'PEM file with the authorities of client certificates',
  },
  { name: 'KAWARABAN_LOG_FORMAT', path: ['telemetry', 'log_format'], words: 'auto, pretty or json' },
] as const satisfies readonly Override[];
