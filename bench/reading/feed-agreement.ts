import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FeedDocument, FeedEntry } from '../../src/feeds/feed.ts';
import { PARSE_DEFAULTS, parseFeedDocument } from '../../src/feeds/parse-feed.ts';
import { plainText } from '../../src/feeds/plain-text.ts';
import { decodeText } from '../../src/fetch/text-encoding.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';

/**
 * Agreement with the tests of other readers of feeds, which are not shipped here: name their folders in `FEED_TESTS`, separated
 * by commas. The tests of Python's feedparser (`tests/` of its source package) state in each file what it must be read as;
 * those of KDE's Syndication (`autotests/`) have a file `name.expected` beside each feed. The fields that we have too
 * are compared.
 */
export async function feedAgreement({ log }: BenchOptions): Promise<readonly Result[]> {
  const folders = (process.env.FEED_TESTS ?? '').split(',').filter((folder) => folder !== '');
  if (folders.length === 0)
    log('skipped: agreement with the tests of other readers; name their folders in FEED_TESTS');
  return folders.flatMap((folder) => agreement(folder, log));
}

function agreement(folder: string, log: (line: string) => void): Result[] {
  if (!existsSync(folder)) throw new Error(`FEED_TESTS names ${folder}, which does not exist`);
  const counts = new Map<string, { right: number; all: number }>();
  const total = { right: 0, all: 0 };
  const deliberate = new Map<string, number>();
  for (const file of xmlFiles(folder)) {
    const checks = existsSync(`${file}.expected`)
      ? recordedChecks(file)
      : checksOf(readFileSync(file), relative(folder, file));
    for (const check of checks) {
      const why = check.isRight ? undefined : deliberateDifference(relative(folder, file), check);
      if (why !== undefined) {
        deliberate.set(why, (deliberate.get(why) ?? 0) + 1);
        continue;
      }
      const count = counts.get(check.field) ?? { right: 0, all: 0 };
      counts.set(check.field, count);
      for (const sum of [count, total]) {
        sum.all++;
        if (check.isRight) sum.right++;
      }
      if (!check.isRight && process.env.FEED_TESTS_SHOW !== undefined)
        log(`${relative(folder, file)} ${check.field}: ${shown(check.ours)}, not ${shown(check.expected)}`);
    }
  }
  for (const [why, count] of deliberate) log(`deliberate difference, ${count} checks: ${why}`);
  const lines = [...counts].sort(([, a], [, b]) => b.all - a.all);
  return [...lines, ['all fields', total] as const].map(([field, { right, all }]) =>
    result({
      name: `feeds of ${folder}: ${field}, agreement in ${all} checks`,
      ours: (100 * right) / all,
      unit: '%',
      goal: field === 'all fields' ? 'at least 98%' : '–',
      met: field !== 'all fields' || right / all >= 0.98,
    }),
  );
}

interface Check {
  readonly field: string;
  readonly expected: string;
  readonly ours: string | null;
  readonly isRight: boolean;
}

function xmlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.xml') && !/^(?:http|compression)\b/.test(file))
    .map((file) => join(folder, file))
    .toSorted();
}

const EXPECTED =
  /\b(feed|entries\[(\d+)\])((?:\[['"]?\w+['"]?\]|\.(?!get\b)\w+)+)\s*==\s*(u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*"|\([\d, ]+\))(?!\s*[+'"%])/g;

function* checksOf(bytes: Buffer, file: string): Generator<Check> {
  const header = /Header:\s*content-type:\s*([^\r\n]+)/i.exec(bytes.toString('latin1'))?.[1];
  const { text } = decodeText(bytes, header, { xml: true });
  const expectation = /Expect:\s*(.*?)\s*(?:-->|\n\w+:)/s.exec(text)?.[1];
  if (expectation === undefined) return;
  const url = `http://127.0.0.1:8097/tests/${file}`;
  const reading = parseFeedDocument(text, { ...PARSE_DEFAULTS, url });
  const feed = reading.outcome === 'feed' ? reading.feed : null;
  for (const [, place = '', index, path = '', literal = ''] of expectation.matchAll(EXPECTED)) {
    const names = [...path.matchAll(/\w+/g)].map(([name]) => name);
    const expected = unquoted(literal);
    const found =
      place === 'feed' ? ofFeed(feed, names) : ofEntry(feed?.entries[Number(index)] ?? null, names);
    if (found !== undefined) yield { ...found, expected, isRight: isSame(found.field, found.ours, expected) };
  }
}

function ofFeed(
  feed: FeedDocument | null,
  names: readonly string[],
): { readonly field: string; readonly ours: string | null } | undefined {
  switch (names.join('.')) {
    case 'title':
    case 'title_detail.value':
      return { field: 'title of the feed', ours: feed?.title ?? null };
    case 'link':
      return { field: 'link of the feed', ours: feed?.home ?? null };
    case 'language':
      return { field: 'language of the feed', ours: feed?.language ?? null };
  }
  return undefined;
}

function ofEntry(
  entry: FeedEntry | null,
  names: readonly string[],
): { readonly field: string; readonly ours: string | null } | undefined {
  const [list, at, part] = names;
  if (list === 'enclosures' && at !== undefined && part !== undefined) {
    const enclosure = entry?.enclosures[Number(at)];
    if (part === 'href' || part === 'url') return { field: 'enclosure', ours: enclosure?.url ?? null };
    if (part === 'type') return { field: 'enclosure', ours: enclosure?.type ?? null };
    if (part === 'length') return { field: 'enclosure', ours: String(enclosure?.lengthBytes ?? '') };
  }
  switch (names.join('.')) {
    case 'title':
    case 'title_detail.value':
      return { field: 'title', ours: entry?.title ?? null };
    case 'link':
      return { field: 'link', ours: entry?.link ?? null };
    case 'id':
    case 'guid':
      return { field: 'id', ours: entry?.id ?? null };
    case 'author':
    case 'author_detail.name':
    case 'authors.0.name':
      return { field: 'author', ours: entry?.author ?? null };
    case 'published_parsed':
    case 'updated_parsed':
    case 'created_parsed':
      return { field: 'date', ours: entry?.publishedAt ? new Date(entry.publishedAt).toISOString() : null };
    case 'summary':
    case 'description':
    case 'summary_detail.value':
    case 'content.0.value':
      return { field: 'text', ours: entry?.text ?? null };
  }
  return undefined;
}

/** Texts are compared as a person reads them. */
function isSame(field: string, ours: string | null, expected: string): boolean {
  const mine = (ours ?? '').replace(/\s+/g, ' ').trim();
  const plain = plainText(expected, PARSE_DEFAULTS.textLimit);
  const literal = expected.replace(/\s+/g, ' ').trim().slice(0, PARSE_DEFAULTS.textLimit);
  switch (field) {
    case 'date': {
      const [year = 0, month = 1, day, hour, minute, second] = expected.split(',').map(Number);
      return Date.parse(mine) === Date.UTC(year, month - 1, day, hour, minute, second);
    }
    case 'author':
      // We show the name only.
      return mine === literal || (mine !== '' && literal.startsWith(`${mine} (`));
    default:
      return mine === plain || mine === literal;
  }
}

/** The value of a literal of Python: a text, or a tuple of numbers separated by commas. */
function unquoted(literal: string): string {
  if (literal.startsWith('(')) return literal.slice(1, -1);
  return literal
    .replace(/^u?['"]|['"]$/g, '')
    .replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|(.))/gis, (_all, wide, narrow, other: string) => {
      if (wide ?? narrow) return String.fromCharCode(Number.parseInt(wide ?? narrow, 16));
      return other === 'n' ? '\n' : other === 't' ? '\t' : other;
    });
}

function shown(value: string | null): string {
  return JSON.stringify(value)?.slice(0, 160) ?? 'nothing';
}

/** A value of a record: `title: #…#`, until the next value or block. */
const RECORDED = /^(\w+): #([\s\S]*?)#$(?=\n(?:# \w+ (?:begin|end) #|\w+: #|$))/gm;

/** What KDE's Syndication records of a feed, in a file beside it. */
function* recordedChecks(file: string): Generator<Check> {
  const { text } = decodeText(readFileSync(file), undefined, { xml: true });
  const reading = parseFeedDocument(text, { ...PARSE_DEFAULTS, url: 'http://127.0.0.1/feed' });
  const feed = reading.outcome === 'feed' ? reading.feed : null;
  const [head = '', ...items] = readFileSync(`${file}.expected`, 'utf8').split(/^# Item begin #+\n/m);
  const check = (field: string, ours: string | null | undefined, expected: string | undefined): Check[] =>
    expected === undefined || expected === ''
      ? []
      : [{ field, ours: ours ?? null, expected, isRight: isRecorded(field, ours ?? '', expected) }];
  yield* check('items', `${feed?.entries.length ?? 0}`, `${items.length}`);
  const channel = recorded(head);
  yield* check('title of the feed', feed?.title, channel.get('title'));
  yield* check('link of the feed', feed?.home, channel.get('link'));
  yield* check('language of the feed', feed?.language, channel.get('language'));
  for (const [index, item] of items.entries()) {
    const values = recorded(item);
    // The order of RDF items may be another one.
    const id = values.get('id');
    const entry = feed?.entries.find((each) => (each.id ?? each.link) === id) ?? feed?.entries[index];
    const published = entry?.publishedAt ? new Date(entry.publishedAt).toISOString() : null;
    const date = values.get('datePublished');
    yield* check('title', entry?.title, values.get('title'));
    yield* check('link', entry?.link, values.get('link'));
    yield* check('id', entry?.id ?? entry?.link, id?.startsWith('hash:') ? '' : id);
    yield* check('date', published, date && new Date(`${date} UTC`).toISOString());
    // The content is read by the article reader; the text of an entry may be either.
    const texts = [values.get('description'), values.get('content')].filter((text) => text !== undefined);
    const text = texts.find((each) => isRecorded('text', entry?.text ?? '', each)) ?? texts[0];
    yield* check('text', entry?.text, text);
    yield* check('author', entry?.author, namesIn(item, 'Person', 'name').join(', '));
    for (const address of namesIn(item, 'Enclosure', 'url'))
      yield* check('enclosure', entry?.enclosures.find(({ url }) => url === address)?.url, address);
  }
}

/** The values before the first block of a person, a category or a file. */
function recorded(block: string): ReadonlyMap<string, string> {
  const own = block.split(/^# (?:Person|Category|Image|Enclosure) begin/m)[0] ?? '';
  return new Map([...own.matchAll(RECORDED)].map(([, name = '', value = '']) => [name, value]));
}

function namesIn(item: string, block: string, name: string): string[] {
  const blocks = [...item.matchAll(new RegExp(`^# ${block} begin #+\\n([\\s\\S]*?)# ${block} end`, 'gm'))];
  return blocks.flatMap(([, text = '']) => recorded(`${text}\n`).get(name) ?? []);
}

/** White space may differ, and a date of a second has no fraction. Of a long text the beginning is compared. */
function isRecorded(field: string, ours: string, expected: string): boolean {
  const bare = (text: string): string => text.replace(/\s+/g, '').slice(0, 500);
  if (bare(ours) === bare(expected) || isSame(field === 'date' ? '' : field, ours, expected)) return true;
  if (field === 'date') return ours.slice(0, 19) === expected.slice(0, 19);
  if (field.startsWith('link')) return ours === URL.parse(expected)?.href;
  return bare(ours) === bare(plainText(expected, PARSE_DEFAULTS.textLimit));
}

/** Why a check that fails is not a fault; see docs/guides/quality.md. */
const DELIBERATE: readonly (readonly [file: RegExp, field: RegExp, why: string])[] = [
  [/^encoding\/x80_/, /./, 'encodings that the Encoding standard of the web does not have'],
  [
    /^(?:arstechnica|corante)|\/(?:arstechnica|corante)/,
    /^link$/,
    'the address of the article counts, not the one that counts its readers',
  ],
  [/zeit\.de\.xml$/, /^link$/, 'a link that begins with a slash is resolved on the host'],
  [/authors_(?:and_contributors|priority)/, /^author$/, 'contributors are no authors'],
  [/security_debian/, /^date$/, 'a date without a time is midnight, not noon'],
  [
    /desc-d\.xml$/,
    /^text$/,
    'what is neither valid in its encoding nor in the declared one is shown as a replacement',
  ],
  [
    /schockwellenreiter/,
    /^text$/,
    'control characters of Windows are read as the quotation marks that they mean',
  ],
  [/\bcdf\//, /./, 'the Channel Definition Format is not read'],
  [/content_location|http_content_language/, /./, 'headers of the response are no part of a feed'],
  [/./, /^id$/, 'an ID is kept as it was written'],
  [/authors_name|multiple_dc_creator/, /^author$/, 'all authors are named, not only the first'],
  [/multiple_values/, /^date$/, 'the first of several dates counts'],
  [/_and_(?:summary|description)/, /^text$/, 'the content is shown, not the summary beside it'],
  [
    /xml_malicious_comment|nested_cdata|linenoise/,
    /./,
    'markup without an end hides what follows, as in browsers',
  ],
];

function deliberateDifference(file: string, { field }: Check): string | undefined {
  return DELIBERATE.find(([files, fields]) => files.test(file) && fields.test(field))?.[2];
}
