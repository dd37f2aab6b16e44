import { describe, expect, it } from 'vitest';
import type { ItemKey } from './item.ts';
import { LABELLED } from './labelled-stories.fixture.ts';
import { StoryGroups, type Telling } from './story-group.ts';

const NOW = Date.UTC(2026, 10, 15);
const HOUR = 3_600_000;

interface Labelled {
  readonly telling: Telling;
  readonly story: number;
}

function labelled(): Labelled[] {
  const all = LABELLED.flatMap((lines, story) =>
    lines.map((line, n): Labelled => {
      const [title = '', text] = line.split(' || ');
      const key = `https://paper${n}.example/${story}` as ItemKey;
      return {
        story,
        telling: { key, title, publishedAt: NOW + n * HOUR, ...(text === undefined ? {} : { text }) },
      };
    }),
  );
  // In an order that keeps no group together.
  return all
    .map((one, index) => ({ one, at: (index * 7919) % all.length }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

function telling(key: string, title: string, changes: Partial<Telling> = {}): Telling {
  return { key: key as ItemKey, title, publishedAt: NOW, ...changes };
}

describe('the same story in several feeds', () => {
  it('X3 finds at least 0.8 of the pairs, and of those it finds at least 0.95 are right', ({ annotate }) => {
    const groups = new StoryGroups();
    const all = labelled();
    for (const { telling: one } of all) groups.add(one);
    const groupOf = new Map(all.map(({ telling: one }) => [one.key, groups.find(one.key)?.group]));
    let right = 0;
    let wrong = 0;
    let missed = 0;
    const errors: string[] = [];
    for (const [index, one] of all.entries()) {
      for (const other of all.slice(index + 1)) {
        const together = groupOf.get(one.telling.key) === groupOf.get(other.telling.key);
        const same = one.story === other.story;
        if (together && same) right++;
        else if (together) wrong++;
        else if (same) missed++;
        if (together !== same)
          errors.push(`${together ? 'wrong' : 'missed'}: ${one.telling.title} / ${other.telling.title}`);
      }
    }
    const precision = right / (right + wrong);
    const recall = right / (right + missed);
    const figures = `${all.length} tellings of ${LABELLED.length} stories: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`;
    console.log(`X3 ${figures}`);
    if (process.env.SHOW_ERRORS) console.log(errors.join('\n'));
    void annotate(figures);
    expect(LABELLED.length).toBeGreaterThanOrEqual(150);
    expect(precision, errors.join('\n')).toBeGreaterThanOrEqual(0.95);
    expect(recall, errors.join('\n')).toBeGreaterThanOrEqual(0.8);
  });

  it('X3 a telling joins its group as it comes, and the group knows them all', () => {
    const groups = new StoryGroups();
    const first = groups.add(telling('a', 'Ferry service between the islands resumes after storm'));
    expect(first).toMatchObject({ group: 'a', members: ['a'] });
    groups.add(telling('b', 'Quite another story about bread and yeast'));
    const joined = groups.add(
      telling('c', 'Ferry service between the islands resumes after storm | Coast Daily'),
    );
    expect(joined).toMatchObject({ group: 'a', members: ['a', 'c'], why: 'the same title' });
    expect(groups.find('a' as ItemKey)?.members).toEqual(['a', 'c']);
    expect(groups.find('z' as ItemKey)).toBeNull();
  });

  it('X3 the same key twice changes nothing', () => {
    const groups = new StoryGroups();
    groups.add(telling('a', 'Ferry service between the islands resumes'));
    expect(groups.add(telling('a', 'Quite another title')).members).toEqual(['a']);
    expect(groups.size).toBe(1);
  });

  it('X3 the same headline a week later is another story', () => {
    const groups = new StoryGroups();
    groups.add(telling('a', 'Parliament votes on the railway bill again'));
    const later = groups.add(
      telling('b', 'Parliament votes on the railway bill again', { publishedAt: NOW + 7 * 24 * HOUR }),
    );
    expect(later.group).toBe('b');
  });

  it('X3 a wrong merge can be undone, and nothing else changes', () => {
    const groups = new StoryGroups();
    for (const key of ['a', 'b', 'c'])
      groups.add(telling(key, 'Ferry service between the islands resumes after storm'));
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
      telling('a', 'Ferry service between the islands resumes after storm', { publishedAt: NOW - 48 * HOUR }),
    );
    groups.add(telling('b', 'Ferry service between the islands resumes after storm'));
    groups.add(telling('c', 'Ferry service between the islands resumes after the storm'));
    groups.add(telling('d', 'How to bake bread without yeast at home'));
    groups.forget(NOW - HOUR);
    expect(groups.size).toBe(3);
    expect(groups.find('a' as ItemKey)).toBeNull();
    expect(groups.find('c' as ItemKey)).toMatchObject({ group: 'b', members: ['b', 'c'] });
    expect(groups.add(telling('e', 'Ferry service between the islands resumes after storm')).members).toEqual(
      ['b', 'c', 'e'],
    );
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
    const started = performance.now();
    for (const [n, title] of strange.entries()) groups.add(telling(`s${n}`, title));
    for (const [n, title] of strange.entries()) groups.add(telling(`t${n}`, title));
    expect(groups.size).toBe(strange.length * 2);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
