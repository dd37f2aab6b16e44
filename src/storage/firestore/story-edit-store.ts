import type { DocumentSnapshot } from '@google-cloud/firestore';
import { changedAt, type StoryEdit, type StoryEditStore } from '../../same-story/story-edit-store.ts';
import type { DocumentPath, FirestoreConnection, Mutation } from './connection.ts';
import { createOrReplace, type QueryForm } from './query.ts';

const EDITS = 'story_edits';

export const STORY_EDIT_QUERIES: Readonly<Record<'changedSince', QueryForm>> = {
  changedSince: { collection: EDITS, where: [['changed_at', '>=']], orderBy: [['changed_at', 'asc']] },
};

/** Edits of stories, one document each. */
export class FirestoreStoryEditStore implements StoryEditStore {
  readonly #connection: FirestoreConnection;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  async add(edit: StoryEdit): Promise<void> {
    const at = pathOf(edit.id);
    await this.#connection.mutate(at, (found): Mutation<void> => {
      if (found.exists) return { value: undefined, writes: [] };
      return { value: undefined, writes: [createOrReplace(found, at, dataOf(edit))] };
    });
  }

  async get(id: string): Promise<StoryEdit | null> {
    return toEdit(await this.#connection.get(pathOf(id)));
  }

  async undo(id: string, at: number): Promise<boolean> {
    const path = pathOf(id);
    let isOwn = false;
    return this.#connection.mutate(path, (found): Mutation<boolean> => {
      const edit = toEdit(found);
      // An earlier attempt of this call succeeded, but its reply was lost.
      if (edit?.undoneAt === at && isOwn) return { value: true, writes: [] };
      if (edit === null || edit.undoneAt !== null) return { value: false, writes: [] };
      isOwn = true;
      return { value: true, writes: [createOrReplace(found, path, dataOf({ ...edit, undoneAt: at }))] };
    });
  }

  async changedSince(at: number): Promise<readonly StoryEdit[]> {
    const found = await this.#connection.query(STORY_EDIT_QUERIES.changedSince, { where: [at] });
    return found.flatMap((snapshot) => toEdit(snapshot) ?? []);
  }
}

function dataOf(edit: StoryEdit): { readonly changed_at: number; readonly content: string } {
  return { changed_at: changedAt(edit), content: JSON.stringify(edit) };
}

function toEdit(snapshot: DocumentSnapshot): StoryEdit | null {
  const content: unknown = snapshot.get('content');
  return typeof content === 'string' ? (JSON.parse(content) as StoryEdit) : null;
}

function pathOf(id: string): DocumentPath {
  return [EDITS, id];
}
