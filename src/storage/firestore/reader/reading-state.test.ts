import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNDO_WITHIN_MS } from '../../../reader/entry-store.ts';
import { EntryModel, type Story } from './entry-model.ts';
import {
  expiredOperations,
  findOperation,
  folded,
  NO_READING,
  type Operation,
  type ReadingRecord,
  ReadingState,
  undoTokenOf,
} from './reading-state.ts';
import { SourceIndex } from './source-index.ts';

/** Stories 1 to 9 in two sources; 8 and 9 are also in the other one, and the source of 3 no longer has it. */
const model = new EntryModel();
for (const [sourceId, stories] of Object.entries({ a: [1, 2, 3, 4, 8, 9], b: [5, 6, 7, 8, 9] }))
  model.replace(
    SourceIndex.of(
      sourceId,
      1,
      stories.map((id) => ({
        id,
        storyId: id,
        publishedAt: 100 - id,
        arrivedAt: id,
        version: id,
        keyHash: id,
        fingerprint: id,
        isGone: id === 3,
      })),
    ),
  );
const STORIES = [1, 2, 4, 5, 6, 7, 8, 9];

const storyOperation = fc.record({
  kind: fc.constantFrom('read', 'unread', 'star', 'unstar', 'later', 'notLater'),
  stories: fc.uniqueArray(fc.constantFrom(...STORIES), { minLength: 1 }),
});
const readAll = fc.record({
  kind: fc.constant('readAll' as const),
  sourceIds: fc.constantFrom(null, ['a'], ['b'], ['a', 'b']),
  upTo: fc.nat({ max: 10 }),
  before: fc.option(fc.integer({ min: 90, max: 101 })),
  version: fc.nat({ max: 10 }),
});
const operations: fc.Arbitrary<Operation[]> = fc
  .array(fc.oneof(storyOperation, readAll), { maxLength: 25 })
  .map((all) =>
    all.map((one, nth): Operation => {
      const [seq, at] = [nth + 1, 1_000 + nth];
      if (one.kind !== 'readAll') return { seq, at, kind: one.kind, stories: one.stories };
      const { sourceIds, upTo, before, version } = one;
      return { seq, at, kind: 'readAll', sourceIds, mark: { seq, upTo, before, version } };
    }),
  );

const storyById = (storyId: number): Story | undefined => model.story(storyId);

function statesOf(record: ReadingRecord): unknown {
  const state = new ReadingState(record);
  return STORIES.map((storyId) => state.stateOf(storyById(storyId) as Story));
}

/** The states as a table of what each operation does, one after another. */
function expected(all: readonly Operation[]): unknown {
  const table = new Map(STORIES.map((id) => [id, { read: false, starredAt: null, laterAt: null } as State]));
  for (const operation of all)
    for (const [storyId, state] of table) {
      if (operation.kind === 'readAll') {
        const { sourceIds, mark } = operation;
        for (let at = storyById(storyId)?.rows ?? null; at !== null; at = at.next)
          if (
            (sourceIds === null || sourceIds.includes(at.index.sourceId)) &&
            storyId <= mark.upTo &&
            (mark.before === null || 100 - storyId < mark.before) &&
            storyId <= mark.version
          )
            state.read = true;
      } else if (operation.stories.includes(storyId)) {
        if (operation.kind === 'read' || operation.kind === 'unread') state.read = operation.kind === 'read';
        if (operation.kind === 'star') state.starredAt = operation.at;
        if (operation.kind === 'unstar') state.starredAt = null;
        if (operation.kind === 'later') state.laterAt = operation.at;
        if (operation.kind === 'notLater') state.laterAt = null;
      }
    }
  return [...table.values()];
}

interface State {
  read: boolean;
  starredAt: number | null;
  laterAt: number | null;
}

describe('the state of a person', () => {
  it('R6 R8 is what the operations did in their order, however many of them are folded', () => {
    fc.assert(
      fc.property(operations, fc.nat({ max: 25 }), fc.nat({ max: 25 }), (all, first, second) => {
        const record = { ...NO_READING, operations: all, seq: all.length };
        expect(statesOf(record)).toEqual(expected(all));
        const once = folded(record, first, storyById);
        expect(statesOf(once)).toEqual(expected(all));
        expect(statesOf(folded(once, second, storyById))).toEqual(expected(all));
        expect(once.operations).toEqual(all.slice(first));
      }),
    );
  });

  it('R8 an operation that is taken back is as if it had never been', () => {
    fc.assert(
      fc.property(operations, fc.nat({ max: 24 }), fc.nat({ max: 24 }), (all, nth, folds) => {
        fc.pre(nth < all.length);
        const token = undoTokenOf(all[nth] as Operation);
        const record = folded({ ...NO_READING, operations: all }, Math.min(folds, nth), storyById);
        expect(findOperation(record, token, 1_000)).toEqual(all[nth]);
        const left = record.operations.filter((one) => undoTokenOf(one) !== token);
        expect(statesOf({ ...record, operations: left })).toEqual(expected(all.toSpliced(nth, 1)));
      }),
    );
  });

  it('R8 an operation expires after a day', () => {
    const read: Operation = { seq: 1, at: 5, kind: 'read', stories: [1] };
    const record = { ...NO_READING, operations: [read, { ...read, seq: 2, at: 6 }] };
    expect(findOperation(record, undoTokenOf(read), 5 + UNDO_WITHIN_MS)).toBe(read);
    expect(findOperation(record, undoTokenOf(read), 6 + UNDO_WITHIN_MS)).toBeNull();
    expect(expiredOperations(record, 5 + UNDO_WITHIN_MS)).toBe(0);
    expect(expiredOperations(record, 6 + UNDO_WITHIN_MS)).toBe(1);
    expect(expiredOperations(record, 7 + UNDO_WITHIN_MS)).toBe(2);
  });

  it('R15 folding drops choices of stories that are gone, and those that the marks say too', () => {
    const all: Operation[] = [
      { seq: 1, at: 1, kind: 'read', stories: [1, 5, 77] },
      { seq: 2, at: 2, kind: 'star', stories: [2, 78] },
      {
        seq: 3,
        at: 3,
        kind: 'readAll',
        sourceIds: ['a'],
        mark: { seq: 3, upTo: 9, before: null, version: 9 },
      },
      { seq: 4, at: 4, kind: 'unread', stories: [4, 6] },
    ];
    const { choices, marks } = folded({ ...NO_READING, operations: all }, 4, storyById);
    // 1 is marked, 77 is gone, 6 is unread anyway; what is starred stays.
    expect([...choices.keys()].toSorted()).toEqual([2, 4, 5, 78]);
    expect(marks.get('a')).toHaveLength(1);
  });

  it('R8 a later mark replaces those that it includes', () => {
    const mark = (
      seq: number,
      sourceIds: string[] | null,
      upTo: number,
      before: number | null,
    ): Operation => ({
      seq,
      at: seq,
      kind: 'readAll',
      sourceIds,
      mark: { seq, upTo, before, version: seq },
    });
    const all = [mark(1, ['a'], 4, 98), mark(2, ['a', 'b'], 5, null), mark(3, ['a'], 6, 97)];
    const two = folded({ ...NO_READING, operations: all }, 3, storyById).marks;
    expect(two.get('a')?.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(two.get('b')?.map(({ seq }) => seq)).toEqual([2]);
    const one = folded({ ...NO_READING, operations: [...all, mark(4, null, 9, null)] }, 4, storyById).marks;
    expect([...one.keys()]).toEqual([null]);
  });
});
