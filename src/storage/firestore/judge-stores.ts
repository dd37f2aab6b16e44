import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import { z } from 'zod';
import type { InterestsHistory } from '../../judge/interests.ts';
import type { Interests, JudgeFailure } from '../../judge/judge.ts';
import type { JudgeFailureStore, JudgeStores } from '../../judge/judge-stores.ts';
import type { VerdictCache, VerdictKey } from '../../judge/verdict-cache.ts';
import {
  type DocumentPath,
  type FirestoreConnection,
  MAX_CONFLICTS,
  MAX_PER_CALL,
  type Write,
} from './connection.ts';
import { contentionError } from './errors.ts';
import { createFirestoreJudgeBudgets } from './judge-budgets.ts';
import {
  contentOf,
  FAILURES,
  hashedIdOf,
  INTERESTS,
  JUDGE_QUERIES,
  readContent,
  VERDICTS,
} from './judge-documents.ts';

const FAILURE_SCHEMA = z.object({
  why: z.string().transform((why) => why as JudgeFailure),
  detail: z.string(),
  at: z.number(),
});

/** The last failure of each judge, one document each. The caller owns the connection. */
export function createFirestoreJudgeFailureStore(connection: FirestoreConnection): JudgeFailureStore {
  const placeOf = (judge: string): DocumentPath => [FAILURES, hashedIdOf([judge])];
  return {
    async report(judge, failure) {
      const at = placeOf(judge);
      await connection.commit([
        failure === null ? { do: 'delete', at } : { do: 'set', at, data: { judge, ...contentOf(failure) } },
      ]);
    },
    lastFailure: async (judge) => readContent(await connection.get(placeOf(judge)), FAILURE_SCHEMA),
  };
}

const VERDICT_SCHEMA = z.object({
  value: z.unknown(),
  by: z.looseObject({
    judge: z.string(),
    model: z.string(),
    promptVersion: z.string(),
    provisional: z.boolean(),
    usage: z.looseObject({
      calls: z.number(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      microUsd: z.number(),
      ms: z.number(),
    }),
  }),
  madeAt: z.number(),
  interestsVersion: z.string(),
});

const TOPICS_SCHEMA = z.array(
  z.object({
    topic: z.string(),
    aliases: z.array(z.string()),
    priority: z.enum(['high', 'medium', 'low']),
  }),
);

/** Past interests cached in this process. */
const MAX_CACHED_INTERESTS = 50;

/**
 * Verdicts and past interests, one document each. A lookup is one read, and so is the newest verdict whatever the interests
 * were; a verdict is one write. The caller owns the connection.
 */
export function createFirestoreVerdictCache(
  connection: FirestoreConnection,
): VerdictCache & InterestsHistory {
  /** Cached without expiry: the content of a version never changes. */
  const known = new Map<string, Interests>();

  return {
    async get(key) {
      const found = readContent(await connection.get(verdictPath(key)), VERDICT_SCHEMA);
      if (found === null) return null;
      const { value, by, madeAt } = found;
      return { value, by, madeAt };
    },
    async latest(key) {
      const [newest] = await connection.query(JUDGE_QUERIES.latest, { where: [questionId(key)], limit: 1 });
      return newest === undefined ? null : readContent(newest, VERDICT_SCHEMA);
    },
    async put(key, { value, by, madeAt }) {
      const { interestsVersion } = key;
      const content = contentOf({ value, by, madeAt, interestsVersion });
      const data = { asked: questionId(key), question: key.question, made_at: madeAt, ...content };
      await connection.commit([{ do: 'set', at: verdictPath(key), data }]);
    },
    sweep: (before) => sweepVerdicts(connection, before),
    async save({ version, topics }, now) {
      const at = interestsPath(version);
      const data = { interests: version.toWellFormed(), first_seen_at: now, ...contentOf(topics) };
      await connection.mutate(at, (stored) => ({
        value: undefined,
        writes: stored.exists ? [] : [{ do: 'create', at, data }],
      }));
    },
    async at(version) {
      const cached = known.get(version);
      if (cached !== undefined) return cached;
      const topics = readContent(await connection.get(interestsPath(version)), TOPICS_SCHEMA);
      if (topics === null) return null;
      const interests = { version, topics };
      if (known.size >= MAX_CACHED_INTERESTS) known.clear();
      known.set(version, interests);
      return interests;
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function sweepVerdicts(connection: FirestoreConnection, before: number): Promise<number> {
  let deleted = 0;
  let conflicts = 0;
  while (conflicts < MAX_CONFLICTS) {
    const page = await connection.query(JUDGE_QUERIES.oldVerdicts, { where: [before], limit: MAX_PER_CALL });
    // A verdict rewritten meanwhile stays: the page is queried again, without it.
    if ((await connection.commit(page.map(deletion))) === 'conflict') {
      conflicts += 1;
      continue;
    }
    deleted += page.length;
    if (page.length < MAX_PER_CALL) return deleted;
  }
  throw contentionError(VERDICTS, conflicts);
}

function deletion({ id, updateTime }: QueryDocumentSnapshot): Write {
  return { do: 'delete', at: [VERDICTS, id], asOf: updateTime };
}

function verdictPath(key: VerdictKey): DocumentPath {
  return [VERDICTS, hashedIdOf([...questionParts(key), key.interestsVersion])];
}

/** Model, text and prompt of the question, without the interests. */
function questionId(key: VerdictKey): string {
  return hashedIdOf(questionParts(key));
}

function questionParts({ question, textHash, model, promptVersion }: VerdictKey): string[] {
  return [question, textHash, model, promptVersion];
}

function interestsPath(version: string): DocumentPath {
  return [INTERESTS, hashedIdOf([version])];
}

/** Judge stores on Firestore, shared by all workers. The caller owns the connection and closes it after this. */
export function openFirestoreJudgeStores(connection: FirestoreConnection): JudgeStores {
  const budgets = createFirestoreJudgeBudgets(connection);
  const verdicts = createFirestoreVerdictCache(connection);
  return {
    budgets,
    verdicts,
    failures: createFirestoreJudgeFailureStore(connection),
    [Symbol.asyncDispose]: () => budgets[Symbol.asyncDispose](),
  };
}
