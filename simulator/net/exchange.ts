import type { IncomingHttpHeaders } from 'node:http';

/** One request as a service sees it: complete, with its path below the service's base address. */
export interface Ask {
  readonly method: string;
  /** Percent-encoded, begins with `/`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The simulator's wall time when the request was complete. */
  readonly now: number;
}

/** One response. A service returns it as a value, so that a fault can be injected before it is sent. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The service itself is slow here (a slow page), independent of injected faults. */
  readonly delayMs?: number;
}

/** One simulated service: handles requests like the real host. */
export interface Service {
  answer(ask: Ask): Reply | Promise<Reply>;
  /** An error as the real service formats it; `retryAfterMs` is how long a 429 asks to wait from `now` on. */
  errorReply(status: number, retryAfterMs?: number, now?: number): Reply;
}

export const SERVICES = [
  'feeds',
  'pages',
  'hackernews',
  'youtube',
  'discord',
  'mastodon',
  'gemini',
  'openai',
] as const;

export type ServiceName = (typeof SERVICES)[number];

export function isServiceName(name: string): name is ServiceName {
  return (SERVICES as readonly string[]).includes(name);
}

/** The value of a header that can appear once. */
export function header(ask: Ask, name: string): string | undefined {
  const value = ask.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
