/** HTTP client with address check, limits and throttling: every outgoing request goes through one of these. */
export interface Fetcher extends AsyncDisposable {
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome>;
}

export interface FetchRequest {
  readonly url: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Bytes after decompression. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly maxRedirects?: number;
  /**
   * `false` for a configured API whose rate limits the caller observes: no spacing, no concurrency limit, no suspension and
   * no circuit breaker. Address check and size and time limits stay. Default `true`.
   */
  readonly polite?: boolean;
}

export type FetchOutcome =
  | {
      readonly outcome: 'response';
      /** Any status but 3xx that were followed. */
      readonly status: number;
      /** Names in lower case; repeated ones joined by a comma. */
      readonly headers: Readonly<Record<string, string>>;
      /** Decompressed. */
      readonly body: Uint8Array;
      /** After redirects. */
      readonly url: string;
      /** The target when every hop was permanent (301, 308). */
      readonly movedTo: string | null;
      /** From `Retry-After`, as a time since the epoch. */
      readonly retryAt: number | null;
    }
  | {
      readonly outcome: 'failed';
      readonly why: FetchErrorKind;
      /** Human-readable: names the host at most, never a path, a query or a header (X7). */
      readonly detail: string;
      /** The request may have reached the server, so its effect is unknown. */
      readonly sent: boolean;
      /** With `host_suspended`: when the request may be retried. */
      readonly retryAt?: number;
    };

export type FetchErrorKind =
  | 'bad_address'
  | 'blocked_address'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'too_many_redirects'
  | 'bad_encoding'
  | 'host_suspended'
  | 'offline'
  | 'aborted';
