/** Settings that an environment variable may set in place of the file; containers and tests use them. */
export const OVERRIDES = [
  { name: 'KAWARABAN_DATA', path: ['data'], words: 'folder of the embedded engine' },
  { name: 'KAWARABAN_HOST', path: ['server', 'host'], words: 'address to listen on' },
  { name: 'KAWARABAN_PORT', path: ['server', 'port'], words: 'port of the web page and the API' },
  {
    name: 'KAWARABAN_LOG_LEVEL',
    path: ['telemetry', 'log_level'],
    words: 'debug, info, warn, error or silent',
  },
  { name: 'KAWARABAN_LOG_FORMAT', path: ['telemetry', 'log_format'], words: 'auto, pretty or json' },
] as const;

export type Override = (typeof OVERRIDES)[number];
