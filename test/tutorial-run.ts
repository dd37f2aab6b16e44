import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { COMPILE_CACHE, NODE, PROGRAM } from './program.ts';

const TOOLS = join(import.meta.dirname, '../node_modules/.bin');
const POLL = { timeout: 110_000, interval: 200 };

/** The folder and the ports on the page; a run has its own. */
const FOLDER_OF_THE_PAGE = '/home/you/kawaraban';
const PORTS_OF_THE_PAGE = ['8080', '8081', '50051', '50052', '6379'];
/** The simulator's nine consecutive ports. */
const SIMULATOR_PORTS = Array.from({ length: 9 }, (_, n) => `${8090 + n}`);
const ALL_PORTS = [...PORTS_OF_THE_PAGE, ...SIMULATOR_PORTS];

/** Commands that run until Ctrl-C; the page shows what they print meanwhile. */
const LONG_RUNNING = /^(?:npx kawaraban (?:start|simulator)\b|redis-server |curl -sN )/;
/** Commands that change nothing: a change by another process may reach them a moment later. */
const READ_ONLY =
  /^(?:curl |npx buf |redis-cli |cat |npx kawaraban (?:sources list|stories list|run \S+ --dry-run))/;

/** What differs from run to run. A bound value on the page stands for one value in the run, everywhere. */
const VARIABLES = [
  { pattern: 'kt_[0-9a-f]{8}_[0-9a-f-]{36}', bound: true },
  { pattern: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', bound: true },
  { pattern: '(?<!\\d)\\d{13}(?!\\d)', bound: true },
  { pattern: '~[0-9a-f]{12}\\.\\d+', bound: false },
  { pattern: '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d', bound: false },
  { pattern: '(?<=retry: )\\d+', bound: false },
  { pattern: '(?<=welcome#)[\\w-]{43}', bound: false },
  { pattern: '(?:\\d+ (?:s|min|h) ago|(?<=\\n)now(?= ))', bound: false },
] as const;
const VARIABLE = new RegExp(VARIABLES.map(({ pattern }) => `(${pattern})`).join('|'), 'g');

/** `yaml` is a file if it has a name, `diff` a change of `kawaraban.yaml`, `json` an example. */
const LANGUAGES = ['sh', 'text', 'yaml', 'diff', 'json'];

interface Block {
  readonly language: string;
  readonly text: string;
}

interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

interface LongRunning {
  readonly command: string;
  readonly child: ChildProcess;
  readonly closed: Promise<unknown>;
  out: string;
  err: string;
  /** How much of `out` the page has shown. */
  shown: number;
}

/**
 * Which output is compared with the page. `all`: a command after which the page shows nothing must print nothing. `shown`:
 * it may print anything, as long as it succeeds; so may a command on the page with other commands below it in its block.
 */
type Compared = 'all' | 'shown';

/**
 * Follows a page as its reader does: runs each command in a shell, writes the files, changes lines as a diff says, and
 * compares what is printed with what the page shows. There, `…` stands for anything.
 */
export class TutorialRun implements AsyncDisposable {
  readonly #unread: Section[];
  readonly #root: string;
  readonly #folder: string;
  readonly #ports: ReadonlyMap<string, string>;
  readonly #bindings = new Map<string, string>();
  readonly #longRunning: LongRunning[] = [];
  readonly #compared: Compared;

  private constructor(page: string, ports: ReadonlyMap<string, string>, compared: Compared) {
    this.#unread = sectionsOf(page);
    this.#ports = ports;
    this.#compared = compared;
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), 'kawaraban-page-')));
    this.#folder = join(this.#root, 'kawaraban');
    mkdirSync(this.#folder);
    mkdirSync(join(this.#root, 'bin'));
    // In the project's own folder npx finds these by itself.
    const npx = `#!/bin/sh
tool=$1; shift
if [ "$tool" = kawaraban ]; then exec '${NODE}' '${PROGRAM}' "$@"; fi
exec '${TOOLS}'/"$tool" "$@"
`;
    writeFileSync(join(this.#root, 'bin', 'npx'), npx, { mode: 0o755 });
  }

  static async open(page: string, compared: Compared): Promise<TutorialRun> {
    const ports = new Map<string, string>();
    const first = await quietPort([], SIMULATOR_PORTS.length);
    for (const [n, port] of SIMULATOR_PORTS.entries()) ports.set(port, `${first + n}`);
    for (const port of PORTS_OF_THE_PAGE) ports.set(port, `${await quietPort([...ports.values()])}`);
    return new TutorialRun(page, ports, compared);
  }

  /** The address of this run for one on the page. */
  addressOf(address: string): string {
    return this.#here(address);
  }

  /** Continues to the section with this heading, or to the end of the page. */
  async readUntil(heading: string | null): Promise<void> {
    if (heading !== null && !this.#unread.some(({ title }) => title === heading))
      throw new Error(`The page has no section "${heading}".`);
    for (let next = this.#unread[0]; next !== undefined && next.title !== heading; next = this.#unread[0]) {
      const { blocks } = next;
      for (const [n, { language, text }] of blocks.entries()) {
        const below = blocks[n + 1];
        const unshown = this.#compared === 'all' ? '' : '…';
        const shown = below?.language === 'text' ? below.text : unshown;
        if (language === 'yaml') this.#write(text);
        else if (language === 'diff') this.#edit(text);
        else if (language === 'json') continue;
        else if (language === 'sh') await this.#type(text, shown);
        // Output below a command is compared with it; anything else is output of the stream that is open.
        else if (blocks[n - 1]?.language !== 'sh') await this.#shows(this.#stream(), text);
      }
      this.#unread.shift();
    }
  }

  get lastStreamEnded(): boolean {
    const { exitCode, signalCode } = this.#stream().child;
    return exitCode !== null || signalCode !== null;
  }

  /** Ctrl-C in each terminal, the last one first. */
  async stopAll(): Promise<void> {
    for (
      let longRunning = this.#longRunning.at(-1);
      longRunning !== undefined;
      longRunning = this.#longRunning.at(-1)
    ) {
      const { command, child, closed } = longRunning;
      child.kill('SIGINT');
      await closed;
      this.#longRunning.pop();
      if (/kawaraban start\b/.test(command))
        expect([child.exitCode, longRunning.err], command).toEqual([0, expect.stringContaining('Stopped.')]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, closed } of this.#longRunning.splice(0).reverse()) {
      child.kill('SIGKILL');
      await closed;
    }
    rmSync(this.#root, { recursive: true, force: true });
  }

  #stream(): LongRunning {
    const last = this.#longRunning.findLast(({ command }) => command.startsWith('curl '));
    if (last === undefined) throw new Error('The page shows a stream that is not open.');
    return last;
  }

  #write(text: string): void {
    const [, name] = /^# (\S+\.yaml)\n/.exec(text) ?? [];
    // Without a name it is a piece of one, which another test checks.
    if (name === undefined) return;
    writeFileSync(join(this.#folder, name), this.#here(text));
  }

  /** Replaces the lines of the configuration that begin with `-` by those with `+`. */
  #edit(diff: string): void {
    const path = join(this.#folder, 'kawaraban.yaml');
    const linesWith = (sign: string): string =>
      [...diff.matchAll(new RegExp(`^\\${sign}(.*\\n)`, 'gm'))].map(([, line]) => line).join('');
    const [before, after] = [linesWith('-'), linesWith('+')];
    const parts = `\n${readFileSync(path, 'utf8')}`.split(`\n${before}`);
    expect(parts, `kawaraban.yaml has this once:\n${before}`).toHaveLength(2);
    writeFileSync(path, parts.join(`\n${after}`).slice(1));
  }

  async #type(block: string, shown: string): Promise<void> {
    const lines = block.trim().split('\n');
    for (const [n, line] of lines.entries()) {
      const isLast = n === lines.length - 1;
      await this.#run(line, isLast ? shown : this.#compared === 'all' ? '' : '…');
    }
  }

  async #run(line: string, shown: string): Promise<void> {
    const command = this.#bound(this.#here(line));
    if (LONG_RUNNING.test(line)) {
      const longRunning = this.#start(command);
      if (shown !== '' && shown !== '…') await this.#shows(longRunning, shown);
      return;
    }
    const attempt = async (): Promise<string | null> => {
      const { code, out } = await this.#execute(command);
      if (code === 0 && this.#matches(out, shown, 'whole') !== null) return null;
      return `$ ${command}\n${out}\nended with ${code}; the page shows:\n${this.#bound(this.#here(shown))}`;
    };
    if (READ_ONLY.test(line)) await expect.poll(attempt, POLL).toBeNull();
    else expect(await attempt()).toBeNull();
    if (line.startsWith('npx kawaraban init ')) {
      const path = join(this.#folder, 'kawaraban.yaml');
      writeFileSync(path, this.#here(readFileSync(path, 'utf8')));
    }
  }

  async #shows(longRunning: LongRunning, shown: string): Promise<void> {
    const attempt = (): string | null => {
      const rest = longRunning.out.slice(longRunning.shown);
      const used = this.#matches(rest, shown, 'beginning');
      if (used === null)
        return `$ ${longRunning.command}\n${rest}${longRunning.err}\nthe page shows:\n${shown}`;
      longRunning.shown += used;
      return null;
    };
    await expect.poll(attempt, POLL).toBeNull();
  }

  /** How many characters of the output match the page; `null`: they differ. New values on the page are bound. */
  #matches(printed: string, shown: string, part: 'whole' | 'beginning'): number | null {
    const fresh: string[] = [];
    const page = this.#here(shown.trim());
    let source = '';
    let end = 0;
    for (const match of page.matchAll(VARIABLE)) {
      const [onPage] = match;
      const kind = VARIABLES[match.slice(1).findIndex((group) => group !== undefined)];
      if (kind === undefined) throw new Error('no kind');
      source += literally(page.slice(end, match.index));
      end = match.index + onPage.length;
      const known = this.#bindings.get(onPage);
      if (!kind.bound) source += `(?:${kind.pattern})`;
      else if (known !== undefined) source += literally(known);
      else if (fresh.includes(onPage)) source += `\\${fresh.indexOf(onPage) + 1}`;
      else {
        fresh.push(onPage);
        source += `(${kind.pattern})`;
      }
    }
    source += literally(page.slice(end));
    source = source.replaceAll(/\s*…/g, '[^]*?');
    const found = new RegExp(`^\\s*${source}${part === 'whole' ? '\\s*$' : '(?=\\n)'}`).exec(printed);
    if (found === null) return null;
    const values = found.slice(1);
    // Two values on the page are two in the run.
    const all = [...this.#bindings.values(), ...values];
    if (new Set(all).size < all.length) return null;
    for (const [n, value] of values.entries()) this.#bindings.set(fresh[n] ?? '', value);
    return found[0].length;
  }

  /** With the folder and ports of this run. */
  #here(text: string): string {
    const ports = new RegExp(`\\b(?:${ALL_PORTS.join('|')})\\b`, 'g');
    return text
      .replaceAll(FOLDER_OF_THE_PAGE, this.#folder)
      .replace(ports, (port) => this.#ports.get(port) ?? port);
  }

  /** With the IDs of this run. */
  #bound(text: string): string {
    return text.replace(VARIABLE, (onPage) => this.#bindings.get(onPage) ?? onPage);
  }

  #spawn(command: string): ChildProcess {
    return spawn('sh', ['-c', command], {
      cwd: this.#folder,
      env: {
        PATH: `${join(this.#root, 'bin')}:${process.env.PATH}`,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        KAWARABAN_SIMULATOR_PORT: this.#ports.get('8090') ?? '',
        // Not every recipe names a port.
        ...(this.#compared === 'shown' && { KAWARABAN_PORT: this.#ports.get('8080') ?? '' }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** As a terminal shows it: both streams in one. */
  async #execute(command: string): Promise<{ readonly code: number | null; readonly out: string }> {
    const child = this.#spawn(`{ ${command}\n} 2>&1`);
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out };
  }

  #start(command: string): LongRunning {
    const child = this.#spawn(`exec ${command}`);
    const longRunning: LongRunning = {
      command,
      child,
      closed: once(child, 'close'),
      out: '',
      err: '',
      shown: 0,
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      // Keep-alive comments come at any time.
      longRunning.out = (longRunning.out + text).replaceAll(': still here\n\n', '');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      longRunning.err += text;
    });
    this.#longRunning.push(longRunning);
    return longRunning;
  }
}

function sectionsOf(page: string): Section[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = ''] = part.split('\n', 1);
      const blocks = [...part.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
        ([, language = '', text = '']): Block => ({ language, text }),
      );
      const unknown = blocks.find(({ language }) => !LANGUAGES.includes(language));
      if (unknown !== undefined)
        throw new Error(`A block below "${title}" is none of ${LANGUAGES.join(', ')}.`);
      return { title, blocks };
    });
}

/** The first of some free ports that stay free until the page uses them: below the system's ephemeral ports. */
async function quietPort(taken: readonly string[], count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(20_000, 32_000);
    const ports = Array.from({ length: count }, (_, n) => first + n);
    if (ports.some((port) => taken.includes(`${port}`))) continue;
    if ((await Promise.all(ports.map(isFree))).every((free) => free)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!free) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** Columns are as wide as what is in them. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ {2,}/g, ' +');
}
