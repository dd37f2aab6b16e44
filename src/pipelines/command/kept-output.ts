/** The beginning and the end of what a command printed, however much that was. */
export class KeptOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #dropped = 0;

  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2));
  }

  add(chunk: Buffer): void {
    const room = this.#half - this.#headSize;
    if (room > 0) {
      this.#head.push(Buffer.from(chunk.subarray(0, room)));
      this.#headSize += Math.min(room, chunk.length);
      chunk = chunk.subarray(room);
    }
    if (chunk.length === 0) return;
    this.#tail.push(chunk);
    this.#tailSize += chunk.length;
    for (
      let first = this.#tail[0];
      first && this.#tailSize - first.length >= this.#half;
      first = this.#tail[0]
    ) {
      this.#tail.shift();
      this.#tailSize -= first.length;
      this.#dropped += first.length;
    }
  }

  /** Text with broken characters replaced, and a line that says how much is missing. */
  toString(): string {
    let tail = Buffer.concat(this.#tail);
    let dropped = this.#dropped;
    if (tail.length > this.#half) {
      dropped += tail.length - this.#half;
      tail = tail.subarray(tail.length - this.#half);
    }
    const head = Buffer.concat(this.#head);
    if (dropped === 0) return Buffer.concat([head, tail]).toString('utf8');
    return `${head.toString('utf8')}\n… ${dropped} bytes left out …\n${tail.toString('utf8')}`;
  }
}
