import { PassThrough, Writable } from 'node:stream';
import { runCli } from './program.ts';
import type { CliContext } from './terminal.ts';

export interface CliOutput {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface FixtureOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Makes every stream a terminal of this width, with these answers as input. */
  readonly terminal?: { readonly columns: number; readonly answers?: string };
}

/** Runs a command line in this process and captures its output. */
export async function cli(args: readonly string[], options: FixtureOptions): Promise<CliOutput> {
  const out = captureStream(options.terminal);
  const err = captureStream(options.terminal);
  const stdin = typedLines(options.terminal?.answers ?? '');
  const context: CliContext = {
    stdin: Object.assign(stdin, { isTTY: options.terminal !== undefined }) as unknown as CliContext['stdin'],
    stdout: out.stream,
    stderr: err.stream,
    env: options.env ?? {},
    cwd: options.cwd,
  };
  const code = await runCli(args, context);
  return { code, out: out.text(), err: err.text() };
}

/** Input of which each reader gets one line, as from a person who answers a question at a time. */
function typedLines(answers: string): PassThrough {
  const stdin = new PassThrough();
  const lines = answers.split(/(?<=\n)/);
  stdin.on('resume', () => {
    const line = lines.shift() ?? '';
    if (lines.length === 0) stdin.end(line);
    else stdin.write(line);
  });
  return stdin;
}

function captureStream(terminal: FixtureOptions['terminal']) {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const terminalFields = terminal === undefined ? {} : { isTTY: true, columns: terminal.columns };
  return { stream: Object.assign(stream, terminalFields), text: () => text };
}
