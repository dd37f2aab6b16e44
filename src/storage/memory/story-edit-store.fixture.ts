import { changedAt, type StoryEdit, type StoryEditStore } from '../../same-story/story-edit-store.ts';

/** Edits of stories in memory, for tests. */
export class MemoryStoryEditStore implements StoryEditStore {
  readonly #edits = new Map<string, StoryEdit>();

  async add(edit: StoryEdit): Promise<void> {
    if (!this.#edits.has(edit.id)) this.#edits.set(edit.id, edit);
  }

  async get(id: string): Promise<StoryEdit | null> {
    return this.#edits.get(id) ?? null;
  }

  async undo(id: string, at: number): Promise<boolean> {
    const edit = this.#edits.get(id);
    if (edit === undefined || edit.undoneAt !== null) return false;
    this.#edits.set(id, { ...edit, undoneAt: at });
    return true;
  }

  async changedSince(at: number): Promise<readonly StoryEdit[]> {
    const changed = [...this.#edits.values()].filter((edit) => changedAt(edit) >= at);
    return changed.sort((a, b) => changedAt(a) - changedAt(b) || (a.id < b.id ? -1 : 1));
  }
}
