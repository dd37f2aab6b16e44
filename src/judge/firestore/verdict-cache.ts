import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import { z } from 'zod';
import {
  type FirestoreConnection,
  MOST_CONFLICTS,
  MOST_PER_CALL,
  type Place,
  type Write,
} from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import type { InterestsHistory } from '../interests-history.ts';
import type { Interests } from '../judge.ts';
import type { VerdictCache, VerdictKey } from '../verdict-cache.ts';
import { contentOf, idFrom, readContent } from './content.ts';
import { INTERESTS, JUDGE_QUERIES, VERDICTS } from './queries.ts';

const VERDICT = z.object({
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

const TOPICS = z.array(
  z.object({
    topic: z.string(),
    aliases: z.array(z.string()),
    priority: z.enum(['high', 'medium', 'low']),
  }),
);

/** Past interests that this process remembers itself; more would hardly be asked for. */
const MOST_REMEMBERED = 50;

/**
 * Verdicts and past interests on Firestore, a document each. A question is one read, and so is the newest verdict whatever
 * the interests were; a verdict is one write. The connection belongs to the caller.
 */
export function createFirestoreVerdictCache(
  connection: FirestoreConnection,
): VerdictCache & InterestsHistory {
  /** What a version stands for never changes. */
  const known = new Map<string, Interests>();

  return {
    async get(key) {
      const found = readContent(await connection.get(placeOf(key)), VERDICT);
      if (found === null) return null;
      const { value, by, madeAt } = found;
      return { value, by, madeAt };
    },
    async latest(key) {
      const [newest] = await connection.query(JUDGE_QUERIES.latest, { where: [askedIn(key)], limit: 1 });
      return newest === undefined ? null : readContent(newest, VERDICT);
    },
    async put(key, { value, by, madeAt }) {
      const { interestsVersion } = key;
      const content = contentOf({ value, by, madeAt, interestsVersion });
      const data = { asked: askedIn(key), question: key.question, made_at: madeAt, ...content };
      await connection.commit([{ do: 'set', at: placeOf(key), data }]);
    },
    sweep: (before) => sweep(connection, before),
    async remember({ version, topics }, now) {
      const at = interestsAt(version);
      const data = { interests: version.toWellFormed(), first_seen_at: now, ...contentOf(topics) };
      await connection.mutate(at, (stored) => ({
        value: undefined,
        writes: stored.exists ? [] : [{ do: 'create', at, data }],
      }));
    },
    async at(version) {
      const remembered = known.get(version);
      if (remembered !== undefined) return remembered;
      const topics = readContent(await connection.get(interestsAt(version)), TOPICS);
      if (topics === null) return null;
      const interests = { version, topics };
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(version, interests);
      return interests;
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function sweep(connection: FirestoreConnection, before: number): Promise<number> {
  let forgotten = 0;
  let conflicts = 0;
  while (conflicts < MOST_CONFLICTS) {
    const page = await connection.query(JUDGE_QUERIES.oldVerdicts, { where: [before], limit: MOST_PER_CALL });
    // One that was made anew meanwhile stays: then the page is asked for again, without it.
    if ((await connection.commit(page.map(deletion))) === 'conflict') {
      conflicts += 1;
      continue;
    }
    forgotten += page.length;
    if (page.length < MOST_PER_CALL) return forgotten;
  }
  throw contention(VERDICTS, conflicts);
}

function deletion({ id, updateTime }: QueryDocumentSnapshot): Write {
  return { do: 'delete', at: [VERDICTS, id], asOf: updateTime };
}

function placeOf(key: VerdictKey): Place {
  return [VERDICTS, idFrom([...sameIn(key), key.interestsVersion])];
}

/** The question to this model, on this text, in these words; the interests left out. */
function askedIn(key: VerdictKey): string {
  return idFrom(sameIn(key));
}

function sameIn({ question, textHash, model, promptVersion }: VerdictKey): string[] {
  return [question, textHash, model, promptVersion];
}

function interestsAt(version: string): Place {
  return [INTERESTS, idFrom([version])];
}
