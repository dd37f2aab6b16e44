import { isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { looksLikeToken, redactPath } from '../fetch/redact-url.ts';
import { MASK, maskSecrets } from '../telemetry/secrets.ts';
import { formatPath } from './problems.ts';

/** Stands where a secret stood. Valid inside an address, unlike the mask of the log. */
export const PLACEHOLDER = 'SECRET-NOT-IN-BACKUP';

export interface CleanedText {
  readonly text: string;
  /** Where a secret stood: `sources.herald.feed`, or `line 12` for a comment. */
  readonly removed: readonly string[];
}

/**
 * A configuration without what is, or may be, a secret: in addresses, in commands, in comments, and wherever a value is equal to a
 * registered secret. References (`{ env: NAME }`) stay. Everything else stays as it was written, comments included.
 */
export function configWithoutSecrets(text: string): CleanedText {
  const document = parseDocument(text, { merge: true, logLevel: 'silent' });
  const removed: string[] = [];
  const edits: Edit[] = [];
  const scalars: (readonly [from: number, to: number])[] = [];
  visit(document, {
    Scalar(key, node, ancestors) {
      if (!node.range) return;
      const [from, to] = node.range;
      scalars.push([from, to]);
      if (key === 'key' || typeof node.value !== 'string') return;
      const path = pathOf(ancestors, node);
      const clean = path.includes('command')
        ? cleanWord(node.value, wordBefore(ancestors.at(-1), node))
        : cleanValue(node.value);
      if (clean === node.value) return;
      edits.push({ from, to, text: JSON.stringify(clean) });
      removed.push(formatPath(path));
    },
  });
  for (const { from, to } of commentsOf(text, scalars)) {
    const comment = text.slice(from, to);
    const clean = cleanText(comment);
    if (clean === comment) continue;
    edits.push({ from, to, text: clean });
    removed.push(`line ${text.slice(0, from).split('\n').length}`);
  }
  // Numbered: two addresses that differed only in their secrets would be one.
  let n = 0;
  return { text: applied(text, edits).replaceAll(PLACEHOLDER, () => `${PLACEHOLDER}-${++n}`), removed };
}

/** A text such as a prompt: what looks like a secret is removed. */
export function textWithoutSecrets(text: string): string {
  return maskSecrets(text).replaceAll(MASK, PLACEHOLDER);
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function applied(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((all, edit) => all.slice(0, edit.from) + edit.text + all.slice(edit.to), text);
}

/** Everything from a `#` outside of keys and values to the end of its line. */
function* commentsOf(text: string, scalars: readonly (readonly [number, number])[]) {
  const inside = (at: number): boolean => scalars.some(([from, to]) => from <= at && at < to);
  let end = 0;
  for (const { index: from } of text.matchAll(/#/g)) {
    if (from < end || inside(from)) continue;
    const newline = text.indexOf('\n', from);
    end = newline === -1 ? text.length : newline;
    yield { from, to: end };
  }
}

const ADDRESS = /https?:\/\/[^\s"'<>`]+/g;

function cleanValue(value: string): string {
  return textWithoutSecrets(value.replace(ADDRESS, cleanAddress));
}

/** Of free text: also words that look like a token, and what follows `token=` or `password:`. */
function cleanText(text: string): string {
  const named = text.replace(
    /((?:token|secret|passw(?:or)?d|api[_-]?key|auth)\w*\s*[:=]\s*["']?)([^\s"',}\]]{6,})/gi,
    (whole, name: string, value: string) => (/^[{[(<]/.test(value) ? whole : `${name}${PLACEHOLDER}`),
  );
  return cleanValue(named).replace(/(?<![\w./~-])[\w~-]{16,}(?![\w./~-])/g, (word) =>
    word !== PLACEHOLDER && looksLikeToken(word) ? PLACEHOLDER : word,
  );
}

/** A word of a command; the word after `--token` is its value. */
function cleanWord(word: string, before: string): string {
  return /^--?[\w-]*(token|key|secret|passw|auth)[\w-]*$/i.test(before) ? PLACEHOLDER : cleanText(word);
}

function wordBefore(list: unknown, node: unknown): string {
  if (!isSeq(list)) return '';
  const before = list.items[list.items.indexOf(node) - 1];
  return isScalar(before) ? String(before.value) : '';
}

const SECRET_PARAMETER = /key|token|secret|passw|auth|sig|session|code|hash|credential/i;

function cleanAddress(written: string): string {
  const [, base = '', path = '', query = '', fragment = ''] =
    /^(https?:\/\/[^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/.exec(written) ?? [];
  const account = base.replace(/\/\/[^@/]*@/, `//${PLACEHOLDER}@`);
  const parameters = query.slice(1).split('&').map(cleanParameter).join('&');
  return `${account}${redactPath(path, PLACEHOLDER)}${query === '' ? '' : `?${parameters}`}${fragment}`;
}

function cleanParameter(parameter: string): string {
  const [name = '', ...rest] = parameter.split('=');
  const value = rest.join('=');
  if (rest.length === 0) return looksLikeToken(name) ? PLACEHOLDER : name;
  return value !== '' && (SECRET_PARAMETER.test(name) || looksLikeToken(value))
    ? `${name}=${PLACEHOLDER}`
    : parameter;
}

function pathOf(ancestors: readonly unknown[], node: unknown): PropertyKey[] {
  return ancestors.flatMap((ancestor, at): PropertyKey[] => {
    if (isPair(ancestor)) return isScalar(ancestor.key) ? [String(ancestor.key.value)] : [];
    return isSeq(ancestor) ? [ancestor.items.indexOf(ancestors[at + 1] ?? node)] : [];
  });
}
