import type { Config } from '../config/config.ts';

/** The way out as the configuration wants it. */
export function networkOf({ network }: Config) {
  return {
    allow: network.allow,
    contact: network.contact ?? null,
    limits: {
      totalMs: network.timeout,
      connectMs: network.connectTimeout,
      maxRedirects: network.maxRedirects,
      concurrency: network.concurrency,
      perHost: network.requestsPerHost,
      spacingMs: network.hostSpacing,
    },
  };
}
