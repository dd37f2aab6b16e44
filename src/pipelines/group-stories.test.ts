import { describe, expect, it } from 'vitest';
import { sampleItem } from '../publishers/contract/sample-content.ts';
import { describeStoryReason } from '../same-story/story-reason.ts';
import { groupStories } from './choose.ts';
import { rulesAlone } from './story-deciders.fixture.ts';

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
  it('X3 is published once, by its best item, with the others beside it', async () => {
    const { fresh, alreadyPublished } = await groupStories([quake, echo, other], [], rulesAlone());
    expect(fresh.map(({ lead, others }) => [lead.url, others.map((o) => o.url)])).toEqual([
      [echo.url, [quake.url]],
      [other.url, []],
    ]);
    expect(alreadyPublished).toEqual([]);
  });

  it('Q13 is one story in other words and with figures in another form, and its follow-up is another', async () => {
    const plea = item('https://a.example/1', 'Ex-treasurer pleads guilty to $2.3 million hospital theft', 90);
    const admits = item('https://b.example/1', 'Former treasurer admits $2.3m theft from hospital', 80);
    const jailed = item('https://c.example/1', 'Treasurer jailed for seven years over hospital theft', 70);
    const { fresh } = await groupStories([plea, admits, jailed], [], rulesAlone());
    expect(fresh.map(({ lead, others }) => [lead.url, others.map((o) => o.url)])).toEqual([
      [plea.url, [admits.url]],
      [jailed.url, []],
    ]);
  });

  it('Q13 is one story when a later report connects two groups, unless these have two items of one source', async () => {
    const titles = [
      'US announces new curbs on sales of advanced chips to China',
      'Washington tightens rules on chip exports to China',
      'New US rules limit chip sales and exports to China',
    ];
    const reports = (hosts: readonly string[]) =>
      titles.map((title, n) => ({ ...item(`https://${hosts[n]}.example/${n}`, title, 90 - n), excerpt: '' }));
    expect((await groupStories(reports(['a', 'b', 'c']), [], rulesAlone())).fresh).toHaveLength(1);
    expect((await groupStories(reports(['a', 'a', 'c']), [], rulesAlone())).fresh).toHaveLength(2);
  });

  it('Q13 takes a headline that shares only the subject and another word with many others, of as many sources', async () => {
    const titles = [
      'Torvik and Sundra agree to merge ferry lines',
      'Ferry lines Torvik and Sundra to merge',
      'Torvik merges with Sundra to create largest ferry operator',
      'Torvik-Sundra merger creates largest ferry operator',
      'Torvik to merge with rival ferry operator Sundra',
      'Torvik and Sundra in ferry merger',
      'Ferry operators Torvik and Sundra agree merger',
      'Torvik, Sundra agree ferry merger',
      'Torvik agrees to merge ferry lines with Sundra',
      'Merger of Torvik and Sundra forms largest ferry line',
      'Torvik and Sundra merge, forming ferry giant',
      'Ferry giant formed as Torvik merges with Sundra',
      'What nurses, choirs and mountain villages owe to Torvik lines',
    ];
    const reports = titles.map((title, n) => ({
      ...item(`https://paper-${n}.example/`, title, 90 - n),
      excerpt: '',
    }));
    const grouped = async (all: typeof reports) =>
      (await groupStories(all, [], rulesAlone())).fresh.map(({ others }) => others.length);
    expect(await grouped(reports)).toEqual([reports.length - 1]);
    expect(await grouped([reports[1], reports.at(-1)].flatMap((one) => one ?? []))).toEqual([0, 0]);
  });

  it('X3 is found beside an item of its own source that is more alike', async () => {
    const titles = [
      'Volcano erupts on Iceland peninsula',
      'Residents flee lava near Grindavik harbour',
      'Volcano erupts on Iceland peninsula, residents flee lava in Grindavik',
    ];
    const [first, second, both] = titles.map((title, n) => ({
      ...item(`https://${n === 1 ? 'b' : 'a'}.example/${n}`, title, 90 - n),
      excerpt: '',
    }));
    const all = [first, second, both].flatMap((one) => one ?? []);
    const { fresh } = await groupStories(all, [], rulesAlone());
    expect(fresh.map(({ lead, others }) => [lead.url, others.map(({ url }) => url)])).toEqual([
      [first?.url, []],
      [second?.url, [both?.url]],
    ]);
  });

  it('X3 is not published again', async () => {
    const { fresh, alreadyPublished } = await groupStories([echo, other], [quake], rulesAlone());
    expect(fresh.map(({ lead }) => lead.url)).toEqual([other.url]);
    expect(alreadyPublished.map(({ item: again, by }) => [again.url, by.url])).toEqual([
      [echo.url, quake.url],
    ]);
  });

  it('X3 two items of one source are two stories, even with equal titles', async () => {
    const march = item('https://a.example/1', 'Reports of leaks received by the office, monthly figures', 80);
    const april = item('https://a.example/2', 'Reports of leaks received by the office, monthly figures', 80);
    expect((await groupStories([march, april], [], rulesAlone())).fresh).toHaveLength(2);
    expect((await groupStories([april], [march], rulesAlone())).alreadyPublished).toEqual([]);
  });

  it('Q15 follows what people decided, for published items too, and says who', async () => {
    const deciders = rulesAlone();
    const edit = { by: 'ann', at: Date.UTC(2026, 0, 5), undoneAt: null };
    deciders.edits.install([
      { ...edit, id: 'a', kind: 'split', items: [quake.key], others: [echo.key] },
      { ...edit, id: 'b', kind: 'join', items: [other.key], others: [quake.key] },
    ]);
    const { fresh } = await groupStories([quake, echo, other], [], deciders);
    expect(fresh.map(({ lead, others }) => [lead.url, others.map(({ url }) => url)])).toEqual([
      [echo.url, []],
      // Of one source: a person may join them nevertheless.
      [quake.url, [other.url]],
    ]);
    const { alreadyPublished } = await groupStories([other, echo], [quake], deciders);
    expect(alreadyPublished.map(({ item: again, why }) => [again.url, why?.by, why?.person])).toEqual([
      [other.url, 'person', 'ann'],
    ]);
    deciders.edits.install([
      { ...edit, id: 'a', kind: 'split', items: [quake.key], others: [echo.key], undoneAt: edit.at + 1 },
    ]);
    expect((await groupStories([quake, echo], [], deciders)).fresh).toHaveLength(1);
  });

  it('Q14 says why an item is about a published story', async () => {
    const { alreadyPublished } = await groupStories([echo], [quake], rulesAlone());
    const [why] = alreadyPublished.map(({ why }) => (why === null ? '' : describeStoryReason(why)));
    expect(why).toMatch(/^Same story as "Strong earthquake.*": names .*Honshu.*; words .*\.$/);
  });
});
