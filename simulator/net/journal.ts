import type { Ask, ServiceName } from './exchange.ts';
import type { FaultKind } from './fault.ts';

/** One request that reached the simulator. Headers and bodies are not stored: they contain tokens. */
export interface JournalEntry {
  readonly at: number;
  readonly service: ServiceName | 'control';
  readonly method: string;
  readonly path: string;
  readonly fault: FaultKind | null;
  /** The response of the service; `null` when it was not called or has not answered yet. */
  status: number | null;
}

const KEPT = 2000;

/** Requests to the simulator: total counts, the latest entries in full. */
export class Journal {
  readonly #entries: JournalEntry[] = [];
  readonly #counts = new Map<string, number>();
  readonly #problems: unknown[] = [];

  note(service: ServiceName | 'control', ask: Ask, fault: FaultKind | null): JournalEntry {
    const entry = { at: ask.now, service, method: ask.method, path: ask.path, fault, status: null };
    this.#entries.push(entry);
    if (this.#entries.length > KEPT) this.#entries.splice(0, KEPT / 2);
    this.#counts.set(service, (this.#counts.get(service) ?? 0) + 1);
    return entry;
  }

  /** An error of the simulator itself: look here when a response is an unexpected 500. */
  problem(service: string, error: unknown): void {
    this.#problems.push({ service, error: error instanceof Error ? error.stack : error });
    if (this.#problems.length > 50) this.#problems.shift();
  }

  problems(): readonly unknown[] {
    return this.#problems;
  }

  /** The latest requests, oldest first. */
  entries(service?: ServiceName): readonly JournalEntry[] {
    return service ? this.#entries.filter((entry) => entry.service === service) : this.#entries;
  }

  /** How many requests each service got since the start. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  clear(): void {
    this.#entries.length = 0;
    this.#counts.clear();
    this.#problems.length = 0;
  }
}
