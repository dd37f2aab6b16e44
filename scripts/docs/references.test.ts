import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../checks.ts';
import { REFERENCES } from './references.ts';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

describe('the documentation', () => {
  it.each(Object.keys(REFERENCES))('X11 X12 X15 %s is up to date (npm run docs)', async (name) => {
    expect(read(name)).toBe(await REFERENCES[name]?.());
  });

  it('X16 every dependency has a reason, a licence and a replacement', () => {
    const page = read('docs/dependencies.md');
    expect(page).not.toContain('**no');
    const licences = [...page.matchAll(/^\| \S+ \| ([^|]+) \|/gm)].map(([, licence = '']) => licence.trim());
    const fine = /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|MPL-2\.0)\b/;
    expect(licences.filter((licence) => licence !== 'licence' && !fine.test(licence))).toEqual([]);
  });

  it('X12 every command in the guides is one that the program has', () => {
    const guides = ['README.md', 'README.ja.md', 'docs/guides/*.md', 'docs/tutorials/*.md'].flatMap(
      (pattern) => globSync(pattern, { cwd: ROOT }),
    );
    const commands = read('docs/reference/commands.md');
    const known = [...commands.matchAll(/^### `kawaraban ([a-z-]+(?: [a-z-]+)?)/gm)].map(([, name = '']) =>
      name.trim(),
    );
    const wrong = guides.flatMap((guide) =>
      [...read(guide).matchAll(/(?:^|`|npx )kawaraban ([a-z][a-z -]*[a-z])/gm)]
        .map(([, words = '']) => words)
        .filter(
          (words) =>
            !known.some(
              (name) => words === name || words.startsWith(`${name} `) || name.startsWith(`${words} `),
            ),
        )
        .map((words) => `${guide}: ${words}`),
    );
    expect(wrong).toEqual([]);
    const options = new Set([...commands.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option));
    const unknown = guides.flatMap((guide) =>
      [...read(guide).matchAll(/kawaraban [a-z][^`\n]*?(--[a-z][a-z-]+)/g)]
        .map(([, option = '']) => option)
        .filter((option) => !options.has(option))
        .map((option) => `${guide}: ${option}`),
    );
    expect(unknown).toEqual([]);
  });

  const pages = ['*.md', 'docs/**/*.md', 'simulator/*.md'].flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT }),
  );

  it.each(pages)('%s links only to what exists', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, to = '']) => to);
    const lost = links.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : join(dirname(page), file);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
    });
    expect(lost).toEqual([]);
  });
});

/** Anchors as GitHub derives them from headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );
}
