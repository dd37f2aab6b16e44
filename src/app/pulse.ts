import type { Clock } from '../time/clock.ts';

/**
 * By which it is seen that the program's loops turn. A loop says at each turn by when it will be back; one that is not has
 * hung, and only a restart helps. Trouble outside (a store that is away, a judge that refuses) stops no loop.
 */
export class Pulse {
  readonly #clock: Clock;
  readonly #back = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  beat(loop: string, withinMs: number): void {
    this.#back.set(loop, this.#clock.monotonic() + withinMs);
  }

  /** The loop has ended as it should. */
  forget(loop: string): void {
    this.#back.delete(loop);
  }

  /** Loops that did not come back in time. */
  missing(): readonly string[] {
    const now = this.#clock.monotonic();
    return [...this.#back].filter(([, back]) => back < now).map(([loop]) => loop);
  }
}
