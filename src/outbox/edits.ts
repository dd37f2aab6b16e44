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
/** Afterwards the message keeps its older title. */
const MAX_EDIT_ATTEMPTS = 20;

export interface EditDependencies {
  readonly pipeline: string;
  readonly publishers: readonly Publisher[];
  readonly revisions: RevisionStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Woken when an edit is to be retried. */
  readonly wakeUp?: Pick<WakeUpSignal, 'wake'>;
}

/** Applies the requested revisions, each destination independently. Returns how many were applied. */
export async function applyEdits(deps: EditDependencies, signal?: AbortSignal): Promise<number> {
  const applied = await Promise.all(
    deps.publishers.map((publisher) => applyEditsAt(publisher, deps, signal)),
  );
  return applied.reduce((sum, n) => sum + n, 0);
}

async function applyEditsAt(
  publisher: Publisher,
  deps: EditDependencies,
  signal?: AbortSignal,
): Promise<number> {
  const { pipeline, revisions, clock, owner } = deps;
  if (publisher.edit === undefined) return 0;
  let applied = 0;
  while (!signal?.aborted && (publisher.rateLimitedUntil?.() ?? 0) <= clock.now()) {
    const revision = await revisions.claimNext({ pipeline, destination: publisher.id }, owner, EDIT_LEASE_MS);
    if (revision === null) break;
    const answer = await publisher.edit(revision.remoteId, revision.body, signal);
    const outcome = afterEdit(revision, answer, clock.now());
    await revisions.finish(revision, owner, outcome);
    if (outcome.state === 'done') applied++;
    // Stop at a rate limit or a retryable failure.
    if (outcome.state === 'wanted') {
      deps.wakeUp?.wake(outcome.dueAt);
      return applied;
    }
  }
  const rateLimitedUntil = publisher.rateLimitedUntil?.() ?? 0;
  if (rateLimitedUntil > clock.now()) deps.wakeUp?.wake(rateLimitedUntil);
  return applied;
}

/** The outcome that an answer means for the revision. A message deleted by a moderator is never posted again. */
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

/** Articles published longer ago are not edited. */
const EDIT_WINDOW_MS = 7 * DAY;
/** Titles already handled by this process; the oldest are evicted first. */
const MAX_CACHED_TITLES = 20_000;
const REVISION_RETENTION_MS = 30 * DAY;

export interface EditDetectorDependencies extends EditDependencies {
  readonly ledger: ItemStore;
  readonly outbox: MessageStore;
}

/** Detects published items whose title was edited at their source (X19), and requests a revision of their messages. */
export class EditDetector {
  readonly #deps: EditDetectorDependencies;
  /** The last handled title of each item. */
  readonly #titles = new Map<string, string>();
  #purgedAt: number | null = null;

  constructor(deps: EditDetectorDependencies) {
    this.#deps = deps;
  }

  /** Checks sightings of known items. Returns how many revisions were requested. */
  async detect(known: readonly Sighting[]): Promise<number> {
    let wanted = 0;
    for (const sighting of known) {
      if (this.#titles.get(sighting.key) === sighting.title) continue;
      const checked = await this.#check(sighting);
      if (checked.handled) this.#cacheTitle(sighting);
      wanted += checked.wanted;
    }
    if (wanted > 0) await this.#purgeOld();
    return wanted;
  }

  async #check(sighting: Sighting): Promise<{ readonly handled: boolean; readonly wanted: number }> {
    const { ledger, clock } = this.#deps;
    const item = await ledger.find(sighting.key);
    if (item === null) return { handled: true, wanted: 0 };
    // Another source may use another title for the same article; only the first one's was published.
    if (item.sourceId !== sighting.sourceId) return { handled: true, wanted: 0 };
    if (item.state === 'waiting' || item.state === 'deferred' || item.state === 'accepted')
      return { handled: false, wanted: 0 };
    if (item.state !== 'published' || item.checkedAt < clock.now() - EDIT_WINDOW_MS)
      return { handled: true, wanted: 0 };
    return this.#requestRevisions(sighting);
  }

  async #requestRevisions(
    sighting: Sighting,
  ): Promise<{ readonly handled: boolean; readonly wanted: number }> {
    const { pipeline, publishers, revisions, outbox } = this.#deps;
    const sent = (await outbox.ofItem(sighting.key)).filter(({ state }) => state === 'sent');
    const known = await revisions.of(
      pipeline,
      sent.map(({ key }) => key),
    );
    let wanted = 0;
    let handled = true;
    for (const { key: message, destination, remoteId, body } of sent) {
      const publisher = publishers.find(({ id }) => id === destination);
      const before = known.get(message);
      // Nothing to edit: a person marked it as sent without an ID, or a moderator deleted it.
      if (publisher?.revise === undefined || remoteId === null || before?.state === 'gone') continue;
      const next = publisher.revise(before?.body ?? body, sighting);
      if (next === null) continue;
      const revision = { pipeline, destination, message, remoteId, body: next };
      if ((await revisions.request(revision, before?.version ?? 0)) === 'wanted') wanted++;
      else handled = false;
    }
    return { handled, wanted };
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
