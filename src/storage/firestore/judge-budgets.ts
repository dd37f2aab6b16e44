import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  type Amount,
  type BudgetLimits,
  type BudgetStore,
  exceededLimit,
  MINUTE_WINDOW_MS,
  type Reservation,
  type Spend,
} from '../../judge/budget/budget.ts';
import type { CalendarDay } from '../../time/calendar-day.ts';
import { isFuture } from '../../time/clock.ts';
import { Batcher } from './batcher.ts';
import type { DocumentPath, FirestoreConnection } from './connection.ts';
import { contentOf, hashedIdOf, readContent } from './judge-documents.ts';
import type { QueryForm } from './query.ts';
import { createOrReplace } from './query.ts';

export const BUDGETS = 'judge_budgets';
/** Budgets of earlier versions: one document for each, with sums by quarter of an hour. Read, and no longer written. */
export const EARLIER_BUDGETS = 'judge_purses';

export const JUDGE_BUDGET_QUERIES = {
  pastDays: { collection: BUDGETS, where: [['day_end', '<=']], orderBy: [['day_end', 'asc']] },
  earlier: { collection: EARLIER_BUDGETS, where: [['sweep_from', '<=']], orderBy: [['sweep_from', 'asc']] },
} as const satisfies Record<string, QueryForm>;

const MAX_BATCH = 200;
const PAGE = 100;
/** Twice the window, so that a worker whose clock is ahead removes nothing that the others need. */
const RECENT_MS = 2 * MINUTE_WINDOW_MS;
/** Reservations of calls that timed out are never replaced by usage; the oldest are dropped beyond this number. */
const MAX_OPEN = 500;
const QUARTER = 15 * 60_000;
/** A reservation ID begins with the ID of its document. */
const RESERVATION = /^([0-9a-f]{40})\.(.+)$/;

const n = z.number();
const CONTENT = z.object({
  /** Number of reservations made. */
  made: n,
  calls: n,
  tokens: n,
  microUsd: n,
  /** Calls for the limit of the minute: time and number. */
  recent: z.array(z.tuple([n, n])),
  /** Open reservations: ID, time and amount. */
  open: z.array(z.tuple([z.string(), n, n, n, n])),
});
type DaySpend = z.infer<typeof CONTENT>;
const NOTHING: DaySpend = { made: 0, calls: 0, tokens: 0, microUsd: 0, recent: [], open: [] };
type Counted = Pick<DaySpend, 'calls' | 'tokens' | 'microUsd' | 'recent'>;

const EARLIER_CONTENT = z.object({
  /** Start, reservations, calls, tokens, money. */
  quarters: z.array(z.tuple([n, n, n, n, n])),
  recent: z.array(z.tuple([n, n])),
});

interface Reserve {
  readonly id: string;
  readonly budget: string;
  readonly amount: Amount;
  readonly limits: BudgetLimits;
  readonly now: number;
  readonly day: CalendarDay;
}

interface RecordUsage {
  readonly reservationId: string;
  readonly used: Amount;
}

type Refusal = Extract<Reservation, { reserved: false }>;

/**
 * Judge budgets on Firestore: one document for each budget and day, changed by compare-and-set. Concurrent calls of one
 * process share one write, so only processes compete for a document. Reserving and recording usage are a read and a write each at
 * most; the first of a day is another read, a refusal is a read only. The caller owns the connection.
 */
export function createFirestoreJudgeBudgets(
  connection: FirestoreConnection,
  newId: () => string = randomUUID,
): BudgetStore {
  const batchers = new Map<string, Batcher<Reserve | RecordUsage, Refusal | null>>();

  const elsewhere = new SpentElsewhere(connection);

  const change = async (document: string, wanted: Reserve | RecordUsage): Promise<Refusal | null> => {
    const at = [BUDGETS, document] as const;
    const batcher =
      batchers.get(document) ??
      new Batcher((batch) => changeDay(connection, at, batch, elsewhere), MAX_BATCH);
    batchers.set(document, batcher);
    try {
      return await batcher.do(wanted);
    } finally {
      if (batcher.isIdle) batchers.delete(document);
    }
  };

  return {
    async reserve(budget, amount, limits, now, day) {
      checkNumbers({ ...amount, now });
      const document = dayId(budget, day.end);
      const id = newId();
      const refusal = await change(document, { id, budget, amount, limits, now, day });
      return refusal ?? { reserved: true, id: `${document}.${id}` };
    },
    async recordUsage(reservation, used) {
      const [, document, id] = RESERVATION.exec(reservation) ?? [];
      if (document === undefined || id === undefined) return;
      checkNumbers(used);
      await change(document, { reservationId: id, used });
    },
    async spent(budget, now, day) {
      const today = readContent(await connection.get([BUDGETS, dayId(budget, day.end)]), CONTENT);
      return spendOf([today ?? NOTHING, ...(await elsewhere.count({ budget, now, day }))], now);
    },
    sweep: (before) => sweep(connection, before),
    async [Symbol.asyncDispose]() {
      await Promise.all([...batchers.values()].map((batcher) => batcher.idle()));
    },
  };
}

/** A day is named by its end, so that the day before is found by the start of this one. */
function dayId(budget: string, dayEnd: number): string {
  return hashedIdOf([budget, String(dayEnd)]);
}

function changeDay(
  connection: FirestoreConnection,
  at: DocumentPath,
  batch: readonly (Reserve | RecordUsage)[],
  elsewhere: SpentElsewhere,
): Promise<readonly (Refusal | null)[]> {
  const reservation = batch.find((change) => 'id' in change);
  return connection.mutate(at, async (snapshot) => {
    const before = readContent(snapshot, CONTENT) ?? NOTHING;
    const counted = reservation === undefined ? [] : await elsewhere.count(reservation);
    let today = before;
    const answers = batch.map((change) => {
      const { next, refusal } =
        'id' in change
          ? reserve(today, change, counted)
          : { next: recordUsage(today, change), refusal: null };
      today = next;
      return refusal;
    });
    if (today === before) return { value: answers, writes: [] };
    const { purse, day_start, day_end } = reservation
      ? {
          purse: reservation.budget.toWellFormed(),
          day_start: reservation.day.start,
          day_end: reservation.day.end,
        }
      : (snapshot.data() ?? {});
    return {
      value: answers,
      writes: [createOrReplace(snapshot, at, { purse, day_start, day_end, ...contentOf(today) })],
    };
  });
}

/** What counts besides the day's document: the minute before midnight, and what an earlier version spent on the day. */
class SpentElsewhere {
  readonly #connection: FirestoreConnection;
  /** End of the day for which this process found no spending of an earlier version, by budget. */
  readonly #nothingEarlier = new Map<string, number>();

  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  async count({ budget, now, day }: Pick<Reserve, 'budget' | 'now' | 'day'>): Promise<Counted[]> {
    const counted: Counted[] = [];
    if (now - day.start < MINUTE_WINDOW_MS) {
      const before = await this.#connection.get([BUDGETS, dayId(budget, day.start)]);
      counted.push({ ...NOTHING, recent: readContent(before, CONTENT)?.recent ?? [] });
    }
    if (this.#nothingEarlier.get(budget) === day.end) return counted;
    const snapshot = await this.#connection.get([EARLIER_BUDGETS, hashedIdOf([budget])]);
    const { quarters, recent } = readContent(snapshot, EARLIER_CONTENT) ?? { quarters: [], recent: [] };
    const today = quarters.filter(([start]) => start + QUARTER > day.start);
    if (today.length === 0) this.#nothingEarlier.set(budget, day.end);
    const amounts = today.map(([, , calls, tokens, microUsd]) => ({ calls, tokens, microUsd }));
    return [...counted, { ...amounts.reduce(plus, NOTHING), recent }];
  }
}

function reserve(
  today: DaySpend,
  { id, amount, limits, now, day }: Reserve,
  elsewhere: readonly Counted[],
): { readonly next: DaySpend; readonly refusal: Refusal | null } {
  // An earlier attempt of this call succeeded, but its reply was lost.
  if (today.open.some(([open]) => open === id)) return { next: today, refusal: null };
  const all = [today, ...elsewhere];
  const limit = exceededLimit(spendOf(all, now), amount, limits);
  if (limit !== null) {
    const until =
      limit === 'callsPerMinute'
        ? Math.min(now, ...minuteOf(all, now).map(([at]) => at)) + MINUTE_WINDOW_MS
        : day.end;
    return { next: today, refusal: { reserved: false, limit, until } };
  }
  const { calls, tokens, microUsd } = amount;
  const next = {
    ...today,
    made: today.made + 1,
    ...plus(today, amount),
    recent: [...today.recent.filter(([at]) => at > now - RECENT_MS), [now, calls] as [number, number]],
    open: [...today.open, [id, now, calls, tokens, microUsd] as DaySpend['open'][number]].slice(-MAX_OPEN),
  };
  return { next, refusal: null };
}

/** Returns the same record where the reservation is unknown or already replaced by its usage. */
function recordUsage(today: DaySpend, { reservationId, used }: RecordUsage): DaySpend {
  const reservation = today.open.find(([id]) => id === reservationId);
  if (reservation === undefined) return today;
  const [, at, calls, tokens, microUsd] = reservation;
  const more = {
    calls: used.calls - calls,
    tokens: used.tokens - tokens,
    microUsd: used.microUsd - microUsd,
  };
  const call = today.recent.findIndex((recent) => recent[0] === at && recent[1] === calls);
  return {
    ...today,
    ...plus(today, more),
    recent: today.recent.map((recent, index) => (index === call ? [at, used.calls] : recent)),
    open: today.open.filter((open) => open !== reservation),
  };
}

function spendOf(all: readonly Counted[], now: number): Spend {
  return {
    lastMinute: { calls: sum(minuteOf(all, now).map(([, calls]) => calls)) },
    today: all.reduce(plus, { calls: 0, tokens: 0, microUsd: 0 }),
  };
}

function minuteOf(all: readonly Counted[], now: number): [number, number][] {
  return all
    .flatMap(({ recent }) => recent)
    .filter(([at]) => at > now - MINUTE_WINDOW_MS && !isFuture(at, now));
}

async function sweep(connection: FirestoreConnection, before: number): Promise<number> {
  const { pastDays, earlier } = JUDGE_BUDGET_QUERIES;
  let deleted = 0;
  for (let isMore = true; isMore; ) {
    const page = await connection.query(pastDays, { where: [before], limit: PAGE });
    deleted += sum(page.map((snapshot) => readContent(snapshot, CONTENT)?.made ?? 0));
    await connection.commit(page.map(({ id }) => ({ do: 'delete', at: [BUDGETS, id] })));
    isMore = page.length === PAGE;
  }
  const old = (await connection.query(earlier, { where: [before], limit: PAGE })).filter(
    ({ updateTime }) => updateTime.toMillis() < before,
  );
  await connection.commit(old.map(({ id }) => ({ do: 'delete', at: [EARLIER_BUDGETS, id] })));
  return deleted;
}

/** The document is shared: a value that is not a number would make it unreadable for every process. */
function checkNumbers(numbers: Amount & { readonly now?: number }): void {
  for (const [name, value] of Object.entries(numbers))
    if (!Number.isFinite(value) || value < 0)
      throw new RangeError(`A budget cannot count ${name} = ${String(value)}.`);
}

function plus(a: Amount, b: Amount): Amount {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, microUsd: a.microUsd + b.microUsd };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
