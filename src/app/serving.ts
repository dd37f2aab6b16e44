import { endedCookie, sessionCookie } from '../auth/session-cookie.ts';
import type { Config } from '../config/config.ts';
import { linkPath } from '../server/api/people-routes.ts';
import { csrfKey } from '../server/auth/csrf.ts';
import type { ServerOptions } from '../server/server.ts';
import type { SigningIn } from './sign-in.ts';

/** How the configuration wants the server. */
export function servingOf(
  { server }: Config,
  signing: SigningIn,
): Pick<
  ServerOptions,
  'host' | 'auth' | 'signIn' | 'rateLimits' | 'maxBody' | 'stopWithinMs' | 'trustedProxies'
> {
  const origin = server.address === undefined ? null : new URL(server.address).origin;
  return {
    host: server.host,
    maxBody: server.maxBody,
    stopWithinMs: server.stopWithin,
    trustedProxies: server.trustedProxies,
    rateLimits: server.rateLimit,
    auth: {
      authenticator: signing.authenticator,
      revocations: signing.revocations,
      csrf: csrfKey(signing.keyFor('csrf')),
      guests: server.public,
      ...(origin === null ? {} : { origin }),
    },
    signIn: {
      signIn: signing.signIn,
      cookie: { set: sessionCookie, end: endedCookie },
      secure: origin?.startsWith('https:') ?? false,
    },
  };
}

/** The secret is in the part that browsers keep to themselves. */
export function welcomeAddress({ server }: Config, token: string, base?: string): string {
  const open = server.host === '0.0.0.0' || server.host === '::' ? 'localhost' : server.host;
  const host = open.includes(':') ? `[${open}]` : open;
  const address = server.address ?? base ?? `http://${host}:${server.port}`;
  return new URL(linkPath(token), address).href;
}
