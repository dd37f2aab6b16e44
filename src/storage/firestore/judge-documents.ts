import { createHash } from 'node:crypto';
import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { z } from 'zod';
import type { QueryForm } from './query.ts';

export const VERDICTS = 'judge_verdicts';
export const INTERESTS = 'judge_interests';
export const FAILURES = 'judge_troubles';

/** Every query of the judge stores. */
export const JUDGE_QUERIES = {
  /** Verdicts on one text by one model and prompt, the newest first. */
  latest: {
    collection: VERDICTS,
    where: [['asked', '==']],
    orderBy: [['made_at', 'desc']],
  },
  oldVerdicts: {
    collection: VERDICTS,
    where: [['made_at', '<']],
    orderBy: [['made_at', 'asc']],
  },
} as const satisfies Record<string, QueryForm>;

/** Format version of the documents. A program refuses those of a newer one, and so never overwrites them (X17). */
const CONTENT_VERSION = 1;

/** A judge document that this program cannot read: written by a newer program, or changed by hand. */
export class UnreadableJudgeDocumentError extends Error {
  override readonly name = 'UnreadableJudgeDocumentError';
  readonly document: string;

  constructor(document: string, why: string, cause?: unknown) {
    super(`Failed to read the judge document ${document}: ${why}`, { cause });
    this.document = document;
  }
}

/** The field `content`, beside its version. JSON keeps any text unchanged; a Firestore string does not. */
export function contentOf(value: unknown): { readonly version: number; readonly content: string } {
  return { version: CONTENT_VERSION, content: JSON.stringify(value) };
}

/** `null` = there is no such document. */
export function readContent<T>(snapshot: DocumentSnapshot, schema: z.ZodType<T>): T | null {
  if (!snapshot.exists) return null;
  const { path } = snapshot.ref;
  const version: unknown = snapshot.get('version');
  if (typeof version === 'number' && version > CONTENT_VERSION)
    throw new UnreadableJudgeDocumentError(
      path,
      `it has version ${version}, and this program knows ${CONTENT_VERSION}. Update the program.`,
    );
  const content: unknown = snapshot.get('content');
  if (typeof content !== 'string') throw new UnreadableJudgeDocumentError(path, 'it has no content.');
  try {
    return schema.parse(JSON.parse(content));
  } catch (error) {
    throw new UnreadableJudgeDocumentError(path, 'its content is not what this program writes.', error);
  }
}

/** A document ID: model names contain slashes, which IDs may not. */
export function hashedIdOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}
