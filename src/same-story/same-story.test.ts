import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import { StoryGroups, type StoryItem } from './same-story.ts';

const NOW = Date.UTC(2026, 10, 15);
const HOUR = 3_600_000;

function item(key: string, title: string, changes: Partial<StoryItem> = {}): StoryItem {
  return { key: key as ItemKey, title, publishedAt: NOW, ...changes };
}

describe('the same story in several feeds', () => {
  it('X3 an item joins its group as it arrives, and the group lists them all', () => {
    const groups = new StoryGroups();
    const first = groups.add(item('a', 'Ferry service between the islands resumes after storm'));
    expect(first).toMatchObject({ group: 'a', members: ['a'] });
    groups.add(item('b', 'Quite another story about bread and yeast'));
    const joined = groups.add(
      item('c', 'Ferry service between the islands resumes after storm | Coast Daily'),
    );
    expect(joined).toMatchObject({ group: 'a', members: ['a', 'c'], reason: { with: 'a', by: 'rules' } });
    expect(groups.find('a' as ItemKey)?.members).toEqual(['a', 'c']);
    expect(groups.find('z' as ItemKey)).toBeNull();
  });

  it('X3 the same key twice changes nothing', () => {
    const groups = new StoryGroups();
    groups.add(item('a', 'Ferry service between the islands resumes'));
    expect(groups.add(item('a', 'Quite another title')).members).toEqual(['a']);
    expect(groups.size).toBe(1);
  });

  it('X3 the same headline a week later is another story', () => {
    const groups = new StoryGroups();
    groups.add(item('a', 'Parliament votes on the railway bill again'));
    const later = groups.add(
      item('b', 'Parliament votes on the railway bill again', { publishedAt: NOW + 7 * 24 * HOUR }),
    );
    expect(later.group).toBe('b');
  });

  it.each([
    ['Ransomware at Wexcombe hospital: attackers came through a forgotten account', 'Wexcombe', 'Tarrow'],
    ['Larkfield open-sources a replication checker for PostgreSQL and SQLite', 'Larkfield', 'Corrin Data'],
    ['Weekly report 12: what changed in the standard library', '12', '13'],
    ['Reusable rocket stage lands at sea for the 32nd time', '32nd', '33rd'],
    ['千鳥ソフト、データベース複製の差分検査ツールをオープンソースに', '千鳥ソフト', '白波データ'],
    ['瀬ノ浦の病院で身代金ウイルス被害　退職者のアカウントから侵入', '瀬ノ浦', '雲井'],
    ['漏えい等の報告の受付状況について（六月分）', '六月', '七月'],
  ])('X3 "%s" is another story with "%s" changed to "%s", though the texts agree', (title, name, another) => {
    const groups = new StoryGroups();
    const text =
      'The tool reads two copies, and reports the first range in which they differ. 詳細は次のとおり。';
    groups.add(item('a', title, { text }));
    expect(groups.add(item('b', title, { text })).group).toBe('a');
    expect(groups.add(item('c', title.replace(name, another), { text })).group).toBe('c');
  });

  it.each([
    ['Strong quake shakes the northern coast before dawn', 'Strong quake shakes the northern coast at dawn'],
    ['首相、予算案の修正を表明　野党と協議へ', '首相、予算案の修正を発表　野党と協議へ'],
  ])('X3 another wording is no other story: "%s", "%s"', (one, other) => {
    const groups = new StoryGroups();
    groups.add(item('a', one));
    expect(groups.add(item('b', other)).group).toBe('a');
  });

  it('X3 a wrong merge can be undone, and nothing else changes', () => {
    const groups = new StoryGroups();
    for (const key of ['a', 'b', 'c'])
      groups.add(item(key, 'Ferry service between the islands resumes after storm'));
    groups.separate('a' as ItemKey);
    expect(groups.find('a' as ItemKey)?.members).toEqual(['a']);
    expect(groups.find('b' as ItemKey)).toMatchObject({ group: 'b', members: ['b', 'c'] });
    groups.separate('c' as ItemKey);
    groups.separate('z' as ItemKey);
    expect(groups.find('b' as ItemKey)?.members).toEqual(['b']);
  });

  it('X3 forgets what is old and keeps the groups of the rest', () => {
    const groups = new StoryGroups();
    groups.add(
      item('a', 'Ferry service between the islands resumes after storm', { publishedAt: NOW - 48 * HOUR }),
    );
    groups.add(item('b', 'Ferry service between the islands resumes after storm'));
    groups.add(item('c', 'Ferry service between the islands resumes after the storm'));
    groups.add(item('d', 'How to bake bread without yeast at home'));
    groups.removeOlderThan(NOW - HOUR);
    expect(groups.size).toBe(3);
    expect(groups.find('a' as ItemKey)).toBeNull();
    expect(groups.find('c' as ItemKey)).toMatchObject({ group: 'b', members: ['b', 'c'] });
    expect(groups.add(item('e', 'Ferry service between the islands resumes after storm')).members).toEqual([
      'b',
      'c',
      'e',
    ]);
  });

  it('X3 empty, endless and strange titles break nothing', () => {
    const groups = new StoryGroups();
    const strange = [
      '',
      ' ',
      '!!!',
      '🎉',
      '1',
      '。',
      'a'.repeat(1e6),
      '日'.repeat(1e6),
      '- '.repeat(1e5),
      '\ud800',
      '|'.repeat(1e5),
      '(('.repeat(1e5),
    ];
    for (const [n, title] of strange.entries()) groups.add(item(`s${n}`, title));
    for (const [n, title] of strange.entries()) groups.add(item(`t${n}`, title));
    expect(groups.size).toBe(strange.length * 2);
  });
});
