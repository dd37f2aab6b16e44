/** What a stream tells; the newest cursor is handed over with every event. */
export interface LiveListener {
  newDrop(dropId: string): void;
  dropDeleted(dropId: string): void;
  reset(): void;
  status(status: LiveStatus): void;
}

export type LiveStatus = 'live' | 'connecting' | 'offline' | 'paused';

const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;
/** A tab that nobody looks at gives its connection back: a browser has only a few for each server. */
const HIDDEN_FOR = 60_000;

/** Listens to a timeline from a cursor on. The browser reconnects by itself; what it gives up on we take up. */
export function listen(timeline: string, since: string, listener: LiveListener): () => void {
  let cursor = since;
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let hide: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT;

  const heard = (event: Event, tell: (dropId: string) => void): void => {
    if (!(event instanceof MessageEvent)) return;
    if (event.lastEventId !== '') cursor = event.lastEventId;
    const dropId = dropIdOf(event.data);
    if (dropId !== null) tell(dropId);
  };

  const connect = (): void => {
    clearTimeout(retry);
    source?.close();
    listener.status('connecting');
    source = new EventSource(`/events/timeline/${timeline}?${new URLSearchParams({ since_id: cursor })}`);
    source.addEventListener('open', () => {
      wait = FIRST_WAIT;
      listener.status('live');
    });
    source.addEventListener('new_drop', (event) => heard(event, listener.newDrop));
    source.addEventListener('drop_deleted', (event) => heard(event, listener.dropDeleted));
    source.addEventListener('reset', (event) => {
      if (event instanceof MessageEvent && event.lastEventId !== '') cursor = event.lastEventId;
      listener.reset();
    });
    source.addEventListener('error', () => {
      listener.status('offline');
      if (source?.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(connect, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  };

  const lookedAt = (): void => {
    clearTimeout(hide);
    if (document.hidden) {
      hide = setTimeout(() => {
        clearTimeout(retry);
        source?.close();
        source = null;
        listener.status('paused');
      }, HIDDEN_FOR);
    } else if (source === null || source.readyState === EventSource.CLOSED) connect();
  };

  connect();
  document.addEventListener('visibilitychange', lookedAt);
  addEventListener('online', connect);
  return () => {
    clearTimeout(retry);
    clearTimeout(hide);
    document.removeEventListener('visibilitychange', lookedAt);
    removeEventListener('online', connect);
    source?.close();
  };
}

function dropIdOf(data: unknown): string | null {
  try {
    const read: unknown = JSON.parse(String(data));
    if (typeof read !== 'object' || read === null || !('drop_id' in read)) return null;
    return typeof read.drop_id === 'string' ? read.drop_id : null;
  } catch {
    return null;
  }
}
