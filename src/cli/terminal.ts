import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { sanitise, truncate } from './format.ts';

/** Streams and environment of a command; tests pass their own. */
export interface CliContext {
  readonly stdin: NodeJS.ReadStream | NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

type Format = Parameters<typeof styleText>[0];

/** Output of a command: results on stdout, everything else on stderr. */
export class Terminal {
  readonly #context: CliContext;
  readonly #colour: boolean;

  constructor(context: CliContext, options: { readonly colour?: boolean } = {}) {
    this.#context = context;
    this.#colour = options.colour !== false && wantsColour(context);
  }

  /** Prints a line of the result. */
  out(text: string): void {
    this.#context.stdout.write(`${text}\n`);
  }

  /** Prints a line about the result: progress, advice, errors. */
  note(text: string): void {
    this.#context.stderr.write(`${text}\n`);
  }

  json(value: unknown): void {
    this.out(JSON.stringify(value, null, this.#context.stdout.isTTY === true ? 2 : 0));
  }

  style(format: Format, text: string): string {
    return this.#colour ? styleText(format, text, { validateStream: false }) : text;
  }

  /** Colours a text by red, green and blue in one number. */
  tint(rgb: number, text: string): string {
    if (!this.#colour) return text;
    return `\x1b[38;2;${(rgb >> 16) & 255};${(rgb >> 8) & 255};${rgb & 255}m${text}\x1b[39m`;
  }

  /** Columns available for a table: the terminal's, or unlimited if the output is not a terminal. */
  get width(): number {
    const { stdout, env } = this.#context;
    if (stdout.isTTY === true) return Math.max(40, stdout.columns ?? 80);
    const columns = Number(env.COLUMNS);
    return Number.isInteger(columns) && columns >= 40 ? columns : Number.POSITIVE_INFINITY;
  }

  /** Whether questions can be asked. */
  get interactive(): boolean {
    const { stdin, stderr } = this.#context;
    return 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
  }

  /** Whether progress can be drawn in place. */
  get live(): boolean {
    return this.#context.stderr.isTTY === true && this.#context.env.TERM !== 'dumb';
  }

  /** Draws over the current line of stderr. */
  redraw(text: string): void {
    this.#context.stderr.write(`\r\x1b[2K${text}`);
  }

  get liveWidth(): number {
    return Math.max(20, this.#context.stderr.columns ?? 80);
  }

  async ask(question: string): Promise<string> {
    const reader = createInterface({ input: this.#context.stdin, output: this.#context.stderr });
    try {
      return sanitise(await reader.question(question));
    } finally {
      reader.close();
    }
  }
}

/** NO_COLOR (no-color.org) has precedence, then FORCE_COLOR, then whether stdout is a terminal. */
function wantsColour({ env, stdout }: CliContext): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false;
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0';
  return stdout.isTTY === true && env.TERM !== 'dumb';
}

const BAR_WIDTH = 24;
const MIN_REDRAW_MS = 80;

/** Progress bar, drawn in place on stderr; nothing if stderr is not a terminal. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawn = false;

  constructor(terminal: Terminal, now: () => number = () => performance.now()) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** `total` is `null` while unknown. */
  show(words: string, done: number, total: number | null = null): void {
    if (!this.#terminal.live) return;
    const complete = total !== null && done >= total;
    if (!complete && this.#now() - this.#drawnAt < MIN_REDRAW_MS) return;
    this.#drawnAt = this.#now();
    this.#drawn = true;
    this.#terminal.redraw(truncate(progressLine(words, done, total), this.#terminal.liveWidth - 1));
  }

  /** Removes the bar, so that further output starts on a clean line. */
  clear(): void {
    if (this.#drawn) this.#terminal.redraw('');
    this.#drawn = false;
  }
}

function progressLine(words: string, done: number, total: number | null): string {
  if (total === null || total <= 0) return `${words} … ${done}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  return `${words} ${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${Math.floor(share * 100)} % (${done} of ${total})`;
}
