import type { ItemKey } from '../item/item.ts';
import { comparePair } from '../same-story/same-story.ts';
import type { StoryEdit, StoryEditStore } from '../same-story/story-edit-store.ts';
import type { StoryEdits } from '../same-story/story-edits.ts';
import { reasonByPerson, reasonByRules, type StoryReason } from '../same-story/story-reason.ts';
import type { Clock } from '../time/clock.ts';
import type { Entry, EntryId, EntryStore } from './entry-store.ts';
import type { ReaderEvents } from './reader-events.ts';

/** Entries of each side of a decision; a story of more has the newest ones decided. */
const MAX_SIDE = 50;

export interface StoryEditorDependencies {
  readonly entries: Pick<EntryStore, 'story' | 'findByKeys' | 'regroup'>;
  readonly store: StoryEditStore;
  readonly edits: Pick<StoryEdits, 'install'>;
  readonly events: ReaderEvents;
  readonly clock: Clock;
  readonly newId: () => string;
}

export type StoryEditResult =
  /** `undo` takes it back. */
  | { readonly outcome: 'done'; readonly undo: string }
  /** The entry is alone, or the two are one story already. */
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'unknown' };

/**
 * Splits and joins stories for everybody (Q15). The decision is stored first, so that no later grouping undoes it, then the
 * entries are regrouped, then open pages are told.
 */
export class StoryEditor {
  readonly #deps: StoryEditorDependencies;

  constructor(deps: StoryEditorDependencies) {
    this.#deps = deps;
  }

  /** Takes an entry out of its story. */
  async split(by: string, id: EntryId): Promise<StoryEditResult> {
    const story = await this.#deps.entries.story(id);
    const entry = story.find((one) => one.id === id);
    const rest = story.filter((one) => one.id !== id);
    const [first] = rest;
    if (entry === undefined) return { outcome: 'unknown' };
    if (first === undefined) return { outcome: 'unchanged' };
    const edit = await this.#record('split', by, [entry], rest);
    const reasons = new Map<EntryId, StoryReason | null>([
      [entry.id, reasonByPerson('apart', first, edit)],
      ...withoutReference(rest, entry.key),
    ]);
    await this.#regroup([rest, [entry]], reasons);
    return { outcome: 'done', undo: edit.id };
  }

  /** Makes one story of those of two entries. */
  async join(by: string, id: EntryId, other: EntryId): Promise<StoryEditResult> {
    const { entries } = this.#deps;
    const [one, two] = await Promise.all([entries.story(id), entries.story(other)]);
    const [later, earlier] = [one, two].toSorted((a, b) => (b[0]?.storyId ?? 0) - (a[0]?.storyId ?? 0));
    const [first, lead] = [later?.[0], earlier?.[0]];
    if (earlier === undefined || later === undefined || first === undefined || lead === undefined)
      return { outcome: 'unknown' };
    if (first.storyId === lead.storyId) return { outcome: 'unchanged' };
    const edit = await this.#record('join', by, later, earlier);
    await this.#regroup([[...earlier, ...later]], new Map([[first.id, reasonByPerson('same', lead, edit)]]));
    return { outcome: 'done', undo: edit.id };
  }

  /** Takes a split or a join back. False if it is unknown or was taken back before. */
  async undo(token: string): Promise<boolean> {
    const { entries, store, edits, clock } = this.#deps;
    const edit = await store.get(token);
    const undoneAt = clock.now();
    if (edit === null || !(await store.undo(token, undoneAt))) return false;
    edits.install([{ ...edit, undoneAt }]);
    const found = await entries.findByKeys([...edit.items, ...edit.others]);
    const storyOf = async (keys: readonly ItemKey[]): Promise<readonly Entry[]> => {
      const entry = keys.map((key) => found.get(key)).find((one) => one !== undefined);
      return entry === undefined ? [] : entries.story(entry.id);
    };
    const [items, others] = await Promise.all([storyOf(edit.items), storyOf(edit.others)]);
    const [item, other] = [items[0], others[0]];
    if (item === undefined || other === undefined) return true;
    const isOne = item.storyId === other.storyId;
    if (edit.kind === 'split' && !isOne) await this.#rejoin(items, others);
    if (edit.kind === 'join' && isOne) await this.#part(items, edit);
    return true;
  }

  async #rejoin(items: readonly Entry[], others: readonly Entry[]): Promise<void> {
    const all = [...others, ...items].toSorted((a, b) => a.id - b.id);
    const [lead] = all;
    const lost = items.filter(({ storyReason }) => storyReason?.verdict !== 'same');
    const reasons = lost.map(
      (entry) => [entry.id, lead === undefined || lead === entry ? null : byRules(entry, lead)] as const,
    );
    await this.#regroup([all], new Map(reasons));
  }

  async #part(story: readonly Entry[], { items }: StoryEdit): Promise<void> {
    const parted = story.filter(({ key }) => items.includes(key));
    const rest = story.filter(({ key }) => !items.includes(key));
    if (parted.length === 0 || rest.length === 0) return;
    const isGone = ({ storyReason }: Entry): boolean => rest.some(({ key }) => key === storyReason?.with);
    await this.#regroup([rest, parted], new Map(parted.filter(isGone).map(({ id }) => [id, null])));
  }

  async #record(
    kind: StoryEdit['kind'],
    by: string,
    items: readonly Entry[],
    others: readonly Entry[],
  ): Promise<StoryEdit> {
    const { store, edits, clock, newId } = this.#deps;
    const keysOf = (side: readonly Entry[]): ItemKey[] => side.slice(-MAX_SIDE).map(({ key }) => key);
    const [at, id] = [clock.now(), newId()];
    const edit: StoryEdit = {
      id,
      kind,
      by,
      at,
      items: keysOf(items),
      others: keysOf(others),
      undoneAt: null,
    };
    await store.add(edit);
    edits.install([edit]);
    return edit;
  }

  async #regroup(
    stories: readonly (readonly Entry[])[],
    reasons: ReadonlyMap<EntryId, StoryReason | null>,
  ): Promise<void> {
    const { entries, events } = this.#deps;
    const lists = stories.map((story) => story.map(({ id }) => id));
    await entries.regroup({ stories: lists, reasons });
    await events.publish(null, { type: 'stories', ids: lists.flat() });
  }
}

/** Reasons of the entries that were merged with one that is no longer in their story. */
function withoutReference(rest: readonly Entry[], key: ItemKey): (readonly [EntryId, StoryReason | null])[] {
  const [lead] = rest;
  return rest
    .filter(({ storyReason }) => storyReason?.with === key)
    .map((entry) => [entry.id, lead === undefined || lead === entry ? null : byRules(entry, lead)]);
}

function byRules(entry: Entry, other: Entry): StoryReason {
  const { common } = comparePair(storyItem(entry), storyItem(other));
  return reasonByRules(other, common);
}

function storyItem({ key, title, excerpt, publishedAt }: Entry) {
  return { key, title, publishedAt, ...(excerpt !== null && { text: excerpt }) };
}
