import { randomUUID } from 'node:crypto';
import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { FirestoreConnection, Place, Write } from '../../firestore/connection.ts';
import { systemClock } from '../../time/clock.ts';
import type { Amount, BudgetStore } from '../budget-store.ts';
import { changeAsRead, type Manners } from './change-as-read.ts';
import { idFrom } from './content.ts';
import { Gathered } from './gathered.ts';
import { type Purse, type Reserving, reserveFrom, settledIn, spentFrom, sweptFrom } from './purse.ts';
import { purseDocument, purseIn } from './purse-document.ts';
import { JUDGE_QUERIES, PURSES } from './queries.ts';

type Change =
  | ({ readonly do: 'reserve'; readonly purse: string } & Reserving)
  | { readonly do: 'settle'; readonly id: string; readonly used: Amount };

type Answer = ReturnType<typeof reserveFrom>['answer'] | null;

/** So many changes of one purse go into one write at most. */
const MOST_TOGETHER = 200;
const PAGE = 100;
/** A reservation's ID says which purse it is in, so that settling needs no search. */
const ID = /^([0-9a-f]{40})\.(.+)$/;

/**
 * Budgets on Firestore: one document for each purse. It is read, decided on, and written only if it is still as it was
 * read; otherwise all of that again. Transactions would say the same, but with Firestore's locks: those who read at the same
 * time then wait for each other, seconds long, until all but one give up. What one process asks of a purse
 * while a round is under way goes into its next one, so that only processes compete for a document, and not calls.
 * Reserving and settling cost a read and a write each when they come alone, less when they come together; a refusal
 * costs a read.
 * The connection belongs to the caller.
 */
export function createFirestoreBudgetStore(
  connection: FirestoreConnection,
  manners: Manners = { clock: systemClock, random: Math.random },
  newId: () => string = randomUUID,
): BudgetStore {
  const queues = new Map<string, Gathered<Change, Answer>>();

  const queueOf = (document: string): Gathered<Change, Answer> => {
    let queue = queues.get(document);
    if (queue === undefined) {
      queue = new Gathered(
        (changes) => change(connection, manners, [PURSES, document], changes),
        MOST_TOGETHER,
      );
      queues.set(document, queue);
    }
    return queue;
  };

  return {
    async reserve(purse, amount, limits, now, day) {
      checkNumbers({ ...amount, now });
      const document = idFrom([purse]);
      const id = newId();
      const answer = await queueOf(document).do({ do: 'reserve', purse, id, amount, limits, now, day });
      if (answer === null) throw new Error('A reservation was left without an answer.');
      return answer.reserved ? { reserved: true, id: `${document}.${id}` } : answer;
    },
    async settle(reservation, used) {
      const [, document, id] = ID.exec(reservation) ?? [];
      if (document === undefined || id === undefined) return;
      checkNumbers(used);
      await queueOf(document).do({ do: 'settle', id, used });
    },
    async spent(purse, now, day) {
      return spentFrom(purseIn(await connection.get([PURSES, idFrom([purse])])), now, day);
    },
    sweep: (before) => sweep(connection, before),
    async [Symbol.asyncDispose]() {
      await Promise.all([...queues.values()].map((queue) => queue.idle()));
    },
  };
}

function change(
  connection: FirestoreConnection,
  manners: Manners,
  place: Place,
  changes: readonly Change[],
): Promise<readonly Answer[]> {
  return changeAsRead<readonly Answer[]>(connection, place, manners, (snapshot) => {
    const before = purseIn(snapshot);
    let name: unknown = snapshot.get('purse');
    let purse = before;
    const answers = changes.map((wanted): Answer => {
      if (wanted.do === 'settle') {
        purse = settledIn(purse, wanted.id, wanted.used);
        return null;
      }
      name = wanted.purse;
      const changed = reserveFrom(purse, wanted);
      purse = changed.purse;
      return changed.answer;
    });
    return { value: answers, writes: purse === before ? [] : [stored(place, snapshot, String(name), purse)] };
  });
}

async function sweep(connection: FirestoreConnection, before: number): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const page = await connection.query(JUDGE_QUERIES.stalePurses, { where: [before], limit: PAGE });
    const already = forgotten;
    for (const { id } of page) forgotten += await sweepOne(connection, [PURSES, id], before);
    // A page of which nothing was forgotten would come again.
    if (page.length < PAGE || forgotten === already) return forgotten;
  }
}

function sweepOne(connection: FirestoreConnection, place: Place, before: number): Promise<number> {
  return connection.mutate(place, (snapshot) => {
    const stale = purseIn(snapshot);
    const { purse, answer } = sweptFrom(stale, before);
    if (purse === stale) return { value: 0, writes: [] };
    return { value: answer, writes: [stored(place, snapshot, String(snapshot.get('purse')), purse)] };
  });
}

/** The document is shared: what is no number would make it unreadable for everybody. */
function checkNumbers(numbers: Amount & { readonly now?: number }): void {
  for (const [name, value] of Object.entries(numbers))
    if (!Number.isFinite(value) || value < 0)
      throw new RangeError(`A budget cannot count ${name} = ${String(value)}.`);
}

/** Written only if the document is still as it was read. */
function stored(at: Place, { updateTime: asOf }: DocumentSnapshot, name: string, purse: Purse): Write {
  const data = purseDocument(name, purse);
  if (asOf === undefined) return { do: 'create', at, data };
  return purse.quarters.length === 0 ? { do: 'delete', at, asOf } : { do: 'replace', at, data, asOf };
}
