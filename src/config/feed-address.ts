/** What two addresses of one feed have in common, however they are written; `null` for what is no address. */
export function feedAddress(written: unknown): string | null {
  const url = typeof written === 'string' ? URL.parse(written) : null;
  return url === null ? null : `${url.host}${url.pathname.replace(/\/$/, '')}${url.search}`;
}
