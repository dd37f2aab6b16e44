import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { EntryId } from '../../../reader/entry-store.ts';
import type { Clock } from '../../../time/clock.ts';
import { SECOND } from '../../../time/duration.ts';
import type { FirestoreConnection, Mutation, Write } from '../connection.ts';
import { HEADS_AT, indexAt, inflated } from './documents.ts';
import { EntryModel } from './entry-model.ts';
import { type FinishedDraft, type Heads, IndexDraft } from './index-draft.ts';
import { SourceIndex, unpackIndex } from './source-index.ts';

/** Maximum delay until a list shows what another replica added; checking costs a read. */
const MAX_AGE_MS = 5 * SECOND;

const NO_HEADS: Heads = { version: 0, newest: 0, revisions: new Map() };

/**
 * All indexes in memory. A replica reads the heads to learn which indexes changed, and reads only those again. Every change of
 * an index is a compare-and-set of the heads, so IDs become visible in their order.
 */
export class IndexCache {
  readonly model = new EntryModel();
  readonly #connection: FirestoreConnection;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #onChanged: (ids: Iterable<EntryId>) => void;
  #heads = NO_HEADS;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | null = null;

  /** `onChanged` gets the IDs of entries that changed, came or went. */
  constructor(
    connection: FirestoreConnection,
    clock: Pick<Clock, 'monotonic'>,
    onChanged: (ids: Iterable<EntryId>) => void,
  ) {
    this.#connection = connection;
    this.#clock = clock;
    this.#onChanged = onChanged;
  }

  get heads(): Heads {
    return this.#heads;
  }

  get isLoaded(): boolean {
    return this.#checkedAt !== Number.NEGATIVE_INFINITY;
  }

  /** At most `maxAgeMs` old; 0: read now. */
  async refresh(maxAgeMs: number = MAX_AGE_MS): Promise<void> {
    // A refresh that began before this call may have read before what the caller knows of.
    if (maxAgeMs === 0) await this.#refreshing;
    if (this.#refreshing === null) {
      if (this.#clock.monotonic() - this.#checkedAt < maxAgeMs) return;
      this.#refreshing = this.#refresh().finally(() => {
        this.#refreshing = null;
      });
    }
    await this.#refreshing;
  }

  /** Reads the indexes that changed up to these heads. */
  async load(snapshot: DocumentSnapshot): Promise<Heads> {
    const heads = toHeads(snapshot);
    const changed = [...heads.revisions].filter(
      ([sourceId, revision]) => (this.model.source(sourceId)?.revision ?? -1) < revision,
    );
    const found = await this.#connection.getAll(changed.map(([sourceId]) => indexAt(sourceId)));
    const indexes = changed.map(([sourceId, revision], nth) => toIndex(sourceId, revision, found[nth]));
    this.install(heads, indexes);
    return heads;
  }

  /** Takes over heads and indexes that were read or committed, unless newer ones are there. */
  install(heads: Heads, indexes: readonly SourceIndex[]): void {
    for (const index of indexes)
      if ((this.model.source(index.sourceId)?.revision ?? -1) < index.revision)
        this.#onChanged(this.model.replace(index));
    if (heads.version < this.#heads.version) return;
    for (const { sourceId } of this.model.sources())
      if (!heads.revisions.has(sourceId)) this.#onChanged(this.model.remove(sourceId).keys());
    this.#heads = heads;
  }

  /**
   * Changes indexes together with documents, in one commit. `decide` changes the draft and returns the other writes; it is called
   * again where another writer was first.
   */
  async change<T>(
    decide: (draft: IndexDraft) => Promise<{ readonly value: T; readonly writes: readonly Write[] }>,
  ): Promise<T> {
    const drafts: FinishedDraft[] = [];
    const value = await this.#connection.mutate(HEADS_AT, async (snapshot): Promise<Mutation<T>> => {
      drafts.length = 0;
      const draft = new IndexDraft(this.model, await this.load(snapshot));
      const decided = await decide(draft);
      if (draft.isEmpty) return decided;
      const finished = draft.finish(snapshot);
      drafts.push(finished);
      return { value: decided.value, writes: [...decided.writes, ...finished.writes] };
    });
    for (const { heads, indexes } of drafts) this.install(heads, indexes);
    return value;
  }

  async #refresh(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    await this.load(await this.#connection.get(HEADS_AT));
    this.#checkedAt = startedAt;
  }
}

function toHeads(snapshot: DocumentSnapshot): Heads {
  const revisions = inflated<[string, number][]>(snapshot.get('content'));
  if (revisions === null) return NO_HEADS;
  return {
    version: Number(snapshot.get('version')),
    newest: Number(snapshot.get('newest')),
    revisions: new Map(revisions),
  };
}

/** A document that is newer than the heads keeps its own revision; a missing one was removed since. */
function toIndex(sourceId: string, revision: number, found: DocumentSnapshot | undefined): SourceIndex {
  const content: unknown = found?.get('content');
  if (!(content instanceof Uint8Array)) return SourceIndex.of(sourceId, revision, []);
  return unpackIndex(sourceId, Number(found?.get('revision')), content);
}
