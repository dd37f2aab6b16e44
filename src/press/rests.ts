/**
 * Until when limits are used up, as the other side has said. One for the whole program, since two publishers may share
 * a limit. It is kept in memory only: whoever has forgotten it is told again by the next answer.
 */
export class Rests {
  readonly #ends = new Map<string, number>();

  /** The limit with this name is used up until then. */
  note(limit: string, until: number): void {
    this.#ends.set(limit, Math.max(until, this.until(limit)));
  }

  /** The latest end of these limits; 0 where none of them is known to be used up. */
  until(...limits: readonly string[]): number {
    return Math.max(0, ...limits.map((limit) => this.#ends.get(limit) ?? 0));
  }
}
