import { type CountsEntry, type CountsLog, type CountsOfHour, hourOf } from '../../ledger/counts-log.ts';
import type { DocumentPath, FirestoreConnection } from './connection.ts';
import { MAX_PER_CALL, type Write } from './connection.ts';
import type { QueryForm } from './query.ts';

const COUNTS = 'pipeline_counts';
const DAY = 86_400_000;

export const COUNTS_QUERIES = {
  of: {
    collection: COUNTS,
    where: [
      ['pipeline', '=='],
      ['day', '>='],
      ['day', '<='],
    ],
    orderBy: [['day', 'asc']],
  },
  old: { collection: COUNTS, where: [['day', '<']], orderBy: [] },
} as const satisfies Readonly<Record<string, QueryForm>>;

type Hours = Readonly<Record<string, CountsOfHour>>;

/** Hourly counts, one document for each pipeline and day, so that a month of them is thirty reads. */
export class FirestoreCountsLog implements CountsLog {
  readonly #connection: FirestoreConnection;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  async put(pipeline: string, at: number, { byState, byReason }: CountsOfHour): Promise<void> {
    const day = dayOf(at);
    const place: DocumentPath = [COUNTS, `${pipeline}_${day}`];
    await this.#connection.mutate(place, (now) => {
      const hours: Hours = { ...hoursOf(now.get('content')), [hourOf(at)]: { byState, byReason } };
      const data = { pipeline, day, content: JSON.stringify(hours) };
      const { updateTime } = now;
      const write: Write =
        updateTime === undefined
          ? { do: 'create', at: place, data }
          : { do: 'replace', at: place, data, asOf: updateTime };
      return { value: undefined, writes: [write] };
    });
  }

  async read(pipeline: string, from: number, to: number): Promise<readonly CountsEntry[]> {
    const days = await this.#connection.query(COUNTS_QUERIES.of, {
      where: [pipeline, dayOf(from), dayOf(to)],
    });
    return days
      .flatMap((day) => Object.entries(hoursOf(day.get('content'))))
      .map(([at, counts]) => ({ at: Number(at), ...counts }))
      .filter(({ at }) => at >= hourOf(from) && at <= to)
      .sort((a, b) => a.at - b.at);
  }

  async sweep(before: number): Promise<void> {
    const old = await this.#connection.query(COUNTS_QUERIES.old, {
      where: [dayOf(before)],
      limit: MAX_PER_CALL,
    });
    await this.#connection.commit(old.map(({ id }) => ({ do: 'delete', at: [COUNTS, id] })));
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function dayOf(at: number): number {
  return Math.floor(at / DAY);
}

function hoursOf(content: unknown): Hours {
  return typeof content === 'string' ? (JSON.parse(content) as Hours) : {};
}
