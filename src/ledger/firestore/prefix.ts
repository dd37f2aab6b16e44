import type { FirestoreConnection } from '../../firestore/connection.ts';

const OWNERS = 'layout_owners';

/**
 * What stands before the collections of a pipeline: nothing for the first one of its layout that ever came, its own ID for
 * all others. Who was first is written down, so that neither order nor absence in the configuration ever changes it.
 */
export function prefixFor(
  connection: FirestoreConnection,
  layout: string,
  pipeline: string,
): Promise<string> {
  const at = [OWNERS, layout] as const;
  return connection.mutate(at, (owner) => {
    const first: unknown = owner.get('pipeline');
    if (first === undefined) return { value: '', writes: [{ do: 'create', at, data: { pipeline } }] };
    return { value: first === pipeline ? '' : `${pipeline}-`, writes: [] };
  });
}

/** The pipeline whose collections have no prefix; `null` where none of this layout ever came. */
export async function ownerOf(connection: FirestoreConnection, layout: string): Promise<string | null> {
  const first: unknown = (await connection.get([OWNERS, layout])).get('pipeline');
  return typeof first === 'string' ? first : null;
}
