import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CliContext, Progress, Terminal } from './terminal.ts';

function stderr(isTTY: boolean) {
  let text = '';
  const stream = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    }),
    { isTTY, columns: 60 },
  );
  const context: CliContext = { stdin: process.stdin, stdout: stream, stderr: stream, env: {}, cwd: '/' };
  return { terminal: new Terminal(context), text: () => text };
}

describe('X12 progress', () => {
  it('X12 is drawn in place on a terminal at a limited rate, and removed at the end', () => {
    let now = 0;
    const { terminal, text } = stderr(true);
    const progress = new Progress(terminal, () => now);
    for (let n = 1; n <= 100; n++, now += 10) progress.show('Sweeping', n, 100);
    expect(text().split('\r').length).toBeLessThan(20);
    expect(text()).toContain('100 % (100 of 100)');
    expect(text()).not.toContain('\n');
    progress.clear();
    expect(text().endsWith('\r\x1b[2K')).toBe(true);
  });

  it('X12 prints nothing when stderr is piped', () => {
    const { terminal, text } = stderr(false);
    const progress = new Progress(terminal);
    progress.show('Sweeping', 1, 2);
    progress.clear();
    expect(text()).toBe('');
  });
});
