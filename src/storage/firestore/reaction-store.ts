import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { DocumentSnapshot } from '@google-cloud/firestore';
import { NO_REACTIONS, type ReactionRecord, type ReactionStore } from '../../learning/reaction-store.ts';
import type { DocumentPath, FirestoreConnection, Mutation } from './connection.ts';
import { createOrReplace, type QueryForm } from './query.ts';

const REACTIONS = 'reader_reactions';

export const REACTION_QUERIES: Readonly<Record<'changed', QueryForm>> = {
  changed: { collection: REACTIONS, where: [['changed_at', '>=']], orderBy: [] },
};

/** Reactions shared by all replicas, one compressed document for each person: reading a taste costs one read. */
export class FirestoreReactionStore implements ReactionStore {
  readonly #connection: FirestoreConnection;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  async of(person: string): Promise<ReactionRecord> {
    return toRecord(await this.#connection.get(pathOf(person)));
  }

  update(
    person: string,
    now: number,
    change: (record: ReactionRecord) => ReactionRecord,
  ): Promise<ReactionRecord> {
    const at = pathOf(person);
    return this.#connection.mutate(at, (snapshot): Mutation<ReactionRecord> => {
      const before = toRecord(snapshot);
      const record = change(before);
      if (record === before) return { value: record, writes: [] };
      const data = {
        person: person.toWellFormed(),
        changed_at: now,
        content: deflateRawSync(JSON.stringify(record)),
      };
      return { value: record, writes: [createOrReplace(snapshot, at, data)] };
    });
  }

  async changedSince(since: number): Promise<ReadonlyMap<string, ReactionRecord>> {
    const found = await this.#connection.query(REACTION_QUERIES.changed, { where: [since] });
    return new Map(found.map((snapshot) => [String(snapshot.get('person')), toRecord(snapshot)]));
  }

  async removePerson(person: string): Promise<void> {
    await this.#connection.commit([{ do: 'delete', at: pathOf(person) }]);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function pathOf(person: string): DocumentPath {
  return [REACTIONS, createHash('sha256').update(person).digest('hex')];
}

function toRecord(snapshot: DocumentSnapshot): ReactionRecord {
  const content: unknown = snapshot.get('content');
  if (!(content instanceof Uint8Array)) return NO_REACTIONS;
  const stored = JSON.parse(inflateRawSync(content).toString('utf8')) as Partial<ReactionRecord>;
  return { ...NO_REACTIONS, ...stored };
}
