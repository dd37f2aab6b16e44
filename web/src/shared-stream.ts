import {
  connectStream,
  type LiveStatus,
  openStream,
  type StreamOptions,
  whileVisible,
} from './event-stream.ts';

/** What the tab with the stream tells the others. */
type Message =
  | { readonly kind: 'event'; readonly name: string; readonly data: unknown }
  | { readonly kind: 'status'; readonly status: LiveStatus }
  | { readonly kind: 'hello' };

/**
 * One stream for all tabs of a browser: the tab that holds the lock has it, and tells the others. Browsers without locks, and pages that
 * are not served securely, have a stream for each tab.
 */
export function openSharedStream(name: string, options: Omit<StreamOptions, 'received'>): () => void {
  if (!('locks' in navigator)) return openStream(options);
  return whileVisible(() => join(name, options), options.status);
}

function join(name: string, { url, on, status }: Omit<StreamOptions, 'received'>): () => void {
  const channel = new BroadcastChannel(name);
  const leave = new AbortController();
  /** `null` while another tab has the stream. */
  let own: LiveStatus | null = null;
  const tell = (message: Message): void => channel.postMessage(message);

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') {
      if (own !== null) tell({ kind: 'status', status: own });
    } else if (own !== null) return;
    else if (data.kind === 'status') status(data.status);
    else on[data.name]?.(data.data);
  });
  status('connecting');
  tell({ kind: 'hello' });

  const lead = async (): Promise<void> => {
    if (leave.signal.aborted) return;
    const told = Object.entries(on).map(([event, handle]) => {
      const both = (data: unknown): void => {
        handle(data);
        tell({ kind: 'event', name: event, data });
      };
      return [event, both] as const;
    });
    const close = connectStream({
      url,
      on: Object.fromEntries(told),
      status: (next) => {
        own = next;
        status(next);
        tell({ kind: 'status', status: next });
      },
    });
    await new Promise<void>((resolve) => leave.signal.addEventListener('abort', () => resolve()));
    close();
  };
  navigator.locks.request(name, { signal: leave.signal }, lead).catch(() => {
    // The tab was left before it got the lock.
  });
  return () => {
    leave.abort();
    channel.close();
  };
}
