import type { Reply } from './exchange.ts';

type Headers = Readonly<Record<string, string>>;

export function json(value: unknown, status = 200, headers: Headers = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

export function html(body: string | Uint8Array, status = 200, charset = 'utf-8'): Reply {
  return { status, headers: { 'content-type': `text/html; charset=${charset}` }, body };
}

export function text(body: string, status = 200, headers: Headers = {}): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

export function redirect(location: string, status = 302): Reply {
  return { status, headers: { location, 'content-type': 'text/plain' }, body: `Moved: ${location}\n` };
}

export function noContent(headers: Headers = {}): Reply {
  return { status: 204, headers };
}

/** Error response of a plain web server. */
export function plainError(status: number, retryAfterMs?: number): Reply {
  const words = TROUBLE[status] ?? 'Error';
  const reply = html(`<!doctype html><title>${status} ${words}</title><h1>${words}</h1>\n`, status);
  return retryAfterMs === undefined
    ? reply
    : { ...reply, headers: { ...reply.headers, 'retry-after': `${Math.ceil(retryAfterMs / 1000)}` } };
}

const TROUBLE: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
