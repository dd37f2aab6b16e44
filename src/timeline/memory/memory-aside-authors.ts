import type { AsideAuthors, AsideList } from '../aside-authors.ts';

/** The list of a single process. */
export class MemoryAsideAuthors implements AsideAuthors {
  #list: AsideList = { version: '0', authors: new Set() };

  async list(): Promise<AsideList> {
    return this.#list;
  }

  async add(authorId: string): Promise<void> {
    if (!this.#list.authors.has(authorId)) this.#become([...this.#list.authors, authorId]);
  }

  async remove(authorId: string): Promise<void> {
    if (this.#list.authors.has(authorId))
      this.#become([...this.#list.authors].filter((author) => author !== authorId));
  }

  #become(authors: readonly string[]): void {
    this.#list = { version: `${Number(this.#list.version) + 1}`, authors: new Set(authors) };
  }
}
