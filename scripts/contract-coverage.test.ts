import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trace } from './contract-coverage.ts';

describe('the trace of promises', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'trace-'));
    write('docs/contracts/README.md', [...'ABCDEIQRX'].map((letter) => `${letter}1–${letter}1`).join(' '));
    write('docs/contracts/open.md', '');
    for (const letter of 'ABCDEIQRX')
      write(`docs/contracts/${letter}-page.md`, `- **${letter}1** First: and more\n  of it.\n`);
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  // The IDs are kept apart from the texts, so that these examples do not count as proofs themselves.
  const test = (ids: readonly string[], words: string, call = 'it'): string =>
    `${call}('${ids.join(' ')}${words}', () => {});`;
  const unproved = (): string[] =>
    trace(root)
      .promises.filter(({ tests }) => tests.length === 0)
      .map(({ id }) => id);

  it('lists promises that no test names', () => {
    expect(unproved()).toEqual(['A1', 'B1', 'C1', 'D1', 'E1', 'I1', 'Q1', 'R1', 'X1']);
    expect(trace(root).problems).toEqual([]);
    expect(trace(root).promises[0]).toMatchObject({ id: 'A1', page: 'A-page.md', text: 'First', open: null });
  });

  it('finds IDs at the start of the names of tests, several at once, in suites and in tables', () => {
    write('src/a.test.ts', test(['A1', 'B1'], ' both'));
    write('src/ledger/contract/b.ts', test(['C1,', 'D1'], ': both'));
    write('test/c.test.ts', test(['E1'], ' case %i', 'it.each([\n  [1],\n])'));
    expect(unproved()).toEqual(['I1', 'Q1', 'R1', 'X1']);
  });

  it('takes no ID from the middle of a name, from a comment or from other code', () => {
    write('src/a.test.ts', test([], 'proves A1'));
    write('src/b.ts', test(['B1'], ' not a test file'));
    write('src/c.test.ts', `// C1 is proved elsewhere\n${test(['D1'], '2 another')}`);
    expect(unproved()).toEqual(['A1', 'B1', 'C1', 'D1', 'E1', 'I1', 'Q1', 'R1', 'X1']);
  });

  it('reports a test that names an unknown promise', () => {
    write('src/a.test.ts', test(['A7'], ' what is this'));
    expect(trace(root).problems).toEqual(['src/a.test.ts: "A7 what is this" names A7, which is no promise']);
  });

  it('reports a promise that is missing, duplicate or on the wrong page', () => {
    write('docs/contracts/A-page.md', '- **B1** Wrong.\n');
    const { problems } = trace(root);
    expect(problems).toContain('docs/contracts: A1 is missing');
    expect(problems).toContain('A-page.md: B1 belongs on another page');
    expect(problems).toContain('B-page.md: B1 stands twice');
  });

  it('returns the reason from open.md and notes where it is out of date', () => {
    write('docs/contracts/open.md', '- **A1** not yet: the ledger\n- **B1** not yet: the bot\n');
    write('src/a.test.ts', test(['B1'], ' done'));
    expect(trace(root).promises.find(({ id }) => id === 'A1')?.open).toBe('not yet: the ledger');
    expect(trace(root).problems).toEqual([]);
    expect(trace(root).notes).toEqual(['open.md lists B1, but src/a.test.ts proves it: remove the line']);
  });
});
