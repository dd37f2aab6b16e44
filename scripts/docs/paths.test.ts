import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../checks.ts';
import { missingPaths, PAGES } from './paths.ts';

describe('paths in the documentation', () => {
  it.each(PAGES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })))(
    '%s names only what exists',
    (page) => {
      expect(missingPaths(ROOT, page)).toEqual([]);
    },
  );
});

describe('the check of paths', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'paths-'));
    for (const file of ['src/ledger/ledger.ts', 'src/ledger/contract/admit.ts', 'docs/guides/api.md'])
      write(file, '');
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  function missing(text: string): string[] {
    write('docs/page.md', text);
    return missingPaths(root, 'docs/page.md');
  }

  it('names page and line of each path that does not exist', () => {
    expect(missing('`src/ledger/ledger.ts`\n\n`src/gone.ts` and [there](guides/gone.md#top)')).toEqual([
      'docs/page.md:3: src/gone.ts',
      'docs/page.md:3: docs/guides/gone.md',
    ]);
  });

  it('accepts files, folders, globs and placeholders', () => {
    expect(missing('`src/ledger/` `src/*/contract/` `src/<subject>/ledger.ts` [api](guides/api.md)')).toEqual(
      [],
    );
    expect(missing('`src/*/gone/` `src/<subject>/gone.ts`')).toHaveLength(2);
  });

  it('finds a path inside a command', () => {
    expect(missing('`npx vitest src/ledger` `npx vitest src/gone`')).toEqual(['docs/page.md:1: src/gone']);
  });

  it('leaves out fenced blocks, other words in backticks and links to elsewhere', () => {
    const text = '```\n`src/gone.ts`\n```\n`source/gone` [web](https://x.example/src/gone.ts) [top](#top)';
    expect(missing(text)).toEqual([]);
  });
});
