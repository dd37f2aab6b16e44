import { readFileSync, statSync } from 'node:fs';
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { Problem } from './problems.ts';

/** A position in the file. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A YAML file as plain values, with the position of each. */
export interface YamlDocument {
  readonly file: string;
  readonly value: unknown;
  /** Position of the value at this path, or of its nearest existing ancestor. */
  placeOf(path: readonly PropertyKey[]): Place | null;
  /** Position of the key itself. */
  placeOfKey(path: readonly PropertyKey[]): Place | null;
}

export type YamlReading =
  | { readonly ok: true; readonly document: YamlDocument }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A limit against alias bombs: each alias may stand for a large part of the file. */
const MAX_ALIASES = 100;

/** Parses YAML 1.2 with positions. The library's own messages are not used: they quote lines, and so secrets. */
export function readYaml(text: string, file: string): YamlReading {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    logLevel: 'error',
  });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problem = (message: string, offset: number | null): Problem => ({
    file,
    ...(offset === null ? { line: null, column: null } : place(offset)),
    path: '',
    message,
  });

  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0)
    return {
      ok: false,
      problems: faults.map((fault) => problem(describeYamlError(fault.code, fault.message), fault.pos[0])),
    };
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return { ok: false, problems: [problem(EMPTY, null)] };
  if (!isMap(document.contents))
    return { ok: false, problems: [problem('must be a map of keys such as `sources:` and `pipelines:`', 0)] };
  const reserved = reservedKeys(document);
  if (reserved.length > 0)
    return {
      ok: false,
      problems: reserved.map((offset) =>
        problem('`__proto__` cannot be used as a key: choose another name', offset),
      ),
    };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { ok: true, document: withPlaces(document, value, file, place) };
  } catch {
    return {
      ok: false,
      problems: [
        problem(
          'uses aliases (`*name`) that are unknown, stand for themselves, or are too many: write the values out',
          null,
        ),
      ],
    };
  }
}

/** `__proto__` is special in JavaScript: everything below it would be lost silently. */
function reservedKeys(document: Document): number[] {
  const found: number[] = [];
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value === '__proto__') found.push(key.range?.[0] ?? 0);
    },
  });
  return found;
}

const EMPTY = 'is empty: run `kawaraban init` to have one written, or begin with `sources:` and `pipelines:`';

/** Converts errors of the parser to messages that say what to do. */
function describeYamlError(code: string, original: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'this key stands here a second time: keep one of them';
    case 'TAB_AS_INDENT':
      return 'a tab is used for indentation: use spaces';
    case 'BAD_SCALAR_START':
      return 'a value cannot start with this character: put the value in quotes, as in "@handle"';
    case 'MULTIPLE_DOCS':
      return 'a second document starts here: one file holds one configuration, so remove the line ---';
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return 'a key and its value are not told apart here: check the indentation, or put the value in quotes';
    case 'TAG_RESOLVE_FAILED':
      return 'a tag (!…) is used that means nothing here: remove it, or put the value in quotes';
    case 'BAD_ALIAS':
      return 'an alias (*) cannot stand here: put the value in quotes, as in "* * * * *"';
    case 'BAD_DQ_ESCAPE':
      return 'a backslash in "double quotes" starts an escape that does not exist: use \'single quotes\'';
    case 'MISSING_CHAR':
      return /quote/.test(original)
        ? 'a quote is opened and never closed: add the closing quote'
        : 'something is missing here: check brackets, quotes and colons';
    case 'BAD_INDENT':
      return /end with a/.test(original)
        ? 'a bracket is opened and not closed: add the closing ] or }'
        : 'the indentation does not fit the line above: align it';
    default:
      return 'this is not YAML: check indentation, colons, brackets and quotes around here';
  }
}

function withPlaces(
  document: Document,
  value: unknown,
  file: string,
  place: (offset: number) => Place,
): YamlDocument {
  const placeOfNode = (node: Node | null): Place | null => (node?.range ? place(node.range[0]) : null);
  return {
    file,
    value,
    placeOf: (path) => placeOfNode(nodeAt(document, path).value),
    placeOfKey: (path) => {
      const found = nodeAt(document, path);
      return placeOfNode(found.key ?? found.value);
    },
  };
}

interface Found {
  readonly key: Node | null;
  readonly value: Node | null;
}

function nodeAt(document: Document, path: readonly PropertyKey[]): Found {
  let found: Found = { key: null, value: document.contents as Node | null };
  for (const part of path) {
    const next = childAt(document, found.value, part);
    if (next === null) return found;
    found = next;
  }
  return found;
}

function childAt(document: Document, parent: Node | null, part: PropertyKey): Found | null {
  const node = isAlias(parent) ? (parent.resolve(document) ?? null) : parent;
  if (isSeq(node)) {
    const item = node.items[Number(part)];
    return item === undefined ? null : { key: null, value: item as Node };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find(
    (each) => isPair(each) && isScalar(each.key) && String(each.key.value) === String(part),
  );
  if (!pair) return null;
  const key = pair.key as Node;
  // An empty value has no useful position of its own: report its key.
  const empty = pair.value === null || (isScalar(pair.value) && pair.value.value === null);
  return { key, value: empty ? key : (pair.value as Node) };
}

const MAX_CONFIG_BYTES = 1024 * 1024;

export type ConfigFileReading =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: Problem };

/** The text of the file, or why it cannot be read. */
export function readConfigFile(path: string): ConfigFileReading {
  try {
    const facts = statSync(path);
    if (facts.isDirectory())
      return fileProblem(path, 'is a folder, not a file: name the YAML file inside it');
    if (!facts.isFile() && !facts.isFIFO()) return fileProblem(path, 'is not an ordinary file');
    if (facts.size > MAX_CONFIG_BYTES)
      return fileProblem(path, 'is larger than 1 MB: this is not a configuration');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    if (text.includes('\0'))
      return fileProblem(path, 'contains zero bytes, so it is not a text: save it as UTF-8');
    return { ok: true, text };
  } catch (error) {
    return fileProblem(path, readFailure(error));
  }
}

function readFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return 'does not exist: run `kawaraban init` to have one written';
  if (code === 'EACCES' || code === 'EPERM')
    return 'may not be read by this user: change its owner or its mode';
  if (error instanceof TypeError) return 'is not UTF-8: save it as UTF-8 in your editor';
  return `cannot be read (${String(code)})`;
}

function fileProblem(file: string, message: string): ConfigFileReading {
  return { ok: false, problem: { file, line: null, column: null, path: '', message } };
}
