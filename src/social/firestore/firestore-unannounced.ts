import type { FirestoreConnection, Write } from '../../firestore/connection.ts';
import { MINUTE } from '../../time/duration.ts';
import { type Change, changeKey, type Unannounced } from '../noticeboard.ts';
import { unannouncedAt } from './documents.ts';
import { SOCIAL_QUERIES } from './queries.ts';

/** So many are announced at a time; the rest at the next look. */
const AT_ONCE = 500;

/** What is not announced yet, a document each. */
export class FirestoreUnannounced implements Unannounced {
  /** Every look of every copy costs a read. */
  readonly looksEveryMs = 5 * MINUTE;
  readonly #connection: FirestoreConnection;
  readonly #nextSeq: () => string;

  /** `nextSeq` names the next place in the order: each is above the one before it, and about as late as the clock. */
  constructor(connection: FirestoreConnection, nextSeq: () => string) {
    this.#connection = connection;
    this.#nextSeq = nextSeq;
  }

  /** Goes into the commit of the change itself: both are there, or neither. */
  pinned(change: Change): Write {
    const data = { seq: this.#nextSeq(), change: JSON.stringify(change) };
    return { do: 'set', at: unannouncedAt(changeKey(change)), data };
  }

  async waiting(): Promise<readonly Change[]> {
    const found = await this.#connection.query(SOCIAL_QUERIES.unannounced, { where: [], limit: AT_ONCE });
    return found.map((waiting) => JSON.parse(String(waiting.get('change'))) as Change);
  }

  async announced(change: Change): Promise<void> {
    await this.#connection.commit([{ do: 'delete', at: unannouncedAt(changeKey(change)) }]);
  }
}
