import type { Sighting } from '../item/item.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import type { EditOutcome, Publisher } from '../publishers/publisher.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, MINUTE } from '../time/duration.ts';
import { retryDelay } from './dispatch.ts';
import type { MessageStore } from './outbox.ts';
import type { Revision, RevisionOutcome, RevisionStore } from './publishing-stores.ts';
import type { WakeUpSignal } from './wake-up.ts';

const EDIT_LEASE_MS = 2 * MINUTE;
/** After so many attempts it is left as it is: the message stands, only with an older title. */
const MAX_EDIT_ATTEMPTS = 20;

export interface EditDependencies {
  readonly pipeline: string;
  readonly publishers: readonly Publisher[];
  readonly revisions: RevisionStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Rings when an edit may be tried again. */
  readonly wakeUp?: Pick<WakeUpSignal, 'wake'>;
}

/** Makes the messages read differently that are to, each destination by itself. Answers how many do now. */
export async function applyEdits(deps: EditDependencies, signal?: AbortSignal): Promise<number> {
  const made = await Promise.all(deps.publishers.map((publisher) => applyEditsAt(publisher, deps, signal)));
  return made.reduce((sum, n) => sum + n, 0);
}

async function applyEditsAt(
  publisher: Publisher,
  deps: EditDependencies,
  signal?: AbortSignal,
): Promise<number> {
  const { pipeline, revisions, clock, owner } = deps;
  if (publisher.edit === undefined) return 0;
  let made = 0;
  while (!signal?.aborted && (publisher.rateLimitedUntil?.() ?? 0) <= clock.now()) {
    const revision = await revisions.claimNext({ pipeline, destination: publisher.id }, owner, EDIT_LEASE_MS);
    if (revision === null) break;
    const answer = await publisher.edit(revision.remoteId, revision.body, signal);
    const outcome = afterEdit(revision, answer, clock.now());
    await revisions.finish(revision, owner, outcome);
    if (outcome.state === 'done') made++;
    // A destination that asked for rest gets it.
    if (outcome.state === 'wanted') {
      deps.wakeUp?.wake(outcome.dueAt);
      return made;
    }
  }
  const rests = publisher.rateLimitedUntil?.() ?? 0;
  if (rests > clock.now()) deps.wakeUp?.wake(rests);
  return made;
}

/** What an answer means for the revision. A message that a moderator took away is never said again. */
export function afterEdit({ attempts }: Revision, answer: EditOutcome, now: number): RevisionOutcome {
  switch (answer.outcome) {
    case 'edited':
      return { state: 'done', detail: null };
    case 'gone':
    case 'refused':
      return { state: answer.outcome, detail: answer.detail };
    case 'later':
      return attempts >= MAX_EDIT_ATTEMPTS
        ? { state: 'refused', detail: `given up after ${attempts} attempts: ${answer.detail}` }
        : { state: 'wanted', detail: answer.detail, dueAt: answer.until ?? now + retryDelay(attempts) };
  }
}

/** An article that was published longer ago is left as it is. */
const EDIT_WINDOW_MS = 7 * DAY;
/** Titles that this process has dealt with; the oldest are forgotten first. */
const MAX_CACHED_TITLES = 20_000;
const REVISION_RETENTION_MS = 30 * DAY;

export interface EditDetectorDependencies extends EditDependencies {
  readonly ledger: ItemStore;
  readonly outbox: MessageStore;
}

/**
 * Notices that an item was edited at its source after it was published (X19): the item is the same, its title is another. The
 * messages about it are then wanted with the new title.
 */
export class EditDetector {
  readonly #deps: EditDetectorDependencies;
  /** The last title of each item that was dealt with. */
  readonly #titles = new Map<string, string>();
  #purgedAt: number | null = null;

  constructor(deps: EditDetectorDependencies) {
    this.#deps = deps;
  }

  /** Looks at items that were known already. Answers how many messages are to be edited. */
  async detect(known: readonly Sighting[]): Promise<number> {
    let wanted = 0;
    for (const sighting of known) {
      if (this.#titles.get(sighting.key) === sighting.title) continue;
      const looked = await this.#check(sighting);
      if (looked.dealtWith) this.#cacheTitle(sighting);
      wanted += looked.wanted;
    }
    if (wanted > 0) await this.#purgeOld();
    return wanted;
  }

  async #check(sighting: Sighting): Promise<{ readonly dealtWith: boolean; readonly wanted: number }> {
    const { ledger, clock } = this.#deps;
    const item = await ledger.find(sighting.key);
    if (item === null) return { dealtWith: true, wanted: 0 };
    // Another source may call the same article something else; only the first one's title was published.
    if (item.sourceId !== sighting.sourceId) return { dealtWith: true, wanted: 0 };
    if (item.state === 'waiting' || item.state === 'deferred' || item.state === 'accepted')
      return { dealtWith: false, wanted: 0 };
    if (item.state !== 'published' || item.checkedAt < clock.now() - EDIT_WINDOW_MS)
      return { dealtWith: true, wanted: 0 };
    return this.#requestRevisions(sighting);
  }

  async #requestRevisions(
    sighting: Sighting,
  ): Promise<{ readonly dealtWith: boolean; readonly wanted: number }> {
    const { pipeline, publishers, revisions, outbox } = this.#deps;
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
      if ((await revisions.request(revision, before?.version ?? 0)) === 'wanted') wanted++;
      else dealtWith = false;
    }
    return { dealtWith, wanted };
  }

  #cacheTitle({ key, title }: Sighting): void {
    this.#titles.delete(key);
    this.#titles.set(key, title);
    const oldest = this.#titles.keys().next();
    if (this.#titles.size > MAX_CACHED_TITLES && oldest.done === false) this.#titles.delete(oldest.value);
  }

  async #purgeOld(): Promise<void> {
    const now = this.#deps.clock.now();
    if (this.#purgedAt !== null && now - this.#purgedAt < DAY) return;
    this.#purgedAt = now;
    await this.#deps.revisions.purge(now - REVISION_RETENTION_MS);
  }
}
