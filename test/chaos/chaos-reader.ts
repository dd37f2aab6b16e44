import { StreamReader } from '../stream-reader.ts';

export interface ReaderDependencies {
  /** `home` of the person, `local` or `global`. */
  readonly timeline: 'home' | 'local' | 'global';
  readonly headers: Readonly<Record<string, string>>;
  /** Address of a replica that is running now; `null` while there is none. */
  readonly replica: () => string | null;
  /** The newest IDs of the timeline and the cursor at which a stream resumes. */
  readonly load: () => Promise<{ readonly ids: readonly string[]; readonly newer: string }>;
}

/** A user's client: a page, then the stream from its cursor, reconnecting to any replica that answers. */
export class ChaosReader {
  readonly timeline: string;
  /** What the user sees, in order of arrival. */
  readonly shown = new Set<string>();
  events = 0;
  reconnects = 0;
  resets = 0;
  readonly wrong: { readonly twice: string[]; readonly afterDelete: string[] } = {
    twice: [],
    afterDelete: [],
  };
  readonly #deps: ReaderDependencies;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Events from the stream since the page was last loaded. */
  readonly #receivedSince = new Set<string>();
  readonly #deletedIds = new Set<string>();
  #stream: StreamReader | null = null;
  #position = '';

  constructor(deps: ReaderDependencies) {
    this.#deps = deps;
    this.timeline = deps.timeline;
    this.#running = this.#run();
  }

  /** Cursor at which the next connection resumes. */
  get position(): string {
    return this.#position;
  }

  /** Closes the connection; the reader reconnects by itself. */
  disconnect(): void {
    this.#stream?.close();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#stream?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (this.#position === '') await this.#load();
        await this.#listen();
      } catch {
        // A replica or Redis is down; the reader retries, as a browser does.
      }
      this.reconnects += 1;
      if (!signal.aborted) await pause(100);
    }
  }

  async #load(): Promise<void> {
    const { ids, newer } = await this.#deps.load();
    this.shown.clear();
    this.#receivedSince.clear();
    for (const id of ids.toReversed()) this.shown.add(id);
    this.#position = newer;
  }

  async #listen(): Promise<void> {
    const { timeline, headers, replica } = this.#deps;
    const url = replica();
    if (url === null) return;
    const after = { 'last-event-id': this.#position };
    const stream = await StreamReader.open(`${url}/events/timeline/${timeline}`, { ...headers, ...after });
    this.#stream = stream;
    if (this.#stop.signal.aborted) stream.close();
    for (let read = 0; ; ) {
      for (; read < stream.events.length; read++) {
        const received = stream.events[read];
        if (received === undefined) continue;
        if (received.event === 'reset') {
          this.resets += 1;
          // Stream events from here on come after the page that is loaded now.
          this.#position = '';
          stream.close();
          return;
        }
        this.#apply(received.event, received.dropId);
      }
      if (stream.lastId !== '') this.#position = stream.lastId;
      if (stream.ended) return;
      await pause(20);
    }
  }

  #apply(event: string, id: string): void {
    this.events += 1;
    if (event === 'drop_deleted') {
      this.#deletedIds.add(id);
      this.shown.delete(id);
    } else if (event === 'new_drop') {
      if (this.#receivedSince.has(id)) this.wrong.twice.push(id);
      if (this.#deletedIds.has(id)) this.wrong.afterDelete.push(id);
      this.#receivedSince.add(id);
      this.shown.add(id);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
