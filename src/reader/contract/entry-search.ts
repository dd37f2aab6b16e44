import { expect, it } from 'vitest';
import { type EntryStoreSubject, newEntry, T0 } from './entry-store-subject.ts';

/** Full-text search. */
export function searchCases(subject: EntryStoreSubject): void {
  it('R12 finds words of title, text, excerpt, source and author, whatever their case and accents', async () => {
    await subject.add('Émile Zola’s Café', {
      author: 'Jo Öster',
      excerpt: 'Short words',
      sourceName: 'The Daily Planet',
    });
    await subject.add('Second', {
      sourceId: 'b',
      sourceName: 'B',
      content: '<p>Kubernetes&amp;Docker <b>bold</b>ly</p><p>Привет, мир</p>',
    });
    for (const text of ['emile', 'ZOLA', 'cafe', 'café', 'öster', 'oster jo', 'daily', 'short words'])
      expect(await subject.titles({ text }), text).toEqual(['Émile Zola’s Café']);
    for (const text of ['kubernetes', 'docker', 'boldly', 'привет', 'ПРИВЕТ мир'])
      expect(await subject.titles({ text }), text).toEqual(['Second']);
    for (const text of ['kubern', 'cafe docker', 'missing', 'p', 'amp'])
      expect(await subject.titles({ text }), text).toEqual([]);
  });

  it('R12 finds phrases, and leaves out what has an unwanted word', async () => {
    await subject.add('The quick brown fox', { publishedAt: T0 - 1 });
    await subject.add('The brown quick dog', { publishedAt: T0 - 2 });
    expect(await subject.titles({ text: 'brown quick' })).toHaveLength(2);
    expect(await subject.titles({ text: '"quick brown"' })).toEqual(['The quick brown fox']);
    expect(await subject.titles({ text: 'the "brown quick"' })).toEqual(['The brown quick dog']);
    expect(await subject.titles({ text: 'quick -fox' })).toEqual(['The brown quick dog']);
    expect(await subject.titles({ text: 'quick -"quick brown"' })).toEqual(['The brown quick dog']);
    expect(await subject.titles({ text: '-fox' })).toEqual(['The brown quick dog']);
    expect(await subject.titles({ text: '"brown fox' })).toEqual(['The quick brown fox']);
  });

  it('R12 finds Japanese words of one, two and more letters, also inside of others', async () => {
    await subject.add('東京都の天気', { publishedAt: T0 - 1 });
    await subject.add('AI研究が進む京都', { publishedAt: T0 - 2 });
    await subject.add('ｶﾀｶﾅのテスト', { publishedAt: T0 - 3, content: '<p>全文はこちら。猫</p>' });
    const expected: Record<string, string[]> = {
      東京: ['東京都の天気'],
      東京都: ['東京都の天気'],
      京都: ['東京都の天気', 'AI研究が進む京都'],
      京: ['東京都の天気', 'AI研究が進む京都'],
      気: ['東京都の天気'],
      '天気 東京': ['東京都の天気'],
      '京都 -天気': ['AI研究が進む京都'],
      ai: ['AI研究が進む京都'],
      AI研究: ['AI研究が進む京都'],
      カタカナ: ['ｶﾀｶﾅのテスト'],
      猫: ['ｶﾀｶﾅのテスト'],
      全文: ['ｶﾀｶﾅのテスト'],
      都東: [],
      犬: [],
    };
    for (const [text, titles] of Object.entries(expected))
      expect(await subject.titles({ text }), text).toEqual(titles);
  });

  it('R12 combines with source, time and state, over all pages', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 12; n++)
      ids.push(
        await subject.add(`Rust ${n}`, { sourceId: n % 2 === 0 ? 'a' : 'b', publishedAt: T0 - 10 * n }),
      );
    await subject.add('Zig');
    await subject.change({ kind: 'read', ids: ids.slice(0, 6) });
    await subject.change({ kind: 'star', ids: ids.slice(4, 8) });
    const text = 'rust';
    expect(await subject.titles({ text, sourceIds: ['b'], unread: true })).toEqual([
      'Rust 7',
      'Rust 9',
      'Rust 11',
    ]);
    expect(await subject.titles({ text, starred: true, unread: true })).toEqual(['Rust 6', 'Rust 7']);
    expect(await subject.titles({ text, starred: true }, 'ann', 'oldest')).toEqual([
      'Rust 7',
      'Rust 6',
      'Rust 5',
      'Rust 4',
    ]);
    expect(await subject.titles({ text, since: T0 - 20, before: T0 })).toEqual(['Rust 1', 'Rust 2']);
    expect((await subject.paged({ text }, 5)).map((page) => page.length)).toEqual([5, 5, 2]);
    expect((await subject.paged({ text }, 5)).flat()).toEqual(ids.map((_, n) => `Rust ${n}`));
  });

  it('R12 R9 a story is found once, by the first entry that has the words', async () => {
    const one = await subject.add('Launch today');
    await subject.add('Rocket launch', { sourceId: 'b', story: one });
    await subject.add('Rocket launch succeeds', { sourceId: 'c', story: one });
    expect(await subject.titles({ text: 'launch' })).toEqual(['Launch today']);
    expect(await subject.titles({ text: 'rocket' })).toEqual(['Rocket launch']);
    expect(await subject.titles({ text: 'launch', sourceIds: ['c'] })).toEqual(['Rocket launch succeeds']);
  });

  it('R12 finds the words of edits, of saved texts and of further sources', async () => {
    const id = await subject.add('Before', { sourceName: 'Alpha' });
    await subject.store.add([newEntry('After', { key: newEntry('Before').key })], T0, () => null);
    expect(await subject.titles({ text: 'before' })).toEqual([]);
    expect(await subject.titles({ text: 'after' })).toEqual(['After']);
    await subject.store.saveText(id, {
      html: '<h1>Heading</h1><p>extracted</p>',
      origin: 'page',
      byline: null,
      fetchedAt: T0,
    });
    expect(await subject.titles({ text: 'heading extracted' })).toEqual(['After']);
    const key = newEntry('Before').key;
    await subject.store.add([newEntry('x', { key, sourceId: 'b', sourceName: 'Beta' })], T0, () => null);
    expect(await subject.titles({ text: 'beta extracted after' })).toEqual(['After']);
    expect(await subject.titles({ text: 'extracted', sourceIds: ['b'] })).toEqual(['After']);
  });

  it('R12 R26 finds entries by the name that their source has now, in order over all pages', async () => {
    const expected: string[] = [];
    for (let n = 0; n < 130; n++) {
      const isRenamed = n % 2 === 0;
      const title = isRenamed
        ? `Renamed ${n} ${n % 20 === 0 ? 'tides' : ''}`
        : `Other ${n} ${n % 3 === 0 ? 'harbour' : ''}`;
      if (isRenamed || n % 3 === 0) expected.push(title);
      await subject.add(title, {
        sourceId: isRenamed ? 'a' : 'b',
        sourceName: isRenamed ? 'Old Gazette' : 'B',
        publishedAt: T0 - n,
      });
    }
    const sourceNames = new Map([
      ['a', '港町 Harbour Post'],
      ['b', 'B'],
      ['unknown', 'Harbour'],
    ]);
    const renamed = expected.filter((title) => title.startsWith('Renamed'));
    expect((await subject.paged({ text: 'harbour', sourceNames }, 30)).flat()).toEqual(expected);
    for (const text of ['"harbour post"', '港', '港町', 'gazette', 'post -other'])
      expect((await subject.paged({ text, sourceNames }, 30)).flat(), text).toEqual(renamed);
    expect(await subject.titles({ text: 'tides harbour', sourceNames })).toEqual(
      renamed.filter((title) => title.endsWith('tides')),
    );
    expect(await subject.titles({ text: 'renamed -harbour', sourceNames })).toEqual([]);
    expect(await subject.titles({ text: 'post', sourceNames, sourceIds: ['b'] })).toEqual([]);
    expect(await subject.titles({ text: 'post' })).toEqual([]);
  });

  it('R12 no text is an error, and one without any word finds nothing', async () => {
    await subject.add('NEAR AND OR NOT title:x* ^a {b} (c)');
    for (const text of ['"', '-', '""', '*', '(', ' - "" ', '!?', '\u0000'])
      expect(await subject.titles({ text }), text).toEqual([]);
    expect(await subject.titles({ text: 'NOT near' })).toHaveLength(1);
    expect(await subject.titles({ text: 'title:x' })).toHaveLength(1);
    expect(await subject.titles({ text: '  ' })).toHaveLength(1);
    expect(await subject.titles({ text: 'word '.repeat(2_000) })).toEqual([]);
  });
}
