import { hash as digest } from 'node:crypto';
import type { IconPicture, IconRecord, SourceIconStore } from '../../sources/icons/source-icon-store.ts';
import type { DocumentPath, FirestoreConnection, Write } from './connection.ts';

const RECORDS = 'source_icons';
/** Apart from the records, which are read for all sources at once. */
const PICTURES = 'source_icon_pictures';

/** The icons of the sources, two documents each, shared by all replicas. */
export class FirestoreSourceIconStore implements SourceIconStore {
  readonly #connection: FirestoreConnection;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  async load(sourceIds: readonly string[]): Promise<ReadonlyMap<string, IconRecord>> {
    const snapshots = await this.#connection.getAll(sourceIds.map((id) => pathOf(RECORDS, id)));
    const found = new Map<string, IconRecord>();
    for (const [n, id] of sourceIds.entries()) {
      const { hash, expires_at: expiresAt } = snapshots[n]?.data() ?? {};
      if (typeof expiresAt === 'number')
        found.set(id, { hash: typeof hash === 'string' ? hash : null, expiresAt });
    }
    return found;
  }

  async picture(sourceId: string): Promise<IconPicture | null> {
    const { hash, type, content } = (await this.#connection.get(pathOf(PICTURES, sourceId))).data() ?? {};
    if (typeof hash !== 'string' || typeof type !== 'string' || !(content instanceof Uint8Array)) return null;
    return { hash, type, bytes: content };
  }

  async save(sourceId: string, { hash, expiresAt }: IconRecord, picture?: IconPicture): Promise<void> {
    const at = pathOf(PICTURES, sourceId);
    const writes: Write[] = [
      { do: 'set', at: pathOf(RECORDS, sourceId), data: { hash, expires_at: expiresAt } },
    ];
    if (hash === null) writes.push({ do: 'delete', at });
    else if (picture !== undefined)
      writes.push({
        do: 'set',
        at,
        data: { hash, type: picture.type, content: Buffer.from(picture.bytes) },
      });
    await this.#connection.commit(writes);
  }

  async remove(sourceId: string): Promise<void> {
    await this.#connection.commit([
      { do: 'delete', at: pathOf(RECORDS, sourceId) },
      { do: 'delete', at: pathOf(PICTURES, sourceId) },
    ]);
  }
}

function pathOf(collection: string, sourceId: string): DocumentPath {
  return [collection, digest('sha256', sourceId, 'hex')];
}
