import { z } from 'zod';
import type { FirestoreConnection, Place } from '../../firestore/connection.ts';
import type { JudgeTrouble } from '../judge.ts';
import type { JudgeTroubles } from '../judge-troubles.ts';
import { contentOf, idFrom, readContent } from './content.ts';
import { TROUBLES } from './queries.ts';

const TROUBLE = z.object({
  why: z.string().transform((why) => why as JudgeTrouble),
  detail: z.string(),
  at: z.number(),
});

/** The judges' last troubles on Firestore, a document each. The connection belongs to the caller. */
export function createFirestoreJudgeTroubles(connection: FirestoreConnection): JudgeTroubles {
  const placeOf = (judge: string): Place => [TROUBLES, idFrom([judge])];
  return {
    async report(judge, trouble) {
      const at = placeOf(judge);
      await connection.commit([
        trouble === null ? { do: 'delete', at } : { do: 'set', at, data: { judge, ...contentOf(trouble) } },
      ]);
    },
    lastTrouble: async (judge) => readContent(await connection.get(placeOf(judge)), TROUBLE),
  };
}
