import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { harmless } from './width.ts';

/** The streams and surroundings that a command sees; tests give their own. */
export interface House {
  readonly stdin: NodeJS.ReadStream | NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

type Format = Parameters<typeof styleText>[0];

/** What a command writes to: results on stdout, everything about them on stderr. */
export class Terminal {
  readonly #house: House;
  readonly #colour: boolean;

  constructor(house: House, options: { readonly colour?: boolean } = {}) {
    this.#house = house;
    this.#colour = options.colour !== false && wantsColour(house);
  }

  /** A line of the result. */
  out(text: string): void {
    this.#house.stdout.write(`${text}\n`);
  }

  /** A line about the result: progress, advice, trouble. */
  note(text: string): void {
    this.#house.stderr.write(`${text}\n`);
  }

  json(value: unknown): void {
    this.out(JSON.stringify(value, null, this.#house.stdout.isTTY === true ? 2 : 0));
  }

  style(format: Format, text: string): string {
    return this.#colour ? styleText(format, text, { validateStream: false }) : text;
  }

  /** Columns that a table may take: the terminal's, or as many as it wants when nobody looks. */
  get width(): number {
    const { stdout, env } = this.#house;
    if (stdout.isTTY === true) return Math.max(40, stdout.columns ?? 80);
    const columns = Number(env.COLUMNS);
    return Number.isInteger(columns) && columns >= 40 ? columns : Number.POSITIVE_INFINITY;
  }

  /** Whether there is a person to ask. */
  get interactive(): boolean {
    const { stdin, stderr } = this.#house;
    return 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
  }

  /** Whether progress can be drawn in place. */
  get live(): boolean {
    return this.#house.stderr.isTTY === true && this.#house.env.TERM !== 'dumb';
  }

  /** Draws over the current line of stderr. */
  redraw(text: string): void {
    this.#house.stderr.write(`\r\x1b[2K${text}`);
  }

  get liveWidth(): number {
    return Math.max(20, this.#house.stderr.columns ?? 80);
  }

  async ask(question: string): Promise<string> {
    const reader = createInterface({ input: this.#house.stdin, output: this.#house.stderr });
    try {
      return harmless(await reader.question(question));
    } finally {
      reader.close();
    }
  }
}

/** NO_COLOR (no-color.org) wins over everything, then FORCE_COLOR, then whether stdout is a terminal. */
function wantsColour({ env, stdout }: House): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false;
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0';
  return stdout.isTTY === true && env.TERM !== 'dumb';
}
