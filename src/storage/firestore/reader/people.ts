import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { EntryId } from '../../../reader/entry-store.ts';
import type { FirestoreConnection, Mutation, Write } from '../connection.ts';
import { createOrReplace } from '../query.ts';
import { hashed, personAt, READER_QUERIES, statesAt } from './documents.ts';
import {
  type Chunk,
  headData,
  MAX_HEAD_BYTES,
  packChoices,
  toHead,
  unpackChoices,
} from './person-documents.ts';
import {
  expiredOperations,
  folded,
  NO_READING,
  type ReadingRecord,
  ReadingState,
  type StoryById,
  type StoryChoice,
} from './reading-state.ts';

/** Nothing is kept about a person without an ID, so nothing is read. */
const GUEST = '';
const MAX_CACHED_PEOPLE = 500;
/** Expired operations are folded together, so that most changes write one document. */
const MIN_FOLDED = 100;
/** A chunk that is missing was replaced since its head was read. */
const MAX_READS = 10;
const REMOVED_PER_CALL = 300;

type Decision<T> = (state: ReadingState) => { readonly value: T; readonly next: ReadingRecord | null };

interface LoadedPerson {
  /** Of the head, with its nanoseconds. */
  readonly updateTime: string;
  readonly state: ReadingState;
  readonly chunks: readonly Chunk[];
}

interface FoldedRecord {
  readonly record: ReadingRecord;
  readonly chunks: readonly Chunk[];
  /** Of the chunks. */
  readonly writes: readonly Write[];
}

const NO_PERSON: LoadedPerson = { updateTime: '', state: new ReadingState(NO_READING), chunks: [] };

/**
 * What people read, starred and want to read later. Each call reads the head of the person, so that a change on one replica is
 * seen on all others at once; what it refers to is cached.
 */
export class FirestorePeople {
  readonly #connection: FirestoreConnection;
  readonly #storyById: StoryById;
  readonly #cached = new Map<string, LoadedPerson>();

  /** `storyById` decides which choices are still needed. */
  constructor(connection: FirestoreConnection, storyById: StoryById) {
    this.#connection = connection;
    this.#storyById = storyById;
  }

  async load(person: string): Promise<ReadingState> {
    if (person === GUEST) return NO_PERSON.state;
    for (let reads = 0; reads < MAX_READS; reads++) {
      const loaded = await this.#toPerson(person, await this.#connection.get(personAt(person)));
      if (loaded !== null) return loaded.state;
    }
    throw new Error(
      `Failed to read the state of a person: it changed ${MAX_READS} times meanwhile. Try again.`,
    );
  }

  /** Compare-and-set of what is no state of entries. */
  edit<T>(person: string, decide: Decision<T>): Promise<T> {
    return this.#mutate(person, decide, (record, { chunks }) => ({ record, chunks, writes: [] }));
  }

  /** Compare-and-set of states. The indexes must be loaded: they tell which choices are still needed. */
  change<T>(person: string, now: number, decide: Decision<T>): Promise<T> {
    return this.#mutate(person, decide, (record, before) => this.#fold(person, record, before, now));
  }

  async remove(person: string): Promise<void> {
    await this.#connection.commit([{ do: 'delete', at: personAt(person) }]);
    this.#cached.delete(person);
    for (;;) {
      const chunks = await this.#connection.query(READER_QUERIES.statesOf, {
        where: [hashed(person)],
        limit: REMOVED_PER_CALL,
      });
      await this.#connection.commit(
        chunks.map(({ id }): Write => ({ do: 'delete', at: [READER_QUERIES.statesOf.collection, id] })),
      );
      if (chunks.length < REMOVED_PER_CALL) return;
    }
  }

  async #mutate<T>(
    person: string,
    decide: Decision<T>,
    fold: (next: ReadingRecord, before: LoadedPerson) => FoldedRecord,
  ): Promise<T> {
    if (person === GUEST) throw new RangeError('Failed to change a state: it needs a person.');
    const at = personAt(person);
    const written: FoldedRecord[] = [];
    const value = await this.#connection.mutate(at, async (snapshot): Promise<Mutation<T | undefined>> => {
      const loaded = await this.#toPerson(person, snapshot);
      if (loaded === null) return { value: undefined, writes: [], isPartial: true };
      const { value: decided, next } = decide(loaded.state);
      if (next === null) return { value: decided, writes: [] };
      const folded = fold(next, loaded);
      written.push(folded);
      return { value: decided, writes: [createOrReplace(snapshot, at, headData(folded)), ...folded.writes] };
    });
    // Without its update time it is not used by the next call, except for its chunks.
    const last = written.at(-1);
    if (last !== undefined) this.#remember(person, toLoaded('', last));
    return value as T;
  }

  /** Moves old operations to the chunks once there are many, or where the head would become too large. */
  #fold(person: string, next: ReadingRecord, before: LoadedPerson, now: number): FoldedRecord {
    const { chunks } = before;
    const expired = expiredOperations(next, now);
    let count = expired < MIN_FOLDED ? 0 : expired;
    let record = next;
    while (count > 0 || headBytes(record, chunks) > MAX_HEAD_BYTES) {
      if (record.operations.length === 0) break;
      record = folded(record, count || Math.ceil(record.operations.length / 2), this.#storyById);
      count = 0;
    }
    if (record === next) return { record, chunks, writes: [] };
    return { record, ...replaceChunks(person, record.choices, before) };
  }

  async #toPerson(person: string, snapshot: DocumentSnapshot): Promise<LoadedPerson | null> {
    const head = toHead(snapshot);
    if (head === null) return NO_PERSON;
    const updateTime = updateTimeOf(snapshot);
    const cached = this.#cached.get(person);
    if (cached?.updateTime === updateTime) return this.#remember(person, cached);
    const hasSameChunks =
      cached !== undefined && JSON.stringify(cached.chunks) === JSON.stringify(head.chunks);
    const choices = hasSameChunks ? cached.state.record.choices : await this.#readChunks(person, head.chunks);
    if (choices === null) return null;
    const record = { ...head.record, choices };
    return this.#remember(person, toLoaded(updateTime, { record, chunks: head.chunks }));
  }

  async #readChunks(person: string, chunks: readonly Chunk[]): Promise<Map<EntryId, StoryChoice> | null> {
    const choices = new Map<EntryId, StoryChoice>();
    const found = await this.#connection.getAll(chunks.map(({ number }) => statesAt(person, number)));
    for (const snapshot of found) {
      const content: unknown = snapshot.get('content');
      if (!(content instanceof Uint8Array)) return null;
      for (const [storyId, choice] of unpackChoices(content)) choices.set(storyId, choice);
    }
    return choices;
  }

  #remember(person: string, loaded: LoadedPerson): LoadedPerson {
    this.#cached.delete(person);
    this.#cached.set(person, loaded);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_CACHED_PEOPLE && oldest !== undefined) this.#cached.delete(oldest);
    return loaded;
  }
}

function toLoaded(
  updateTime: string,
  { record, chunks }: { readonly record: ReadingRecord; readonly chunks: readonly Chunk[] },
): LoadedPerson {
  return { updateTime, state: new ReadingState(record), chunks };
}

function updateTimeOf({ updateTime }: DocumentSnapshot): string {
  return updateTime === undefined ? '' : `${updateTime.seconds}.${updateTime.nanoseconds}`;
}

function headBytes(record: ReadingRecord, chunks: readonly Chunk[]): number {
  const { content } = headData({ record, chunks }) as { readonly content: Uint8Array };
  return content.length;
}

/** Writes only the chunks in which something changed. */
function replaceChunks(
  person: string,
  choices: ReadonlyMap<EntryId, StoryChoice>,
  before: LoadedPerson,
): { chunks: readonly Chunk[]; writes: readonly Write[] } {
  const chunks: Chunk[] = [];
  const writes: Write[] = [];
  const sorted = [...choices].sort(([a], [b]) => a - b);
  const earlier = [...before.state.record.choices].sort(([a], [b]) => a - b);
  let number = Math.max(0, ...before.chunks.map((chunk) => chunk.number));
  const ranges: readonly (Chunk | null)[] = before.chunks.length === 0 ? [null] : before.chunks;
  for (const [nth, chunk] of ranges.entries()) {
    const from = nth === 0 ? Number.NEGATIVE_INFINITY : (chunk?.from ?? 0);
    const end = ranges[nth + 1]?.from ?? Number.POSITIVE_INFINITY;
    const inRange = ([storyId]: readonly [EntryId, StoryChoice]): boolean => storyId >= from && storyId < end;
    const mine = sorted.filter(inRange);
    if (chunk !== null && JSON.stringify(mine) === JSON.stringify(earlier.filter(inRange))) {
      chunks.push(chunk);
      continue;
    }
    if (chunk !== null) writes.push({ do: 'delete', at: statesAt(person, chunk.number) });
    for (const part of packChoices(mine)) {
      chunks.push({ from: part.from, number: ++number });
      const data = { person: hashed(person), content: part.content };
      writes.push({ do: 'set', at: statesAt(person, number), data });
    }
  }
  return { chunks, writes };
}
