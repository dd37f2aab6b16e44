export type LiveStatus = 'live' | 'connecting' | 'offline' | 'paused';

export interface StreamOptions {
  /** Asked for every connection, so that it can name the last event that was received. */
  readonly url: () => string;
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  /** The ID of each event, before its handler is called. */
  readonly received?: (eventId: string) => void;
  readonly status: (status: LiveStatus) => void;
}

const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 30_000;
/** A hidden tab closes its connection: a browser has only a few for each server. */
const HIDDEN_MS = 60_000;

/** Keeps a stream of server-sent events open. The browser reconnects by itself, except after an error response. */
export function openStream({ url, on, received, status }: StreamOptions): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let hide: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_RETRY_MS;

  const connect = (): void => {
    clearTimeout(retry);
    source?.close();
    status('connecting');
    source = new EventSource(url());
    source.addEventListener('open', () => {
      wait = FIRST_RETRY_MS;
      status('live');
    });
    for (const [name, handle] of Object.entries(on))
      source.addEventListener(name, (event) => {
        if (!(event instanceof MessageEvent)) return;
        if (event.lastEventId !== '') received?.(event.lastEventId);
        handle(parse(event.data));
      });
    source.addEventListener('error', () => {
      status('offline');
      if (source?.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(connect, wait);
      wait = Math.min(wait * 2, MAX_RETRY_MS);
    });
  };

  const visibilityChanged = (): void => {
    clearTimeout(hide);
    if (document.hidden) {
      hide = setTimeout(() => {
        clearTimeout(retry);
        source?.close();
        source = null;
        status('paused');
      }, HIDDEN_MS);
    } else if (source === null || source.readyState === EventSource.CLOSED) connect();
  };

  connect();
  document.addEventListener('visibilitychange', visibilityChanged);
  addEventListener('online', connect);
  return () => {
    clearTimeout(retry);
    clearTimeout(hide);
    document.removeEventListener('visibilitychange', visibilityChanged);
    removeEventListener('online', connect);
    source?.close();
  };
}

function parse(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return null;
  }
}

/** What the stream of a timeline reports. */
export interface TimelineListener {
  newDrop(dropId: string): void;
  dropDeleted(dropId: string): void;
  reset(): void;
  status(status: LiveStatus): void;
}

/** Listens to a timeline from a cursor on. */
export function listen(timeline: string, since: string, listener: TimelineListener): () => void {
  let cursor = since;
  const withDrop = (report: (dropId: string) => void) => (data: unknown) => {
    const id = dropIdOf(data);
    if (id !== null) report(id);
  };
  return openStream({
    url: () => `/events/timeline/${timeline}?${new URLSearchParams({ since_id: cursor })}`,
    received: (id) => {
      cursor = id;
    },
    status: listener.status,
    on: {
      new_drop: withDrop(listener.newDrop),
      drop_deleted: withDrop(listener.dropDeleted),
      reset: listener.reset,
    },
  });
}

function dropIdOf(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('drop_id' in data)) return null;
  return typeof data.drop_id === 'string' ? data.drop_id : null;
}
