import type { ClaimedSource, SourceRecord, SourceStore } from '../../sources/source.ts';
import { type Clock, endsTooLate, systemClock } from '../../time/clock.ts';

/** Source states of one process, for tests and trials; lost on restart. */
export class MemorySourceStore implements SourceStore {
  readonly #records = new Map<string, SourceRecord>();
  readonly #claims = new Map<string, { readonly owner: string; readonly until: number }>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock;
  }

  async load(sourceId: string): Promise<SourceRecord | null> {
    return copied(this.#records.get(sourceId) ?? null);
  }

  async save(record: SourceRecord): Promise<void> {
    this.#records.set(record.sourceId, structuredClone(record));
    this.#claims.delete(record.sourceId);
  }

  async claim(sourceId: string, owner: string, leaseMs: number): Promise<ClaimedSource | null> {
    const now = this.#clock.now();
    const claim = this.#claims.get(sourceId);
    const isClaimed = claim !== undefined && claim.until > now && !endsTooLate(claim.until, leaseMs, now);
    if (isClaimed && claim.owner !== owner) return null;
    this.#claims.set(sourceId, { owner, until: now + leaseMs });
    return { record: await this.load(sourceId) };
  }

  async list(): Promise<readonly SourceRecord[]> {
    const all = [...this.#records.values()].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
    return structuredClone(all);
  }

  async remove(sourceId: string): Promise<void> {
    this.#records.delete(sourceId);
  }
}

function copied(record: SourceRecord | null): SourceRecord | null {
  return record === null ? null : structuredClone(record);
}
