const DISCORD_EPOCH = 1_420_070_400_000;

/** Discord's message IDs: time in the upper bits, a counter in the lower, as a decimal string. */
export class Snowflakes {
  #last = 0n;

  next(now: number): string {
    const fresh = BigInt(Math.max(0, now - DISCORD_EPOCH)) << 22n;
    this.#last = fresh > this.#last ? fresh : this.#last + 1n;
    return String(this.#last);
  }
}

export function isSnowflake(text: string): boolean {
  return /^\d{17,20}$/.test(text);
}
