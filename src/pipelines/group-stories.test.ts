import { describe, expect, it } from 'vitest';
import { sampleItem } from '../publishers/contract/sample-content.ts';
import { groupStories } from './choose.ts';

function item(url: string, title: string, score: number) {
  const sourceId = new URL(url).host;
  const { verdict, ...rest } = sampleItem({
    url,
    sourceId,
    title,
    excerpt: `${title}. It was announced on Tuesday.`,
  });
  if (verdict === null) throw new Error('no verdict');
  return { ...rest, verdict: { ...verdict, score } };
}

const quake = item(
  'https://a.example/quake',
  'Strong earthquake shakes northern Honshu, no tsunami expected',
  80,
);
const echo = item('https://b.example/q', 'Strong earthquake shakes northern Honshu, no tsunami expected', 95);
const other = item('https://a.example/chips', 'Chip maker opens a second factory near Kumamoto', 70);

describe('one story from several sources', () => {
  it('X3 is published once, by its best item, with the others beside it', () => {
    const { fresh, alreadyPublished } = groupStories([quake, echo, other], []);
    expect(fresh.map(({ lead, others }) => [lead.url, others.map((o) => o.url)])).toEqual([
      [echo.url, [quake.url]],
      [other.url, []],
    ]);
    expect(alreadyPublished).toEqual([]);
  });

  it('Q13 is one story in other words and with figures in another form, and its follow-up is another', () => {
    const plea = item('https://a.example/1', 'Ex-treasurer pleads guilty to $2.3 million hospital theft', 90);
    const admits = item('https://b.example/1', 'Former treasurer admits $2.3m theft from hospital', 80);
    const jailed = item('https://c.example/1', 'Treasurer jailed for seven years over hospital theft', 70);
    const { fresh } = groupStories([plea, admits, jailed], []);
    expect(fresh.map(({ lead, others }) => [lead.url, others.map((o) => o.url)])).toEqual([
      [plea.url, [admits.url]],
      [jailed.url, []],
    ]);
  });

  it('X3 is not published again', () => {
    const { fresh, alreadyPublished } = groupStories([echo, other], [quake]);
    expect(fresh.map(({ lead }) => lead.url)).toEqual([other.url]);
    expect(alreadyPublished.map(({ item: again, by }) => [again.url, by.url])).toEqual([
      [echo.url, quake.url],
    ]);
  });

  it('X3 two items of one source are two stories, even with equal titles', () => {
    const march = item('https://a.example/1', 'Reports of leaks received by the office, monthly figures', 80);
    const april = item('https://a.example/2', 'Reports of leaks received by the office, monthly figures', 80);
    expect(groupStories([march, april], []).fresh).toHaveLength(2);
    expect(groupStories([april], [march]).alreadyPublished).toEqual([]);
  });
});
