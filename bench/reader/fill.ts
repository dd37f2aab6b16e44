import { DatabaseSync } from 'node:sqlite';
import { searchLetters, searchWords } from '../../src/reader/search-text.ts';
import { SqliteEntryStore } from '../../src/storage/sqlite/reader/entry-store.ts';
import { DAY } from '../../src/time/duration.ts';
import { seeded } from '../../test/seeded-random.ts';

export const SOURCES = 1_000;
/** Occur in about a quarter of the entries, in one of a few thousand, and in one of ten Japanese titles. */
export const COMMON = ['w10', 'w12'] as const;
export const RARE = 'w30000';
export const JAPANESE = '経済';
export const JAPANESE_LETTER = '湖';

const DAYS = 90;
const VOCABULARY = 50_000;
const NOUNS =
  '東京 経済 政府 会社 天気 新聞 地震 選手 映画 音楽 研究 大学 電車 市場 銀行 湖畔 技術 開発 言語 公開'.split(
    ' ',
  );
const ID_EPOCH = Date.UTC(2020, 0, 1);

export function sourceId(no: number): string {
  return `source-${no}`;
}

/**
 * Writes entries of the last 90 days into a file of the reader, by its own tables: a million in a minute or two. One in seven belongs to
 * a story of three sources, and one in ten is Japanese.
 */
export async function fillReader(path: string, entries: number, now: number): Promise<void> {
  await new SqliteEntryStore(path)[Symbol.asyncDispose]();
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  try {
    const insert = {
      source: db.prepare('INSERT INTO sources (no, id, name) VALUES (?, ?, ?)'),
      entry:
        db.prepare(`INSERT INTO entries (ord, id, key, story, shared, sources, url, title, excerpt, language,
        published_at, arrived_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
      carried: db.prepare('INSERT INTO carried (source, ord, seq, story, shared) VALUES (?, ?, ?, ?, ?)'),
      words: db.prepare(
        'INSERT INTO search (rowid, words, letters, scope) VALUES (CAST(? AS INTEGER), ?, ?, ?)',
      ),
    };
    const random = seeded(19);
    db.exec('BEGIN');
    for (let no = 1; no <= SOURCES; no++) insert.source.run(no, sourceId(no), `Source ${no}`);
    let story = 0;
    for (let n = 0; n < entries; n++) {
      const publishedAt = Math.round(now - DAYS * DAY * (1 - n / entries));
      const id = (publishedAt - ID_EPOCH) * 4_096 + (n % 16);
      const ord = publishedAt * 2_048 + (n % 16);
      const inStory = n % 20;
      const shared = inStory < 3 ? 1 : 0;
      if (inStory === 0 || shared === 0) story = id;
      const source = ((Math.floor(n / 20) * 7 + inStory * 331 + Math.floor(random() * 3)) % SOURCES) + 1;
      const url = `https://site-${source}.example/articles/${n}`;
      const japanese = n % 10 === 5;
      const title = japanese ? japaneseText(random, 4) : englishText(random, 8);
      const excerpt = japanese ? japaneseText(random, 12) : englishText(random, 20);
      insert.entry.run(
        ord,
        id,
        url,
        story,
        shared,
        `[${source}]`,
        url,
        title,
        excerpt,
        japanese ? 'ja' : 'en',
        publishedAt,
        publishedAt,
      );
      insert.carried.run(source, ord, id, story, shared);
      const words = japanese
        ? `${searchWords(title).join(' ')} ${searchWords(excerpt).join(' ')}`
        : `${title} ${excerpt}`;
      insert.words.run(
        ord,
        `source ${source} ${words}`,
        japanese ? searchLetters(`${title} ${excerpt}`).join(' ') : '',
        `every s${source}`,
      );
      if (n % 20_000 === 19_999) db.exec('COMMIT; BEGIN');
    }
    db.prepare('UPDATE numbers SET last = ?').run((now - ID_EPOCH) * 4_096);
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize');
  } finally {
    db.close();
  }
}

/** Words by Zipf's law: the nth word is n times rarer than the first. */
function englishText(random: () => number, words: number): string {
  const text: string[] = [];
  for (let n = 0; n < words; n++) text.push(`w${Math.floor(VOCABULARY ** random())}`);
  return text.join(' ');
}

function japaneseText(random: () => number, words: number): string {
  let text = '';
  for (let n = 0; n < words; n++) text += `${NOUNS[Math.floor(NOUNS.length * random() ** 2)] ?? ''}の`;
  return text;
}
