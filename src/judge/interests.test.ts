import { describe, expect, it } from 'vitest';
import type { JudgedItem } from './interests.ts';
import { interestsDiff, interestsOf } from './interests.ts';

describe('interests', () => {
  it('A2 the version changes with topics, aliases and priorities, not with their order', () => {
    const one = interestsOf([
      { topic: 'a', aliases: ['x', 'y'] },
      { topic: 'b', priority: 'high' },
    ]);
    expect(
      interestsOf([
        { topic: 'b', priority: 'high' },
        { topic: 'a', aliases: ['y', 'x'] },
      ]).version,
    ).toBe(one.version);
    for (const other of [
      [
        { topic: 'a', aliases: ['x'] },
        { topic: 'b', priority: 'high' as const },
      ],
      [{ topic: 'a', aliases: ['x', 'y'] }, { topic: 'b' }],
      [{ topic: 'a', aliases: ['x', 'y'] }],
    ]) {
      expect(interestsOf(other).version).not.toBe(one.version);
    }
  });

  it('A2 medium is the default, and empty or doubled aliases are dropped', () => {
    expect(interestsOf([{ topic: ' a ', aliases: ['x', 'x', ' ', 'a'] }]).topics).toEqual([
      { topic: 'a', aliases: ['x'], priority: 'medium' },
    ]);
  });
});

describe('interests diff', () => {
  const before = interestsOf([{ topic: 'Rust', priority: 'high' }, { topic: 'tea' }]);
  const item = (
    key: string,
    topics: string[] | null,
    state: JudgedItem['state'] = 'waiting',
  ): JudgedItem => ({
    key,
    title: key,
    state,
    verdict: topics === null ? null : { score: 50, topics, interestsVersion: before.version },
  });
  const items = [
    item('rust', ['Rust']),
    item('tea', ['tea'], 'rejected'),
    item('none', []),
    item('new', null),
    item('posted', ['Rust'], 'published'),
  ];

  it('shows what would be re-evaluated and why', () => {
    const after = interestsOf([{ topic: 'Rust', priority: 'low' }, { topic: 'tea' }]);
    const diff = interestsDiff(before, after, items);
    expect(diff.rejudge).toEqual([{ item: items[0], why: '“Rust” is low instead of high' }]);
    expect(diff.keep.map(({ key }) => key)).toEqual(['tea', 'none']);
    expect(diff.untouched.map(({ key }) => key)).toEqual(['new', 'posted']);
  });

  it('a new topic can affect everything that is not done', () => {
    const after = interestsOf([...before.topics, { topic: '茶' }]);
    expect(interestsDiff(before, after, items).rejudge.map(({ item: { key } }) => key)).toEqual([
      'rust',
      'tea',
      'none',
    ]);
  });

  it('a removed topic affects verdicts that name it', () => {
    const diff = interestsDiff(before, interestsOf([{ topic: 'tea' }]), items);
    expect(diff.change.removed.map(({ topic }) => topic)).toEqual(['Rust']);
    expect(diff.rejudge.map(({ item: { key } }) => key)).toEqual(['rust']);
  });

  it('without a change nothing is re-evaluated', () => {
    expect(interestsDiff(before, before, items).rejudge).toEqual([]);
  });
});
