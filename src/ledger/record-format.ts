import { z } from 'zod';
import { REASONS, STATES } from '../item/lifecycle.ts';
import { EARLIEST_TIME, LATEST_TIME } from './check-sighting.ts';
import type { LedgerRecord } from './ledger.ts';

/** What a line of an export must look like. Unknown fields pass: a later version may add some. */
const time = z.number().int().min(EARLIEST_TIME).max(LATEST_TIME);
const count = z.number().int().min(0);
const state = z.enum(STATES);
const reason = z.enum(REASONS);
const key = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'is not a usable key');

const verdict = z.looseObject({
  score: z.number().int().min(0).max(100).nullable(),
  topics: z.array(z.string()),
  summary: z.string().nullable(),
  reason: z.string(),
  judge: z.string(),
  model: z.string(),
  promptVersion: z.string(),
  interestsVersion: z.string(),
  textHash: z.string(),
  madeAt: time,
  provisional: z.boolean(),
});

const line = z.looseObject({
  at: time,
  event: z.string(),
  from: state.nullable(),
  to: state.nullable(),
  reason,
  detail: z.string().nullable(),
  who: z.string().nullable(),
  notes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  verdict: verdict.optional(),
});

const item = z.looseObject({
  key,
  url: z.string(),
  title: z.string().min(1),
  publishedAt: time,
  sourceId: z.string(),
  sourceName: z.string(),
  state,
  reason,
  detail: z.string().nullable(),
  attempts: count,
  dueAt: z.number().int().nullable(),
  createdAt: time,
  checkedAt: time,
  verdict: verdict.nullable(),
});

const sighted = z.looseObject({
  sourceId: z.string(),
  sourceName: z.string(),
  url: z.string(),
  title: z.string(),
  at: time,
});

const delivery = z.looseObject({
  key: z.string().min(1),
  itemKeys: z.array(key),
  destination: z.string(),
  body: z.string(),
  state: z.enum(['intended', 'sending', 'unknown', 'sent', 'refused', 'parked', 'dropped']),
  remoteId: z.string().nullable(),
  remoteUrl: z.string().nullable(),
  detail: z.string().nullable(),
  attempts: count,
  createdAt: time,
  firstTriedAt: time.nullable(),
  updatedAt: time,
  dueAt: z.number().int().nullable(),
});

const record = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('item'),
    item,
    token: count,
    handOver: z.boolean(),
    sightings: z.array(sighted),
    history: z.array(line),
  }),
  z.looseObject({ kind: z.literal('delivery'), delivery }),
  z.looseObject({ kind: z.literal('tombstone'), key, state, sweptAt: time }),
]);

export type Checked =
  | { readonly ok: true; readonly record: LedgerRecord }
  | { readonly ok: false; readonly why: string };

/** Whether a parsed line is a record, and if not, what is wrong with it, in one sentence. */
export function checkRecord(value: unknown): Checked {
  const result = record.safeParse(value);
  if (result.success) return { ok: true, record: value as LedgerRecord };
  const issue = result.error.issues[0];
  return { ok: false, why: `${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'is not a record'}` };
}
