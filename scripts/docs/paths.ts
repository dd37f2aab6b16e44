import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Pages that describe the repository as it is. The changelog is left out: it also names what was there before. */
export const PAGES = ['docs/**/*.md', 'README*.md', 'CONTRIBUTING.md', 'SECURITY.md'];

const FOLDER =
  /^(?:src|test|web|scripts|bench|docs|deploy|simulator|proto|recipes|fuzz|\.github)\/[\w.*/<>@-]*$/;
const INLINE_CODE = /`([^`]+)`/g;
const LINK = /\]\((?![a-z]+:|#)([^)\s#]+)(?:#[^)\s]*)?\)/g;

/** Paths that a page names in backticks or as a link and that do not exist, each as `page:line: path`. */
export function missingPaths(root: string, page: string): string[] {
  const missing: string[] = [];
  let isFenced = false;
  for (const [index, line] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    if (line.trimStart().startsWith('```')) isFenced = !isFenced;
    if (isFenced) continue;
    const named = [...line.matchAll(INLINE_CODE)].flatMap(([, code = '']) =>
      code.split(/\s+/).filter((word) => FOLDER.test(word)),
    );
    const linked = [...line.matchAll(LINK)].map(([, target = '']) => join(dirname(page), target));
    for (const path of new Set([...named, ...linked]))
      if (!exists(root, path)) missing.push(`${page}:${index + 1}: ${path}`);
  }
  return missing;
}

/** `<name>` stands for any name, `*` and `**` as in a shell. */
function exists(root: string, path: string): boolean {
  const pattern = path.replaceAll(/<[^>]+>/g, '*').replace(/\/$/, '');
  return pattern.includes('*')
    ? globSync(pattern, { cwd: root }).length > 0
    : existsSync(join(root, pattern));
}
