import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { EntryId, SavedSearch } from '../../../reader/entry-store.ts';
import { deflated, inflated } from './documents.ts';
import { NumberReader, NumberWriter } from './packed-numbers.ts';
import type { Mark, Operation, ReadingRecord, StoryChoice } from './reading-state.ts';

/** Well below Firestore's limit of 1 MiB. */
export const MAX_HEAD_BYTES = 400_000;
export const MAX_CHUNK_BYTES = 300_000;

/** A document with the choices of the stories from `from` up to the next chunk. Never changed: a new one replaces it. */
export interface Chunk {
  readonly from: EntryId;
  readonly number: number;
}

/** What the document of a person holds; the choices are in the chunks. */
export interface PersonHead {
  readonly record: Omit<ReadingRecord, 'choices'>;
  readonly chunks: readonly Chunk[];
}

type PackedMark = readonly [seq: number, upTo: EntryId, before: number | null, version: number];
/** Sources are numbers of `names`; -1 stands for all. */
interface PackedHead {
  readonly seq: number;
  readonly names: readonly string[];
  readonly chunks: readonly (readonly [from: EntryId, number: number])[];
  readonly marks: readonly (readonly [source: number, marks: readonly PackedMark[]])[];
  readonly operations: readonly (readonly [
    seq: number,
    at: number,
    kind: Operation['kind'],
    what: readonly number[] | { readonly sources: readonly number[] | null; readonly mark: PackedMark },
  ])[];
  readonly searches: readonly SavedSearch[];
}

export function headData({ record, chunks }: PersonHead): DocumentData {
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  };
  const packed: Omit<PackedHead, 'names'> = {
    seq: record.seq,
    chunks: chunks.map(({ from, number }) => [from, number]),
    marks: [...record.marks].map(([source, marks]) => [
      source === null ? -1 : numberOf(source),
      marks.map(packMark),
    ]),
    operations: record.operations.map((operation) => [
      operation.seq,
      operation.at,
      operation.kind,
      operation.kind === 'readAll'
        ? { sources: operation.sourceIds?.map(numberOf) ?? null, mark: packMark(operation.mark) }
        : operation.stories,
    ]),
    searches: record.searches,
  };
  return { content: deflated({ ...packed, names: [...numbers.keys()] }) };
}

/** `null`: nothing is kept about the person. */
export function toHead(found: DocumentSnapshot): PersonHead | null {
  const packed = inflated<PackedHead>(found.get('content'));
  if (packed === null) return null;
  const nameOf = (number: number): string => packed.names[number] ?? '';
  return {
    chunks: packed.chunks.map(([from, number]) => ({ from, number })),
    record: {
      seq: packed.seq,
      marks: new Map(
        packed.marks.map(([source, marks]) => [source === -1 ? null : nameOf(source), marks.map(unpackMark)]),
      ),
      operations: packed.operations.map(([seq, at, kind, what]): Operation => {
        if (kind === 'readAll' && 'mark' in what)
          return { seq, at, kind, sourceIds: what.sources?.map(nameOf) ?? null, mark: unpackMark(what.mark) };
        if (kind === 'readAll' || !Array.isArray(what))
          throw new TypeError('The packed operation is invalid.');
        return { seq, at, kind, stories: what };
      }),
      searches: packed.searches,
    },
  };
}

/** Choices by ascending story, in as many parts as needed. */
export function packChoices(choices: readonly (readonly [EntryId, StoryChoice])[]): {
  readonly from: EntryId;
  readonly content: Uint8Array;
}[] {
  const [first] = choices;
  if (first === undefined) return [];
  const writer = new NumberWriter();
  let last = 0;
  writer.put(choices.length);
  for (const [storyId, { read, readSeq, starredAt, laterAt }] of choices) {
    writer.put(storyId - last);
    writer.put(
      (read === null ? 0 : read ? 1 : 2) + (starredAt === null ? 0 : 4) + (laterAt === null ? 0 : 8),
    );
    if (read !== null) writer.put(readSeq);
    if (starredAt !== null) writer.put(starredAt);
    if (laterAt !== null) writer.put(laterAt);
    last = storyId;
  }
  const content = writer.bytes();
  if (content.length <= MAX_CHUNK_BYTES) return [{ from: first[0], content }];
  const middle = Math.ceil(choices.length / 2);
  return [...packChoices(choices.slice(0, middle)), ...packChoices(choices.slice(middle))];
}

export function unpackChoices(content: Uint8Array): [EntryId, StoryChoice][] {
  const reader = new NumberReader(content);
  let storyId = 0;
  return Array.from({ length: reader.next() }, () => {
    storyId += reader.next();
    const flags = reader.next();
    const read = [null, true, false][flags & 3] ?? null;
    const readSeq = read === null ? 0 : reader.next();
    const starredAt = (flags & 4) === 0 ? null : reader.next();
    const laterAt = (flags & 8) === 0 ? null : reader.next();
    return [storyId, { read, readSeq, starredAt, laterAt }];
  });
}

function packMark({ seq, upTo, before, version }: Mark): PackedMark {
  return [seq, upTo, before, version];
}

function unpackMark([seq, upTo, before, version]: PackedMark): Mark {
  return { seq, upTo, before, version };
}
