import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The promises of `docs/contracts/`, and the tests that prove them by naming them. */
export interface Promised {
  readonly id: string;
  readonly page: string;
  /** Its first sentence, for lists. */
  readonly text: string;
  readonly tests: readonly { readonly file: string; readonly name: string }[];
  /** Why it has no test yet, from `open.md`; `null` where no reason is given. */
  readonly open: string | null;
}

export interface Trace {
  readonly promises: readonly Promised[];
  /** What is wrong with the pages or with the names of tests; a check fails on these. */
  readonly problems: readonly string[];
  /** What could be tidied up; nothing fails on these. */
  readonly notes: readonly string[];
}

const CONTRACTS = join('docs', 'contracts');
const PAGE = /^([A-EIQRX])-[a-z-]+\.md$/;
const TEST_FILE = /\.test\.ts$|\/contract\/[^/]+\.ts$/;
/** A test's name: the first thing in a call, or the `name` of a case in a table. */
const NAME = /(?:\(\s*|\bname:\s*)(['"`])([A-EIQRX]\d{1,2}\b(?:(?!\1)[^\\\n]|\\.)*)\1/g;
const LEADING_IDS = /^(?:[A-EIQRX]\d{1,2}(?:[\s,:·/&+–-]+|$))+/;

export function trace(root: string): Trace {
  const problems: string[] = [];
  const notes: string[] = [];
  const open = readOpen(root);
  const pages = readdirSync(join(root, CONTRACTS)).filter((name) => PAGE.test(name));
  const found = new Map<string, { page: string; text: string }>();
  for (const page of pages) {
    const text = readFileSync(join(root, CONTRACTS, page), 'utf8');
    for (const [, id = '', sentence = ''] of text.matchAll(
      /^- \*\*([A-EIQRX]\d+)\*\* (?:◆ )?(.+(?:\n {2}.+)*)/gm,
    )) {
      if (found.has(id)) problems.push(`${page}: ${id} stands twice`);
      if (!page.startsWith(id[0] ?? '')) problems.push(`${page}: ${id} belongs on another page`);
      found.set(id, { page, text: firstSentence(sentence) });
    }
  }
  problems.push(...missing(root, new Set(found.keys())));

  const tests = testNames(root);
  for (const [id, named] of tests)
    if (!found.has(id))
      problems.push(`${named[0]?.file}: "${named[0]?.name}" names ${id}, which is no promise`);
  for (const id of open.keys()) {
    if (!found.has(id)) problems.push(`open.md names ${id}, which is no promise`);
    if (tests.has(id))
      notes.push(`open.md lists ${id}, but ${tests.get(id)?.[0]?.file} proves it: remove the line`);
  }
  const promises = [...found].map(([id, { page, text }]) => ({
    id,
    page,
    text,
    tests: tests.get(id) ?? [],
    open: open.get(id) ?? null,
  }));
  return { promises: promises.toSorted((one, other) => order(one.id) - order(other.id)), problems, notes };
}

/** The README lists which IDs each page has; one that is not there was lost. */
function missing(root: string, found: ReadonlySet<string>): string[] {
  const readme = readFileSync(join(root, CONTRACTS, 'README.md'), 'utf8');
  const ranges = [...readme.matchAll(/\b([A-EIQRX])1–\1(\d+)\b/g)];
  const letters = new Set(ranges.map(([, letter]) => letter));
  const expected = ranges.flatMap(([, letter, last]) =>
    Array.from({ length: Number(last) }, (_, index) => `${letter}${index + 1}`),
  );
  return [
    ...[...'ABCDEIQRX']
      .filter((letter) => !letters.has(letter))
      .map((letter) => `README.md: no range ${letter}1–${letter}n`),
    ...expected.filter((id) => !found.has(id)).map((id) => `docs/contracts: ${id} is missing`),
    ...[...found].filter((id) => !expected.includes(id)).map((id) => `README.md: ${id} is beyond its range`),
  ];
}

function testNames(root: string): ReadonlyMap<string, { file: string; name: string }[]> {
  const names = new Map<string, { file: string; name: string }[]>();
  const files = sourceFiles(root, ['src', 'test', 'simulator', 'bench', 'scripts', 'web', 'deploy']);
  for (const file of files.filter((name) => TEST_FILE.test(name)))
    for (const [, , name = ''] of readFileSync(join(root, file), 'utf8').matchAll(NAME))
      for (const [id] of (LEADING_IDS.exec(`${name} `)?.[0] ?? '').matchAll(/[A-EIQRX]\d+/g))
        names.set(id, [...(names.get(id) ?? []), { file, name }]);
  return names;
}

function readOpen(root: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(root, CONTRACTS, 'open.md'), 'utf8');
  return new Map(
    [...text.matchAll(/^- \*\*([A-EIQRX]\d+)\*\* (.+)$/gm)].map(([, id = '', why = '']) => [id, why]),
  );
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const end = line.search(/[.:;] /);
  return end < 0 ? line : line.slice(0, end);
}

function order(id: string): number {
  return 'ABCDEIQRX'.indexOf(id[0] ?? '') * 1000 + Number(id.slice(1));
}

/** All source files below these folders, from the root of the project, sorted. */
function sourceFiles(root: string, folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => SOURCE.test(path) && !PASSED_OVER.test(path))
    .toSorted();
}

const SOURCE = /\.(ts|tsx|mts|mjs|js|jsx)$/;
const PASSED_OVER = /\/(node_modules|gen|testdata|golden)\//;
