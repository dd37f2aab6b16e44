const MASK = '***';

/**
 * An address as it may be shown in a log line or an error (X7): no credentials, no query values, no fragment, and no
 * path segment that is or may be a token (webhooks carry theirs in the path). What cannot be read as a URL is not
 * shown at all.
 */
export function redactUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return '(not a URL)';
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol}${MASK}`;
  const path = redactPath(url.pathname);
  const names = [...url.searchParams.keys()];
  const query = names.length === 0 ? '' : `?${names.map((name) => `${shortName(name)}=${MASK}`).join('&')}`;
  return `${url.protocol}//${url.host}${path}${query}`;
}

/** `mask` in place of every segment that is or may be a token. */
export function redactPath(path: string, mask = MASK): string {
  const segments = path.split('/');
  const hook = segments.findIndex((segment) => /^(webhooks?|services|hooks?)$/i.test(segment));
  return segments
    .map((segment, index) => {
      const insideHook = hook >= 0 && index > hook + 1;
      return segment !== '' && (insideHook || looksLikeToken(segment)) ? mask : segment;
    })
    .join('/');
}

/** Random letters and digits of some length. A slug of plain words is none. */
export function looksLikeToken(segment: string): boolean {
  if (/^bot\d+:/i.test(segment) || segment.includes('%3A')) return true;
  if (segment.length < 16) return false;
  if (/^[a-z]+(?:[-_.][a-z]+)*(?:\.[a-z]{2,5})?$/.test(segment)) return false;
  if (/^[a-z0-9]{1,15}(?:[-_.][a-z0-9]{1,15}){2,}(?:\.[a-z]{2,5})?$/.test(segment))
    return /\d[a-z]+\d/.test(segment);
  return /^[\w.~-]+$/.test(segment) && /\d/.test(segment) && /[a-z]/i.test(segment);
}

/** A parameter without `=` may itself be the secret. */
function shortName(name: string): string {
  return name.length <= 24 && !looksLikeToken(name) ? encodeURIComponent(name) : MASK;
}
