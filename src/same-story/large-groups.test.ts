import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import { StoryGroups, type StoryGroupsOptions } from './same-story.ts';

const HOUR = 3_600_000;
/** Has the name of the story and a frequent word in common with some of its headlines. */
const OPINION = 'What nurses, choirs and mountain villages owe to Torvik lines';

/** One story in many words, as an aggregator sees it. */
const MERGER = [
  'Torvik and Sundra agree to merge ferry lines',
  'Ferry lines Torvik and Sundra to merge',
  'Torvik, Sundra merge to form largest ferry line in the north',
  'Torvik merges with Sundra to create largest ferry operator',
  'Torvik-Sundra merger creates largest ferry operator',
  'Torvik to merge with rival ferry operator Sundra',
  'Sundra and Torvik ferry merger creates giant of the north',
  'Torvik and Sundra in ferry merger',
  'Ferry operators Torvik and Sundra agree merger',
  'Torvik, Sundra agree ferry merger',
  'Torvik agrees to merge ferry lines with Sundra',
  'Merger of Torvik and Sundra forms largest ferry line',
  'Torvik and Sundra merge, forming ferry giant',
  'Ferry giant formed as Torvik merges with Sundra',
  'Torvik and rival Sundra to merge their ferry lines',
  'Largest ferry operator formed by Torvik and Sundra merger',
  'Torvik to form ferry giant with Sundra in merger',
  'Sundra to merge with Torvik, largest ferry line',
];

function groupsWith(titles: readonly string[], options: StoryGroupsOptions = {}) {
  const groups = new StoryGroups(options);
  const add = (key: string, title: string, publishedAt = 0) =>
    groups.add({ key: key as ItemKey, title, publishedAt });
  for (const [n, title] of titles.entries()) add(`m${n}`, title);
  const membersWith = (key: string) => groups.find(key as ItemKey)?.members.length ?? 0;
  return { groups, add, membersWith };
}

describe('a large group', () => {
  it('Q13 is joined by a headline with its subject and another of its words, and says which', () => {
    const { groups, add, membersWith } = groupsWith(MERGER);
    expect(membersWith('m0')).toBe(MERGER.length);
    const placed = add('a', OPINION);
    expect(placed.members).toContain('m0');
    expect(placed.doubts).toEqual([]);
    expect(placed.reason).toMatchObject({ by: 'rules', common: { names: ['Torvik'], words: ['lines'] } });
    expect(placed.reason?.why).toMatch(/^typical words of a large story; names Torvik; words lines$/);
    // A pair of the same titles has too little in common.
    const pair = groupsWith(MERGER.slice(1, 2));
    expect(pair.add('a', OPINION).members).toEqual(['a']);
    expect(groups.compare('a' as ItemKey, 'm1' as ItemKey)?.verdict).not.toBe('same');
  });

  it('Q13 gathers what arrived before it was large', () => {
    const { groups, add, membersWith } = groupsWith([]);
    add('a', OPINION);
    add('b', 'Ferry captains on what Sundra was worth');
    for (const [n, title] of MERGER.entries()) add(`m${n}`, title);
    expect(membersWith('a')).toBe(MERGER.length + 2);
    expect(groups.find('a' as ItemKey)?.reason).toMatchObject({
      by: 'rules',
      common: { names: ['Torvik'], words: ['lines'] },
    });
  });

  it('Q13 is joined by a headline that says next to nothing but its name', () => {
    const { add } = groupsWith(MERGER);
    expect(add('a', 'What is Sundra?').members).toContain('m0');
    expect(groupsWith(MERGER.slice(0, 8)).add('a', 'What is Sundra?').members).toEqual(['a']);
    const longer = 'Sundra, its timetables and its cabins';
    expect(groupsWith(MERGER).add('a', longer).members).toEqual(['a']);
    expect(groupsWith([...MERGER, ...MERGER]).add('a', longer).members).toContain('m0');
  });

  it('Q13 is not joined by its name alone where the name was in the news before it, or in another story', () => {
    const earlier = ['Sundra painter opens gallery', 'Choir from Sundra tours', 'Sundra bakery burns'];
    expect(groupsWith([...earlier, ...MERGER]).add('a', 'What is Sundra?').members).toEqual(['a']);
    const other = 'Sundra stadium roof leaks in heavy rain';
    expect(groupsWith([...MERGER, other, other]).add('a', 'What is Sundra?').members).toEqual(['a']);
  });

  it.each([
    ['other news of the same company', 'Torvik hires 300 cooks for its mountain hotels'],
    ['another company that does the same', 'Belmar to merge with rival ferry operator Ostrand'],
    ['the company at another place', 'Torvik opens a hotel in Pinehurst'],
    ['a review', 'Review: a night on the largest ferry of Torvik'],
    ['an accident', 'Sundra ferry fire injures nine'],
    ['a fine', 'Torvik fined for noise'],
    ['other news without its name', 'Largest ferry museum reopens'],
    ['other figures', 'Regulator asks 12% of ferry lines for merger records'],
  ])('Q13 is not joined by %s: "%s"', (_, title) => {
    expect(groupsWith(MERGER).add('a', title).members).toEqual(['a']);
    expect(groupsWith([...MERGER, ...MERGER]).add('a', title).members).toEqual(['a']);
  });

  it.each([
    ['the market a day later', 'Torvik shares fall after ferry merger'],
    ['a delay', 'Regulator delays decision on Torvik and the ferry giant'],
  ])('Q13 is joined by %s only if it is wide, for such a story has many stages: "%s"', (_, title) => {
    expect(groupsWith(MERGER).add('a', title).members).toEqual(['a']);
    expect(groupsWith([...MERGER, ...MERGER]).add('a', title).members).toContain('m0');
  });

  it.each([
    ['an unknown name', 'How pensioners in Pinehurst see giant Torvik after merger'],
    ['many unknown words', 'Passengers sing carols aboard Torvik despite merger'],
  ])('Q13 is joined by a headline with %s only if it has many: "%s"', (_, title) => {
    expect(groupsWith(MERGER.slice(0, 8)).add('a', title).members).toEqual(['a']);
    expect(groupsWith(MERGER).add('a', title).members).toContain('m0');
  });

  it('Q13 is not one because its headlines have a country or a common word', () => {
    const titles = MERGER.map((title) =>
      title.replace(/Torvik|Sundra/g, (name) => (name === 'Torvik' ? 'Japan' : 'city')),
    );
    expect(groupsWith(titles).add('a', 'Japan to merge schools').members).toEqual(['a']);
  });

  it('Q13 whose subject is no name is joined by headlines with a name of their own, unless it may have one', () => {
    const title = 'How Halden keepers see the beetles merger';
    const small = (name: string) => name.replace('Torvik', 'beetles').replace('Sundra', 'spiders');
    const titles = ['beetles and spiders in Quillon agree to merge ferry lines', ...MERGER.map(small)];
    expect(groupsWith(titles).add('a', title).members).toContain('m0');
    const inCapitals = titles.map((each) => each.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()));
    expect(groupsWith(inCapitals).add('a', title).members).toEqual(['a']);
    // Its subject is a name, and this headline has another one.
    expect(groupsWith(MERGER).add('a', title.replace('beetles', 'ferry')).members).toEqual(['a']);
  });

  it('Q13 of Japanese headlines takes every word that it does not have for a name', () => {
    const titles = [
      'オルテガとベルマーが合併へ',
      'オルテガ、ベルマーと合併で合意',
      'ベルマーとオルテガが合併　国内最大に',
      'オルテガとベルマー、合併で国内最大',
      'オルテガ、ベルマーとの合併を決定',
      '合併で合意　オルテガとベルマー',
      'オルテガ・ベルマーが合併合意',
    ];
    expect(groupsWith(titles).membersWith('m0')).toBe(titles.length);
    expect(groupsWith(titles).add('a', '札幌支店、オルテガとベルマーの合併で移転').members).toEqual(['a']);
  });

  it('Q13 first name and family name are one subject', () => {
    const titles = MERGER.map((title) =>
      title.replaceAll('Torvik', 'Ines Halloran').replaceAll('Sundra', 'Ines Halloran'),
    );
    expect(groupsWith(titles).add('a', 'Why voters like Ines Halloran the novelist').members).toEqual(['a']);
    expect(groupsWith(MERGER).add('a', 'Why voters like Torvik, Sundra and the novelist').members).toContain(
      'm0',
    );
  });

  it('Q15 leaves alone what a person removed or decided, and what may not join', () => {
    const early = 'What is Sundra?';
    const removed = groupsWith(MERGER.slice(0, 12));
    removed.add('a', early);
    removed.groups.separate('a' as ItemKey);
    for (const [n, title] of MERGER.entries()) removed.add(`n${n}`, title);
    expect(removed.membersWith('a')).toBe(1);
    const decided = groupsWith([], {
      decisions: {
        of: (key) =>
          key === 'a' || key === 'm3'
            ? new Map([[(key === 'a' ? 'm3' : 'a') as ItemKey, 'different']])
            : new Map(),
      },
    });
    const forbidden = groupsWith([], { mayJoin: (one, other) => one !== 'a' && other !== 'a' });
    for (const { add, membersWith } of [decided, forbidden]) {
      add('a', early);
      for (const [n, title] of MERGER.entries()) add(`m${n}`, title);
      expect(membersWith('m0')).toBe(MERGER.length);
      expect(membersWith('a')).toBe(1);
    }
  });

  it('X3 gathers nothing from another week', () => {
    const { add, membersWith } = groupsWith([]);
    add('a', OPINION, -200 * HOUR);
    for (const [n, title] of MERGER.entries()) add(`m${n}`, title);
    expect(membersWith('a')).toBe(1);
  });

  it('X3 forgets an item that left it, and keeps its subject when old items go', () => {
    const { groups, add } = groupsWith(MERGER);
    groups.separate('m0' as ItemKey);
    groups.removeOlderThan(0);
    expect(add('a', OPINION).members).toContain('m1');
    expect(groups.find('m0' as ItemKey)?.members).toEqual(['m0']);
  });
});
