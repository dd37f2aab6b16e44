/** The guarded way out: every request to the outside goes through one of these. */
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
  /** Not counted against the host's spacing: calls to an API of our own choosing, with its own limits. */
  readonly polite?: boolean;
}

export type FetchOutcome =
  | {
      readonly outcome: 'response';
      /** Any status but 3xx that were followed. */
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** After redirects. */
      readonly url: string;
      /** The target when every hop was permanent (301, 308). */
      readonly movedTo: string | null;
      readonly retryAt: number | null;
    }
  | {
      readonly outcome: 'failed';
      readonly why: FetchTrouble;
      readonly detail: string;
      readonly sent: boolean;
    };

/** `sent` above: the request may have reached the other side, so its effect is unknown. */
export type FetchTrouble =
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
