import type { Connection } from '../connection.ts';
import { Coverage, type Mark } from './coverage.ts';
import type { UnreadTally } from './unread-tally.ts';

/** What is cached of a person. */
export interface PersonView {
  /** `null`: nothing is stored about this person. */
  readonly no: number | null;
  readonly coverage: Coverage;
  /** `null`: to be counted. */
  tally: UnreadTally | null;
}

export type RegisteredPerson = PersonView & { readonly no: number };

const MAX_CACHED = 64;

/** The people who read, with what is cached of them. A change by another process discards the cache. */
export class People {
  readonly #db: Connection;
  readonly #views = new Map<string, PersonView>();
  #dataVersion: unknown = null;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** To be called first in each transaction. True if another process has written since. */
  refresh(): boolean {
    const version = this.#db.get('PRAGMA data_version')?.data_version;
    if (version === this.#dataVersion) return false;
    this.#dataVersion = version;
    this.clear();
    return true;
  }

  clear(): void {
    this.#views.clear();
  }

  forget(person: string): void {
    this.#views.delete(person);
  }

  get cached(): readonly PersonView[] {
    return [...this.#views.values()];
  }

  view(person: string): PersonView {
    const known = this.#views.get(person);
    if (known !== undefined) {
      // The first of a map is the one that was not used for longest.
      this.#views.delete(person);
      this.#views.set(person, known);
      return known;
    }
    const no = this.#numberOf(person);
    return this.#cache(person, { no, coverage: this.#coverage(no), tally: null });
  }

  /** Like `view`, with a number to store something under. */
  register(person: string): RegisteredPerson {
    const view = this.view(person);
    if (isRegistered(view)) return view;
    this.#db.run('INSERT INTO people (id) VALUES (?)', person);
    const registered = this.#cache(person, { ...view, no: this.#numberOf(person) });
    if (!isRegistered(registered)) throw new Error(`Failed to register ${person}.`);
    return registered;
  }

  /** The view with the person's marks as they are now stored. */
  reloadMarks(person: string): PersonView {
    const { no, tally } = this.view(person);
    return this.#cache(person, { no, coverage: this.#coverage(no), tally });
  }

  /** Everybody with marks. */
  withMarks(): readonly PersonView[] {
    const sql = 'SELECT id FROM people WHERE EXISTS (SELECT 1 FROM marks WHERE person = people.no)';
    return this.#db.all(sql).map(({ id }) => this.view(String(id)));
  }

  #cache(person: string, view: PersonView): PersonView {
    this.#views.delete(person);
    this.#views.set(person, view);
    for (const oldest of this.#views.keys()) {
      if (this.#views.size <= MAX_CACHED) break;
      this.#views.delete(oldest);
    }
    return view;
  }

  #numberOf(person: string): number | null {
    const no = this.#db.get('SELECT no FROM people WHERE id = ?', person)?.no;
    return typeof no === 'number' ? no : null;
  }

  #coverage(no: number | null): Coverage {
    if (no === null) return new Coverage([]);
    const rows = this.#db.all('SELECT source, up_to AS upTo, before FROM marks WHERE person = ?', no);
    return new Coverage(rows as unknown as Mark[]);
  }
}

function isRegistered(view: PersonView): view is RegisteredPerson {
  return view.no !== null;
}
