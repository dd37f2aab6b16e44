import type { Config } from '../config/config.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import { csrfKey } from '../server/auth/csrf.ts';
import { ImageAddresses } from '../server/images/image-addresses.ts';
import type { ServerOptions } from '../server/server.ts';
import type { SigningIn } from './sign-in.ts';

export interface WebParts {
  readonly config: Config;
  readonly signing: SigningIn;
  /** For pictures. */
  readonly fetcher: Fetcher;
}

/** How the configuration wants the web server. */
export function webOptions({
  config: { server, telemetry },
  signing,
  fetcher,
}: WebParts): Pick<
  ServerOptions,
  | 'host'
  | 'images'
  | 'auth'
  | 'signIn'
  | 'rateLimits'
  | 'maxBody'
  | 'stopWithinMs'
  | 'trustedProxies'
  | 'metricsFrom'
> {
  const origin = server.address === undefined ? null : new URL(server.address).origin;
  return {
    host: server.host,
    maxBody: server.maxBody,
    stopWithinMs: server.stopWithin,
    trustedProxies: server.trustedProxies,
    metricsFrom: telemetry.metricsFrom,
    rateLimits: server.rateLimit,
    ...(server.images.enabled && {
      images: {
        addresses: new ImageAddresses(signing.keyFor('images')),
        fetcher,
        largest: server.images.largest,
      },
    }),
    auth: {
      authenticator: signing.authenticator,
      revocations: signing.revocations,
      csrf: csrfKey(signing.keyFor('csrf')),
      guests: server.public,
      ...(origin === null ? {} : { origin }),
    },
    signIn: signing.signIn,
  };
}
