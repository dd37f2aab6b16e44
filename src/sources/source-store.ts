import type { SourceMemory, SourceTrouble } from './source.ts';

/** What is remembered of each source between readings; shared by all pipelines. */
export interface SourceStore {
  load(sourceId: string): Promise<SourceRecord | null>;
  /** Replaces the record and ends the claim on the source. */
  save(record: SourceRecord): Promise<void>;
  /**
   * Claims a source for one reading, so that replicas do not read it at the same time; a claim of one's own is renewed.
   * `null` while another owner has it. A store of one machine may grant every claim.
   */
  claim(sourceId: string, owner: string, leaseMs: number): Promise<ClaimedSource | null>;
  list(): Promise<readonly SourceRecord[]>;
  remove(sourceId: string): Promise<void>;
}

export interface ClaimedSource {
  /** As it is stored; `null` where the source was never read. */
  readonly record: SourceRecord | null;
}

export interface SourceRecord {
  readonly sourceId: string;
  readonly memory: SourceMemory;
  /** Where it really is, when it moved. */
  readonly movedTo: string | null;
  readonly lastTriedAt: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastTrouble: { readonly why: SourceTrouble; readonly detail: string; readonly at: number } | null;
  readonly failuresInARow: number;
  readonly nextAt: number | null;
  readonly itemsSeen: number;
  /** Whether the first contact has taken its baseline. */
  readonly baselineTakenAt: number | null;
  /** Hashes of the item keys that it reported lately (`rememberReported`); `null` in records of earlier versions. */
  readonly reported: string | null;
}

/** What is remembered of a source that was never read. */
export function unknownSource(sourceId: string): SourceRecord {
  return {
    sourceId,
    memory: {},
    movedTo: null,
    lastTriedAt: null,
    lastSuccessAt: null,
    lastTrouble: null,
    failuresInARow: 0,
    nextAt: null,
    itemsSeen: 0,
    baselineTakenAt: null,
    reported: null,
  };
}
