import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
export const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node');
/** Compiled by `compiled-program.ts`. */
export const PROGRAM = join(ROOT, 'dist', 'main.js');
export const COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(ROOT, 'build', '.compile-cache');

export interface ProgramResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface ProgramOptions {
  readonly node?: string;
  readonly program?: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** The program as a person starts it, in a process of its own. */
export class Program {
  readonly child: ChildProcess;
  out = '';
  err = '';
  readonly ended: Promise<ProgramResult>;

  constructor(
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    folder: string,
    { node = NODE, program = PROGRAM, ...user }: ProgramOptions = {},
  ) {
    this.child = spawn(node, [program, ...args], {
      ...user,
      cwd: folder,
      // The compile cache is shared, as in `npm start`, so that a start need not compile everything.
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of ['out', 'err'] as const)
      this.child[`std${stream}`]?.setEncoding('utf8').on('data', (text: string) => {
        this[stream] += text;
      });
    this.ended = once(this.child, 'close').then(([code]) => ({
      code: code as number | null,
      out: this.out,
      err: this.err,
    }));
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves with the first match in the output; rejects if the program exits before. */
  async waitForOutput(pattern: RegExp, stream: 'out' | 'err' = 'out'): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this[stream]);
      if (match) return match;
      const from = this.child[`std${stream}`];
      if (from === null) throw new Error('no output');
      await Promise.race([
        once(from, 'data'),
        this.ended.then((result) => {
          throw new Error(`ended with ${result.code}: ${result.err}`);
        }),
      ]);
    }
  }

  /** Kills it at once. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
