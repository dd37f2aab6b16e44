import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getSecure } from 'node:https';

export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly dropId: string;
  readonly data: unknown;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
}

/** Reads Server-Sent Events as an independent client would, and records them. */
export class StreamReader {
  readonly events: StreamEvent[] = [];
  lastId = '';
  ended = false;
  readonly status: number;
  readonly #message: IncomingMessage;
  #rest = '';

  private constructor(message: IncomingMessage) {
    this.#message = message;
    this.status = message.statusCode ?? 0;
    message.setEncoding('utf8');
    message.on('data', (chunk: string) => {
      const blocks = (this.#rest + chunk).split('\n\n');
      this.#rest = blocks.pop() ?? '';
      for (const block of blocks) this.#parse(block);
    });
    message.on('error', () => {});
    message.on('close', () => {
      this.ended = true;
    });
  }

  static open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamReader> {
    const get = url.startsWith('https:') ? getSecure : getPlain;
    return new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, (message) => resolve(new StreamReader(message))).on(
        'error',
        reject,
      );
    });
  }

  get drops(): string[] {
    return this.events.filter(({ event }) => event === 'new_drop').map(({ dropId }) => dropId);
  }

  /** Drops that came more than once. A `reset` starts over: a drop may be missing from the page that is loaded then. */
  get duplicates(): string[] {
    const seen = new Set<string>();
    return this.events
      .filter(({ event, dropId }) => {
        if (event === 'reset') seen.clear();
        if (event !== 'new_drop') return false;
        return seen.size === seen.add(dropId).size;
      })
      .map(({ dropId }) => dropId);
  }

  close(): void {
    this.#message.destroy();
  }

  #parse(block: string): void {
    const field = (name: string): string | undefined =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const id = field('id');
    if (id !== undefined) this.lastId = id;
    const event = field('event');
    if (event === undefined) return;
    const data = JSON.parse(field('data') ?? '{}');
    this.events.push({ event, id: id ?? '', dropId: String(data.drop_id ?? ''), data, at: Date.now() });
  }
}
