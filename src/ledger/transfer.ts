import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';
import { REASONS, STATES } from '../item/lifecycle.ts';
import { OperationalError } from '../telemetry/errors.ts';
import type { ItemStore, LedgerRecord } from './ledger.ts';
import { MAX_TIME, MIN_TIME } from './validation.ts';

/** Schema of a line of an export. Unknown fields pass: a later version may add some. */
const timeSchema = z.number().int().min(MIN_TIME).max(MAX_TIME);
const countSchema = z.number().int().min(0);
const stateSchema = z.enum(STATES);
const reasonSchema = z.enum(REASONS);
const keySchema = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'is not a usable key');

const verdictSchema = z.looseObject({
  score: z.number().int().min(0).max(100).nullable(),
  topics: z.array(z.string()),
  summary: z.string().nullable(),
  reason: z.string(),
  judge: z.string(),
  model: z.string(),
  promptVersion: z.string(),
  interestsVersion: z.string(),
  textHash: z.string(),
  madeAt: timeSchema,
  provisional: z.boolean(),
});

const historyLineSchema = z.looseObject({
  at: timeSchema,
  event: z.string(),
  from: stateSchema.nullable(),
  to: stateSchema.nullable(),
  reason: reasonSchema,
  detail: z.string().nullable(),
  who: z.string().nullable(),
  notes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  verdict: verdictSchema.optional(),
});

const itemSchema = z.looseObject({
  key: keySchema,
  url: z.string(),
  title: z.string().min(1),
  publishedAt: timeSchema,
  sourceId: z.string(),
  sourceName: z.string(),
  state: stateSchema,
  reason: reasonSchema,
  detail: z.string().nullable(),
  attempts: countSchema,
  dueAt: z.number().int().nullable(),
  createdAt: timeSchema,
  checkedAt: timeSchema,
  verdict: verdictSchema.nullable(),
});

const sightingSchema = z.looseObject({
  sourceId: z.string(),
  sourceName: z.string(),
  url: z.string(),
  title: z.string(),
  at: timeSchema,
});

const deliverySchema = z.looseObject({
  key: z.string().min(1),
  itemKeys: z.array(keySchema),
  destination: z.string(),
  body: z.string(),
  state: z.enum(['intended', 'sending', 'unknown', 'sent', 'refused', 'parked', 'dropped']),
  remoteId: z.string().nullable(),
  remoteUrl: z.string().nullable(),
  detail: z.string().nullable(),
  attempts: countSchema,
  createdAt: timeSchema,
  firstTriedAt: timeSchema.nullable(),
  updatedAt: timeSchema,
  dueAt: z.number().int().nullable(),
});

const recordSchema = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('item'),
    item: itemSchema,
    token: countSchema,
    handOver: z.boolean(),
    sightings: z.array(sightingSchema),
    history: z.array(historyLineSchema),
  }),
  z.looseObject({ kind: z.literal('delivery'), delivery: deliverySchema }),
  z.looseObject({ kind: z.literal('tombstone'), key: keySchema, state: stateSchema, sweptAt: timeSchema }),
]);

export type CheckedRecord =
  | { readonly ok: true; readonly record: LedgerRecord }
  | { readonly ok: false; readonly why: string };

/** Validates a parsed line; an invalid one gets a sentence that describes the problem. */
export function checkRecord(value: unknown): CheckedRecord {
  const result = recordSchema.safeParse(value);
  if (result.success) return { ok: true, record: value as LedgerRecord };
  const issue = result.error.issues[0];
  return { ok: false, why: `${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'is not a record'}` };
}

/**
 * A ledger as lines of JSON: a head line, one line per record, and a last line with the number of records and the
 * SHA-256 of their lines, so that a truncated or altered file is detected before anything is stored.
 */
const HEAD = { kawaraban: 'ledger', version: 1 } as const;
/** Records loaded per batch. */
const LOAD_BATCH_SIZE = 200;

export interface TransferProgress {
  readonly records: number;
  readonly phase: 'exporting' | 'checking' | 'importing';
}

export interface TransferOptions {
  readonly onProgress?: (progress: TransferProgress) => void;
  readonly signal?: AbortSignal;
}

export interface ExportReport {
  readonly records: number;
  readonly sha256: string;
}

export interface ImportReport extends ExportReport {
  readonly loaded: number;
  /** Existed already, unchanged or changed since. */
  readonly there: number;
}

/** The file is not a complete export. Nothing was stored. */
export class BadExportError extends OperationalError {
  readonly kind = 'bad_data';
  override readonly name = 'BadExportError';
  /** Counted from 1. */
  readonly line: number;

  constructor(line: number, why: string) {
    super(`Line ${line} of the export: ${why}. Nothing was stored.`);
    this.line = line;
  }
}

/** Each line without its line break. Stops with the signal's reason when it is aborted. */
export async function* exportLedger(
  ledger: ItemStore,
  options: TransferOptions = {},
): AsyncGenerator<string, ExportReport, void> {
  const hash = createHash('sha256');
  let records = 0;
  yield JSON.stringify(HEAD);
  for await (const record of ledger.dump()) {
    options.signal?.throwIfAborted();
    const line = JSON.stringify(record);
    hash.update(line).update('\n');
    records += 1;
    if (records % LOAD_BATCH_SIZE === 0) options.onProgress?.({ records, phase: 'exporting' });
    yield line;
  }
  const report = { records, sha256: hash.digest('hex') };
  options.onProgress?.({ records, phase: 'exporting' });
  yield JSON.stringify({ end: true, ...report });
  return report;
}

/**
 * Reads the lines twice, first to check and then to store all of them, so `lines` is a function. Importing again, or
 * continuing after a stop, duplicates nothing.
 */
export async function importLedger(
  lines: () => AsyncIterable<string>,
  ledger: ItemStore,
  options: TransferOptions = {},
): Promise<ImportReport> {
  const { records, sha256 } = await checkExport(lines(), options);
  let loaded = 0;
  let read = 0;
  let batch: LedgerRecord[] = [];
  const flush = async (): Promise<void> => {
    options.signal?.throwIfAborted();
    const outcomes = await ledger.load(batch);
    loaded += outcomes.filter((outcome) => outcome === 'loaded').length;
    read += batch.length;
    batch = [];
    options.onProgress?.({ records: read, phase: 'importing' });
  };
  for await (const line of lines()) {
    const checked = checkRecord(parseLine(line));
    if (checked.ok) batch.push(checked.record);
    if (batch.length >= LOAD_BATCH_SIZE) await flush();
  }
  await flush();
  if (read !== records) throw new BadExportError(read, 'the file changed while it was read');
  return { records, sha256, loaded, there: records - loaded };
}

async function checkExport(lines: AsyncIterable<string>, options: TransferOptions): Promise<ExportReport> {
  const hash = createHash('sha256');
  let number = 0;
  let records = 0;
  let end: ExportReport | null = null;
  for await (const line of lines) {
    options.signal?.throwIfAborted();
    number += 1;
    if (line === '') continue;
    if (end !== null) throw new BadExportError(number, 'there is more after its end');
    const value = parseLine(line);
    if (number === 1) checkHead(value);
    else if (isEnd(value)) end = checkEnd(value, number, records, hash);
    else {
      const checked = checkRecord(value);
      if (!checked.ok) throw new BadExportError(number, checked.why);
      hash.update(line).update('\n');
      records += 1;
      if (records % LOAD_BATCH_SIZE === 0) options.onProgress?.({ records, phase: 'checking' });
    }
  }
  if (end === null) throw new BadExportError(number + 1, 'the end is missing; the file was cut off');
  return end;
}

function checkHead(value: unknown): void {
  const head = value as Partial<Record<keyof typeof HEAD, unknown>> | null;
  if (head?.kawaraban !== HEAD.kawaraban) throw new BadExportError(1, 'this is not the export of a ledger');
  if (head.version !== HEAD.version)
    throw new BadExportError(1, `this program reads version ${HEAD.version} and not ${String(head.version)}`);
}

function isEnd(value: unknown): value is { readonly end: true } & ExportReport {
  return typeof value === 'object' && value !== null && 'end' in value && value.end === true;
}

function checkEnd(end: ExportReport, line: number, records: number, hash: Hash): ExportReport {
  if (end.records !== records)
    throw new BadExportError(line, `${String(end.records)} records were written, and ${records} are here`);
  const sha256 = hash.digest('hex');
  if (end.sha256 !== sha256) throw new BadExportError(line, 'the lines were changed after they were written');
  return { records, sha256 };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
