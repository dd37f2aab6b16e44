import type { Sighting } from '../item/item.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import type { EditParts } from '../press/edit.ts';
import type { Outbox } from '../press/outbox.ts';
import { DAY } from '../time/duration.ts';

/** An article that was published longer ago is left as it is. */
const EDITED_WITHIN = 7 * DAY;
/** Titles that this process has dealt with; the oldest are forgotten first. */
const MOST_TITLES = 20_000;
const FORGET_AFTER = 30 * DAY;

export interface NoticeParts extends EditParts {
  readonly ledger: ItemStore;
  readonly outbox: Outbox;
}

/**
 * Notices that an item was edited at its source after it was published (X19): the item is the same, its title is another. The
 * messages about it are then wanted with the new title.
 */
export class EditNoticing {
  readonly #parts: NoticeParts;
  /** The last title of each item that was dealt with. */
  readonly #titles = new Map<string, string>();
  #forgotAt: number | null = null;

  constructor(parts: NoticeParts) {
    this.#parts = parts;
  }

  /** Looks at items that were known already. Answers how many messages are to be edited. */
  async notice(known: readonly Sighting[]): Promise<number> {
    let wanted = 0;
    for (const sighting of known) {
      if (this.#titles.get(sighting.key) === sighting.title) continue;
      const looked = await this.#look(sighting);
      if (looked.dealtWith) this.#remember(sighting);
      wanted += looked.wanted;
    }
    if (wanted > 0) await this.#forgetOld();
    return wanted;
  }

  async #look(sighting: Sighting): Promise<{ readonly dealtWith: boolean; readonly wanted: number }> {
    const { ledger, clock } = this.#parts;
    const item = await ledger.find(sighting.key);
    if (item === null) return { dealtWith: true, wanted: 0 };
    // Another source may call the same article something else; only the first one's title was published.
    if (item.sourceId !== sighting.sourceId) return { dealtWith: true, wanted: 0 };
    if (item.state === 'waiting' || item.state === 'deferred' || item.state === 'accepted')
      return { dealtWith: false, wanted: 0 };
    if (item.state !== 'published' || item.checkedAt < clock.now() - EDITED_WITHIN)
      return { dealtWith: true, wanted: 0 };
    return this.#want(sighting);
  }

  async #want(sighting: Sighting): Promise<{ readonly dealtWith: boolean; readonly wanted: number }> {
    const { pipeline, publishers, revisions, outbox } = this.#parts;
    const sent = (await outbox.ofItem(sighting.key)).filter(({ state }) => state === 'sent');
    const known = await revisions.of(
      pipeline,
      sent.map(({ key }) => key),
    );
    let wanted = 0;
    let dealtWith = true;
    for (const { key: message, destination, remoteId, body } of sent) {
      const publisher = publishers.find(({ id }) => id === destination);
      const before = known.get(message);
      // Decided by a person without an ID, or taken away by a moderator: there is nothing to edit.
      if (publisher?.revise === undefined || remoteId === null || before?.state === 'gone') continue;
      const next = publisher.revise(before?.body ?? body, sighting);
      if (next === null) continue;
      const revision = { pipeline, destination, message, remoteId, body: next };
      if ((await revisions.want(revision, before?.version ?? 0)) === 'wanted') wanted++;
      else dealtWith = false;
    }
    return { dealtWith, wanted };
  }

  #remember({ key, title }: Sighting): void {
    this.#titles.delete(key);
    this.#titles.set(key, title);
    const oldest = this.#titles.keys().next();
    if (this.#titles.size > MOST_TITLES && oldest.done === false) this.#titles.delete(oldest.value);
  }

  async #forgetOld(): Promise<void> {
    const now = this.#parts.clock.now();
    if (this.#forgotAt !== null && now - this.#forgotAt < DAY) return;
    this.#forgotAt = now;
    await this.#parts.revisions.forget(now - FORGET_AFTER);
  }
}
