import type { SourceMemory, SourceTrouble } from './source.ts';

/** What is remembered of each source between readings; shared by all pipelines. */
export interface SourceStore {
  load(sourceId: string): Promise<SourceRecord | null>;
  save(record: SourceRecord): Promise<void>;
  list(): Promise<readonly SourceRecord[]>;
  remove(sourceId: string): Promise<void>;
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
  };
}
