import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import { StoryGroups, type StoryItem } from './same-story.ts';
import { PairDecisions } from './story-decisions.ts';

const [A, B, C] = ['a', 'b', 'c'] as ItemKey[] as [ItemKey, ItemKey, ItemKey];
const FERRY = 'Ferry service between the islands resumes after storm';
const BREAD = 'How to bake bread without yeast at home';
/** The rules leave it apart from `FERRY`, but not by much. */
const SIMILAR = 'Boats to the islands resume after storm';

function item(key: ItemKey, title: string): StoryItem {
  return { key, title, publishedAt: 0 };
}

describe('decisions about pairs', () => {
  it('X3 what is decided to be different is not merged, whatever the rules say', () => {
    const groups = new StoryGroups({ decisions: new PairDecisions([[A, C, 'different']]) });
    groups.add(item(A, FERRY));
    groups.add(item(B, FERRY));
    expect(groups.add(item(C, FERRY)).members).toEqual([C]);
    expect(groups.find(A)?.members).toEqual([A, B]);
    expect(groups.join(B, C, 'second opinion')).toBe(false);
  });

  it('X3 what is decided to be the same is merged, and says so', () => {
    const groups = new StoryGroups({ decisions: new PairDecisions([[A, B, 'same']]) });
    groups.add(item(A, FERRY));
    const placed = groups.add(item(B, BREAD));
    expect(placed.members).toEqual([A, B]);
    expect(placed.reason).toMatchObject({ with: A, by: 'decision', common: { names: [], words: [] } });
  });

  it('X3 a decision replaces a merge by the rules', () => {
    const decisions = new PairDecisions([
      [C, A, 'same'],
      [C, B, 'different'],
    ]);
    const groups = new StoryGroups({ decisions });
    groups.add(item(A, FERRY));
    groups.add(item(B, FERRY));
    expect(groups.add(item(C, BREAD)).members).toEqual([A, C]);
    expect(groups.find(B)?.members).toEqual([B]);
  });

  it.each([
    [true, [A, B], 'second opinion'],
    [false, [B], undefined],
    [null, [B], undefined],
  ] as const)('X3 a pair in doubt is decided by a second opinion: %s', (answer, members, by) => {
    const groups = new StoryGroups({ decideDoubt: () => answer });
    groups.add(item(A, FERRY));
    const placed = groups.add(item(B, SIMILAR));
    expect(placed.members).toEqual(members);
    expect(placed.reason?.by).toBe(by);
    expect(placed.doubts.map(({ other }) => other.key)).toEqual(answer === null ? [A] : []);
  });

  it('X3 a slow second opinion joins the groups later', () => {
    const groups = new StoryGroups();
    groups.add(item(A, FERRY));
    groups.add(item(C, FERRY));
    const [doubt] = groups.add(item(B, SIMILAR)).doubts;
    expect(doubt?.verdict).toMatchObject({ verdict: 'in doubt' });
    expect(groups.join(B, doubt?.other.key ?? A, 'second opinion')).toBe(true);
    expect(groups.find(B)).toMatchObject({ members: [A, C, B], reason: { by: 'second opinion' } });
    expect(groups.join(B, 'z' as ItemKey, 'second opinion')).toBe(false);
  });
});
