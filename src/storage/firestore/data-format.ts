import { OperationalError } from '../../telemetry/errors.ts';
import type { FirestoreConnection } from './connection.ts';

/**
 * Format of all documents together. Fields are only ever added, so that replicas of two versions can run side by side; a change
 * that an earlier program would misread raises it.
 */
const KNOWN_FORMAT = 1;

const AT = ['program', 'data'] as const;

/** What is recorded about the data; `null` for data of 0.2 and before, which has no record, and for an empty database. */
export interface RecordedFormat {
  readonly format: number;
  /** The program that opened it last. */
  readonly program: string;
}

/** The documents were written by a newer program than this one (I14). Nothing was changed. */
export class NewerFormatError extends OperationalError {
  readonly kind = 'bad_data';
  override readonly name = 'NewerFormatError';

  constructor({ format, program }: RecordedFormat) {
    super(
      `Firestore has data of a newer version (${program}): it has format ${format}, and this program knows ${KNOWN_FORMAT}. Nothing was changed. Either install ${program} again (npm i -g kawaraban@${program}), or restore the database from a backup of before the upgrade (gcloud firestore databases restore).`,
    );
  }
}

export function isNewer({ format }: RecordedFormat): boolean {
  return format > KNOWN_FORMAT;
}

/** Reads the record, and changes nothing. */
export async function readFormat(connection: FirestoreConnection): Promise<RecordedFormat | null> {
  return formatIn(await connection.get(AT));
}

/** Refuses data of a newer program, and records this one: one read, and a write by the first start of each version. */
export async function claimFormat(connection: FirestoreConnection, program: string): Promise<void> {
  const newer = await connection.mutate(AT, (document) => {
    const recorded = formatIn(document);
    if (recorded !== null && isNewer(recorded)) return { value: recorded, writes: [] };
    if (recorded?.program === program) return { value: null, writes: [] };
    return { value: null, writes: [{ do: 'set', at: AT, data: { format: KNOWN_FORMAT, program } }] };
  });
  if (newer !== null) throw new NewerFormatError(newer);
}

function formatIn(document: { get(field: string): unknown }): RecordedFormat | null {
  const [format, program] = [document.get('format'), document.get('program')];
  return typeof format === 'number' ? { format, program: String(program) } : null;
}
