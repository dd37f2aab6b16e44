import type { Config } from '../config/config.ts';

/** The secret is in the fragment, which browsers do not send. */
export function linkPath(token: string): string {
  return `/welcome#${token}`;
}

/** Its whole address; `base` is the address of the running server, if known. */
export function oneTimeLinkUrl(server: Config['server'], token: string, base?: string): string {
  const open = server.host === '0.0.0.0' || server.host === '::' ? 'localhost' : server.host;
  const host = open.includes(':') ? `[${open}]` : open;
  const scheme = server.tls === undefined ? 'http' : 'https';
  const address = server.address ?? base ?? `${scheme}://${host}:${server.port}`;
  return new URL(linkPath(token), address).href;
}
