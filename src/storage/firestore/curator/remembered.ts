import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import type { State } from '../../../item/lifecycle.ts';
import type { ItemRecord } from '../../../ledger/item-record.ts';
import { HOUR } from '../../../time/duration.ts';
import type { DocumentPath, Write } from '../connection.ts';
import { articleIds } from '../ledger/article-layout.ts';
import { pack, unpack } from '../ledger/document.ts';
import type { CuratorBase } from './documents.ts';

/** Name of the page which records that some documents have IDs of other forms than the canonical one. */
const OTHER_FORMS = 'other-forms';
const PER_PAGE = 200;
/** Maximum delay until pages that another process shortened or deleted are read again. */
const READ_ALL_EVERY = HOUR;
/** Maximum clock difference between processes; pages are named by their clocks. */
const OVERLAP_MS = HOUR;

interface Tombstone {
  readonly state: State;
  readonly sweptAt: number;
}

interface Page {
  readonly items: readonly ItemRecord[];
  readonly graves: readonly (readonly [ItemKey, Tombstone])[];
  readonly otherForms?: true;
}

/**
 * Baselines and tombstones, which only serve to recognise items: many to a page. Pages are added and seldom changed, so they
 * are read once, and then only new ones: one read where there are none.
 */
export class RememberedArticles {
  readonly #deps: CuratorBase;
  #pages = new Map<string, Page>();
  #readAllAt: number | null = null;

  constructor(deps: CuratorBase) {
    this.#deps = deps;
  }

  /** The current baselines and tombstones. */
  async read(): Promise<Remembered> {
    const { connection, queries, clock } = this.#deps;
    const now = clock.monotonic();
    if (this.#readAllAt === null || now - this.#readAllAt >= READ_ALL_EVERY) {
      const all = await connection.query(queries.remembered, { where: [] });
      this.#pages = new Map();
      this.#cache(all);
      this.#readAllAt = now;
    } else {
      const newest = Math.max(0, ...[...this.#pages.keys()].map(Number).filter(Number.isFinite));
      const since = String(Math.max(0, newest - OVERLAP_MS * 1000));
      this.#cache(await connection.query(queries.rememberedSince, { where: [since] }));
    }
    return new Remembered([...this.#pages.values()]);
  }

  async hasOtherForms(): Promise<boolean> {
    if (this.#readAllAt === null) await this.read();
    return [...this.#pages.values()].some(({ otherForms }) => otherForms === true);
  }

  /** Written once in the life of a pipeline, before the first document that its key alone does not find. */
  async noteOtherForms(): Promise<void> {
    if (await this.hasOtherForms()) return;
    const page: Page = { items: [], graves: [], otherForms: true };
    await this.#deps.connection.commit([this.#write(OTHER_FORMS, page)]);
    this.#pages.set(OTHER_FORMS, page);
  }

  /** Adds baselines and tombstones; `more` is written with the first page. */
  async add(
    items: readonly ItemRecord[],
    tombstones: Page['graves'],
    more: readonly Write[] = [],
  ): Promise<void> {
    const pages = Math.max(Math.ceil(items.length / PER_PAGE), tombstones.length > 0 ? 1 : 0);
    for (let nth = 0; nth < pages; nth++) {
      const page: Page = {
        items: items.slice(nth * PER_PAGE, (nth + 1) * PER_PAGE),
        graves: nth === 0 ? tombstones : [],
      };
      const id = String(this.#deps.order.next());
      await this.#deps.connection.commit([this.#write(id, page), ...(nth === 0 ? more : [])]);
      this.#pages.set(id, page);
    }
  }

  /** Removes expired entries. */
  async remove(isExpired: (key: ItemKey, kind: 'baseline' | 'tombstone') => boolean): Promise<void> {
    for (const [id, page] of this.#pages) {
      const next: Page = {
        ...page,
        items: page.items.filter(({ item }) => !isExpired(item.key, 'baseline')),
        graves: page.graves.filter(([key]) => !isExpired(key, 'tombstone')),
      };
      const count = next.items.length + next.graves.length;
      if (count === page.items.length + page.graves.length) continue;
      const at: DocumentPath = [this.#deps.names.remembered, id];
      await this.#deps.connection.commit([count === 0 ? { do: 'delete', at } : this.#write(id, next)]);
      if (count === 0) this.#pages.delete(id);
      else this.#pages.set(id, next);
    }
  }

  #cache(snapshots: readonly DocumentSnapshot[]): void {
    for (const snapshot of snapshots) this.#pages.set(snapshot.id, unpack(snapshot.get('content')) as Page);
  }

  #write(id: string, page: Page): Write {
    const data = { content: pack(page), count: page.items.length + page.graves.length };
    return { do: 'set', at: [this.#deps.names.remembered, id], data };
  }
}

/** A snapshot of all pages. */
export class Remembered {
  readonly baselines = new Map<ItemKey, ItemRecord>();
  readonly tombstones = new Map<ItemKey, Tombstone>();

  constructor(pages: readonly Page[]) {
    for (const { items, graves } of pages) {
      for (const stored of items)
        if (!this.baselines.has(stored.item.key)) this.baselines.set(stored.item.key, stored);
      for (const [key, tombstone] of graves) this.tombstones.set(key, tombstone);
    }
  }

  /** The tombstone of an article; that of another program's document has the document ID as its key. */
  tombstoneOf(key: ItemKey, urls: readonly string[] = []): Tombstone | undefined {
    if (this.tombstones.size === 0) return undefined;
    const forms = [key, ...urls];
    for (const form of [...forms, ...forms.flatMap((one) => articleIds(one).slice(0, 1))]) {
      const found = this.tombstones.get(form as ItemKey);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
