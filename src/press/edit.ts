import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Bell } from './bell.ts';
import { retryDelay } from './dispatch.ts';
import type { EditOutcome, Publisher } from './publisher.ts';
import type { Revision, RevisionOutcome, RevisionStore } from './revisions.ts';

const LEASE = 2 * MINUTE;
/** After so many attempts it is left as it is: the message stands, only with an older title. */
const MOST_ATTEMPTS = 20;

export interface EditParts {
  readonly pipeline: string;
  readonly publishers: readonly Publisher[];
  readonly revisions: RevisionStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Rings when an edit may be tried again. */
  readonly bell?: Pick<Bell, 'ring'>;
}

/** Makes the messages read differently that are to, each destination by itself. Answers how many do now. */
export async function makeEdits(parts: EditParts, signal?: AbortSignal): Promise<number> {
  const made = await Promise.all(parts.publishers.map((publisher) => editAt(publisher, parts, signal)));
  return made.reduce((sum, n) => sum + n, 0);
}

async function editAt(publisher: Publisher, parts: EditParts, signal?: AbortSignal): Promise<number> {
  const { pipeline, revisions, clock, owner } = parts;
  if (publisher.edit === undefined) return 0;
  let made = 0;
  while (!signal?.aborted && (publisher.restingUntil?.() ?? 0) <= clock.now()) {
    const revision = await revisions.take({ pipeline, destination: publisher.id }, owner, LEASE);
    if (revision === null) break;
    const answer = await publisher.edit(revision.remoteId, revision.body, signal);
    const outcome = afterEdit(revision, answer, clock.now());
    await revisions.settle(revision, owner, outcome);
    if (outcome.state === 'done') made++;
    // A destination that asked for rest gets it.
    if (outcome.state === 'wanted') {
      parts.bell?.ring(outcome.dueAt);
      return made;
    }
  }
  const rests = publisher.restingUntil?.() ?? 0;
  if (rests > clock.now()) parts.bell?.ring(rests);
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
      return attempts >= MOST_ATTEMPTS
        ? { state: 'refused', detail: `given up after ${attempts} attempts: ${answer.detail}` }
        : { state: 'wanted', detail: answer.detail, dueAt: answer.until ?? now + retryDelay(attempts) };
  }
}
