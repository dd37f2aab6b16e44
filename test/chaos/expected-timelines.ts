/** Model of what the timelines should show, derived only from the rules of the contract (C7–C9, C13). */
export interface ModelDrop {
  readonly id: string;
  readonly author: string;
  readonly visibility: 'public' | 'followers' | 'private';
  readonly createdAt: number;
}

export class ExpectedTimelines {
  readonly drops = new Map<string, ModelDrop>();
  /** Drops from other servers, which no post service has. */
  readonly received = new Map<string, number>();
  readonly deleted = new Set<string>();
  readonly #following = new Map<string, Set<string>>();

  follow(reader: string, author: string): void {
    this.following(reader).add(author);
  }

  unfollow(reader: string, author: string): void {
    this.following(reader).delete(author);
  }

  following(reader: string): Set<string> {
    const known = this.#following.get(reader) ?? new Set<string>();
    this.#following.set(reader, known);
    return known;
  }

  delete(id: string): void {
    this.deleted.add(id);
    this.drops.delete(id);
    this.received.delete(id);
  }

  /** Newest first; equal times by the bytes of the ID. */
  timeline(name: string): string[] {
    const own = [...this.drops.values()].filter((drop) => this.#shows(name, drop));
    const entries = own.map(({ id, createdAt }) => ({ id, createdAt }));
    if (name === 'global') for (const [id, createdAt] of this.received) entries.push({ id, createdAt });
    return entries.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
  }

  #shows(name: string, { author, visibility }: ModelDrop): boolean {
    if (name === 'local' || name === 'global') return visibility === 'public';
    return author === name || (visibility !== 'private' && this.following(name).has(author));
  }
}
