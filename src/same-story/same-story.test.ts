import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import { comparePair, StoryGroups, type StoryItem } from './same-story.ts';

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

  it.each([
    [
      'Former treasurer admits $2.3m theft from hospital',
      'Ex-treasurer pleads guilty to $2.3 million hospital theft',
    ],
    [
      'Brandt Foods to buy Olivero for $15.4 billion',
      'Olivero accepts $15.4-billion takeover by Brandt Foods',
    ],
    [
      'Watchdog opens in-depth review of Brandt deal for Olivero',
      'Brandt deal for Olivero faces in-depth probe by watchdog',
    ],
    ['Typhoon Linfa hits Kagawa', 'Typhoon Linfa hits Kagawa, 300,000 homes without power and trains halted'],
    ['Two held over theft at Orsta museum', 'Police arrest two in Orsta museum theft'],
    [
      'Miners trapped in Velia copper pit are rescued',
      'Trapped Velia miners brought out of copper pit alive',
    ],
    ['Ostra airport strike ends with pay deal', 'Pay deal ends strike at Ostra airport'],
    ['Sorland parties form coalition government', 'Sorland parties agree coalition government'],
    ['Sorland lifts ban on night flights', 'Ban on night flights lifted in Sorland'],
    ['Macken halts sales of overheating Lyra Watch', 'Macken stops selling overheating Lyra Watch'],
    ['Power restored in Tarrow after blackout', 'Power back on in Tarrow after blackout'],
    ['Probe Aster touches down on Mars', 'Probe Aster lands on Mars'],
    ['Ivo Lund sacked as Redport coach', 'Redport coach Ivo Lund dismissed'],
    ['Colm Rafferty and Una Prior divorce', 'Una Prior and Colm Rafferty split'],
    ['若葉製薬、米オルテガを154億ドルで買収', '米オルテガを買収　若葉製薬、総額１５４億ドル'],
    ['首相、衆議院を解散へ　来月投開票', '首相が衆院解散へ、来月に投開票'],
  ])('Q13 the same event in other words: "%s", "%s"', (one, other) => {
    const groups = new StoryGroups();
    groups.add(item('a', one));
    expect(groups.add(item('b', other)).members).toEqual(['a', 'b']);
  });

  it.each([
    ['Consumer prices rise 2.9% in October', 'Consumer prices rise 2.7% in September'],
    ['Voltra recalls 410,000 cars over batteries', 'Kanto recalls 410,000 cars over airbags'],
    ['Strike grounds flights at Ostra airport', 'Strike at Ostra airport ends, flights resume'],
    ['Man arrested after break-in at Mill Street bank', 'Woman arrested after break-in at Mill Street bank'],
    ['Macken expands Tessel phone line with the Lyra', 'Macken drops the Lyra from Tessel phone line'],
    ['Mira Vella quits the Evening Hour', 'Mira Vella signs off from the Evening Hour'],
    ['Knife attack at Orsta station injures two', 'Orsta knife attacker acted alone, police say'],
    ['Halvard Bree found guilty in Nordhaus case', 'Bree appeals against verdict in Nordhaus case'],
    ['Warmest October on record in Halden', 'Warmest April on record in Halden'],
    ['Macken launches the Lyra X2', 'Macken Lyra X2 review: a phone for less'],
    ['Mill owner Mona Vell drowns in Quill lake', 'Hundreds at funeral of mill owner Mona Vell'],
    ['Gang steals paintings from Orsta museum', 'Man jailed for theft of paintings from Orsta museum'],
    ['Five hikers trapped in Quill cave', 'Five hikers brought out of Quill cave unharmed'],
    [
      'Two dead as tram derails in Dunmow',
      'Driver error blamed for Dunmow tram derailment that left two dead',
    ],
    ['Norhaven tram drivers walk out over pay', 'Norhaven tram drivers reach pay deal'],
    ['Norhaven tram drivers vote to strike over pay', 'Norhaven tram drivers begin strike over pay'],
    ['Ahl narrowly wins Sorland election', 'Ahl sworn in after Sorland election'],
    ['Sorland parliament passes plastic bag law', 'Sorland court suspends plastic bag law'],
    ['Sorland raises tariffs on Velia timber', 'Velia retaliates against Sorland timber tariffs'],
    ['Keller Brewing agrees to buy Hollins Cider', 'Keller Brewing completes purchase of Hollins Cider'],
    ['Macken launches Lyra Watch', 'Macken halts sales of Lyra Watch'],
    ['Zero-click flaw found in OpenVault', 'Hackers exploit zero-click flaw in OpenVault'],
    ['Blackout hits Tarrow and Wexcombe', 'Power restored in Tarrow and Wexcombe after blackout'],
    ['Listeria outbreak in Tarrow spreads', 'First death in Tarrow listeria outbreak'],
    ['Cyclone Odile nears Port Selwyn', 'Cyclone Odile slams into Port Selwyn'],
    ['Probe Aster blasts off for Mars', 'Probe Aster enters orbit around Mars'],
    ['Corvane asthma spray effective in late trial', 'Regulator approves Corvane asthma spray'],
    ['Copper jumps on Velia mine blockade', 'Copper gives up gains as Velia mine blockade ends'],
    ['Tolmin Steel first-quarter profit', 'Tolmin Steel second-quarter profit'],
    ['Colm Rafferty and Una Prior split', 'Colm Rafferty and Una Prior finalise divorce'],
    ['Mara Quell cancels Lisbon shows', 'Mara Quell reschedules Lisbon shows'],
    ['Redport sign striker Ivo Lund', 'Ivo Lund scores on Redport debut'],
    ['Sprinter Hanne Voss tests positive', 'Sprinter Hanne Voss appeals ban'],
    ['Night Harbour leads Locarno nominations', 'Night Harbour wins Locarno award'],
    ['Trailer of Tin Lanterns 2 released', 'Tin Lanterns 2 tops box office'],
    ['Tessin swimming pool to close', 'Tessin swimming pool saved from closure'],
    ['Velia and Taros troops clash at border', 'Velia and Taros agree ceasefire at border'],
    ['Guests sue Lumen Hotels over fire', 'Lumen Hotels settles with guests over fire'],
    ['Lumen Hotels hacked', 'Lumen Hotels chief quits after hack'],
    ['Tessin to build tram tunnel', 'Tessin tram tunnel opens'],
    ['Vellum Books announces market flotation', 'Vellum Books jumps on first day of trading'],
    ['川名市の市長選、田所氏が当選', '川名市の田所市長が初登庁'],
    ['青葉岳で登山者2人が遭難', '青葉岳で遭難の登山者2人を救出'],
    ['白波電鉄がスト突入', '白波電鉄のスト、労使が妥結'],
    ['探査機「しおかぜ」打ち上げ', '探査機「しおかぜ」、火星に到着'],
    ['千鳥製薬のぜんそく薬、治験で効果', '千鳥製薬のぜんそく薬を承認'],
    ['熊本で震度4の地震', '大分で震度4の地震'],
    ['日銀、政策金利を据え置き', '日銀、政策金利を引き上げ'],
  ])('Q13 another event in the same words: "%s", "%s"', (one, other) => {
    const groups = new StoryGroups();
    groups.add(item('a', one));
    expect(groups.add(item('b', other)).members).toEqual(['b']);
  });

  it('Q13 reports far apart need more in common', () => {
    for (const [hours, members] of [
      [8, ['a', 'b']],
      [36, ['b']],
    ] as const) {
      const groups = new StoryGroups();
      groups.add(item('a', 'Kestrel Foods recalls frozen berries over hepatitis'));
      const other = 'Hepatitis fear: frozen berries of Kestrel Foods pulled from shelves';
      const late = item('b', other, { publishedAt: NOW + hours * HOUR });
      expect(groups.add(late).members, `${hours} hours`).toEqual(members);
    }
  });

  describe('a subject that dominates the window', () => {
    const REPORTS = [
      'Turnout falls to 58% in Sorland election',
      'Cyberattack takes Sorland election website offline',
      'Police detain 14 after clashes over Sorland election in Norhaven',
      'Sorland election: recount ordered in Dunmow',
      'Ballots in Sorland election printed with wrong names',
      'Exit polls in Sorland election were far off',
      'Sorland election observers praise calm vote',
      'Young voters decided the Sorland election, study says',
      'Record number of women win seats in Sorland election',
      'Sorland election cost parties 40 million crowns',
      'Snow keeps islanders from voting in Sorland election',
    ];
    /** Other stories about the election. */
    const EARLIER = [
      'bakers',
      'ferries',
      'glaciers',
      'violins',
      'orchards',
      'lighthouses',
      'beekeepers',
      'tramways',
      'novelists',
      'castles',
      'divers',
      'weavers',
      'bishops',
      'goats',
      'mushrooms',
      'skiers',
      'puppets',
      'cyclists',
      'vineyards',
      'blacksmiths',
    ].map((word, n) => `${word} ${['await', 'ignore', 'shape', 'enter', 'outlive'][n % 5]} Sorland election`);

    function storiesOf(titles: readonly string[]) {
      const groups = new StoryGroups();
      for (let n = 0; n < 30; n++)
        for (const title of titles) groups.add({ ...item(`${n} ${title}`, title), publishedAt: NOW - n });
      const storyOf = (title: string) =>
        groups.find(`0 ${title}` as ItemKey)?.members.map((key) => key.replace(/^\d+ /, ''));
      return { groups, stories: REPORTS.map((report) => ({ report, titles: new Set(storyOf(report)) })) };
    }

    it('Q13 neither splits its stories nor merges them', () => {
      const { groups, stories } = storiesOf([...EARLIER, ...REPORTS]);
      for (const { report, titles } of stories) expect(titles).toEqual(new Set([report]));
      groups.add(item('a', 'Lindqvist concedes defeat in Sorland election'));
      groups.add(item('b', 'Ahl wins Sorland election as Lindqvist concedes'));
      const conceded = groups.add(item('c', 'Lindqvist concedes Sorland election defeat to Ahl'));
      expect(conceded.members).toEqual(expect.arrayContaining(['a', 'c']));
      expect(conceded.members.filter((key) => key.includes(' '))).toEqual([]);
    });

    it('Q13 merges few of its stories before the window shows that they are many', () => {
      for (const { titles } of storiesOf(REPORTS).stories) expect(titles.size).toBeLessThanOrEqual(2);
    });
  });

  const CURBS = [
    'US announces new curbs on sales of advanced chips to China',
    'Washington tightens rules on chip exports to China',
    'New US rules limit chip sales and exports to China',
  ] as const;

  it('Q13 a report that belongs to two groups makes them one, and says why', () => {
    const groups = new StoryGroups();
    groups.add(item('a', CURBS[0]));
    expect(groups.add(item('b', CURBS[1])).members).toEqual(['b']);
    expect(groups.add(item('c', CURBS[2])).members.toSorted()).toEqual(['a', 'b', 'c']);
    const reasons = ['a', 'b', 'c'].map((key) => groups.find(key as ItemKey)?.reason);
    expect(reasons.filter((reason) => reason?.by === 'rules')).toHaveLength(2);
    const words = reasons.map((reason) => reason?.common.words ?? []).filter((all) => all.length > 0);
    expect(words).toEqual([expect.arrayContaining(['chip']), expect.arrayContaining(['chip'])]);
  });

  it('Q14 a joined group says what its member has in common that was compared', () => {
    const groups = new StoryGroups();
    groups.add(item('a', 'Snow storm cuts off 40,000 homes in northern regions'));
    groups.add(item('b', 'Travellers stranded in Ostra'));
    groups.add(item('c', 'Travellers stranded in Ostra as storm shuts airport'));
    const both = 'Snow storm cuts off 40,000 homes in northern regions, Ostra airport shut';
    expect(groups.add(item('d', both)).members).toHaveLength(4);
    expect(groups.find('b' as ItemKey)?.reason).toMatchObject({
      with: 'd',
      common: { names: ['Ostra'], words: ['storm', 'shuts', 'airport'] },
    });
  });

  it('Q13 two groups stay apart where a member of one may not be in a story with a member of the other', () => {
    const groups = new StoryGroups({
      mayJoin: (key, other) => `${key}${other}` !== 'ba' && `${key}${other}` !== 'ab',
    });
    for (const [n, title] of CURBS.entries()) groups.add(item('abc'.charAt(n), title));
    expect(groups.find('c' as ItemKey)?.members).toHaveLength(2);
  });

  it('Q13 only items that may be in its story are compared, however many others share more words', () => {
    const reports = [
      ['a1', 'Quake of magnitude 6.1 hits northern Sorland'],
      ['a2', 'Aftershock of quake in northern Sorland feared after magnitude 6.1'],
      ['a3', 'Quake in northern Sorland: what magnitude 6.1 means'],
      ['a4', 'Northern Sorland quake, magnitude 6.1, in pictures'],
      ['b1', 'Northern Sorland is hit by quake'],
    ] as const;
    const compared = new Set<string>();
    const groups = new StoryGroups({
      mayCompare: (key, other) => {
        compared.add(`${key} ${other}`);
        return !other.startsWith('a');
      },
    });
    for (const [key, title] of reports) groups.add(item(key, title));
    expect(groups.add(item('a5', 'Quake of magnitude 6.1 hits northern Sorland')).members).toEqual([
      'b1',
      'a5',
    ]);
    expect(compared).toContain('a5 a1');
  });

  it('Q13 a headline that sums up two stories makes them no single one', () => {
    const groups = new StoryGroups();
    groups.add(item('a', 'Snow storm cuts power in Norhaven'));
    groups.add(item('b', 'Ivo Lund joins Redport from Halden'));
    const both = item('c', 'In brief: storm in Norhaven, Ivo Lund at Redport');
    const members = groups.add(both).members;
    expect(groups.compare(both.key, 'a' as ItemKey)?.verdict).toBe('same');
    expect(groups.compare(both.key, 'b' as ItemKey)?.verdict).toBe('same');
    expect(members).toHaveLength(2);
  });

  it('Q13 two stories of several reports each are not joined by one report that has a little of both', () => {
    const groups = new StoryGroups();
    const titles = [
      'Hundreds stranded as Ostra airport staff strike',
      'Ostra airport strike strands hundreds',
      'Airport staff in Ostra strike, hundreds stranded',
      'Unions and bosses in Ostra trade blame over pay',
      'Ostra pay dispute: unions and bosses trade blame',
      'Bosses and unions trade blame in Ostra pay dispute',
    ];
    for (const [n, title] of titles.entries()) groups.add(item(`m${n}`, title));
    const sizes = () => ['m0', 'm3'].map((key) => groups.find(key as ItemKey)?.members.length);
    expect(sizes()).toEqual([3, 3]);
    groups.add(item('l1', 'Ostra airport staff strike over pay, unions say'));
    expect(sizes().toSorted()).toEqual([3, 4]);
  });

  it('Q13 a name alone is no story, and neither is a quarter', () => {
    const groups = new StoryGroups();
    groups.add(item('a', 'Nimbus opens data centre in Norland'));
    expect(groups.add(item('b', 'Power outage hits northern districts of Norland')).members).toEqual(['b']);
    groups.add(item('c', 'Bracken Outfitters 4Q net falls 40%'));
    expect(groups.add(item('d', 'Lindley Outdoor 4Q net falls 22%')).members).toEqual(['d']);
  });

  it.each([
    ['Polizei sucht nach Unfall auf der A7 nach Zeugen', 'Zwei Tote nach Unfall auf der A9', 'in doubt'],
    ['Die Regierung will die Steuern senken', 'Die Bahn will neue Züge kaufen', 'different'],
    ['Un incendie ravage un immeuble à Marseille', 'Marseille : trois blessés dans un incendie', 'same'],
    [
      'El Gobierno aprueba la subida del salario mínimo',
      'El salario mínimo subirá, aprueba el Gobierno',
      'same',
    ],
    ['Правительство утвердило бюджет на год', 'Суд отказался на год перенести дело', 'in doubt'],
  ])(
    'Q13 in other languages, words that every other title has are no evidence: "%s", "%s"',
    (one, other, verdict) => {
      expect(comparePair(item('a', one), item('b', other)).verdict).toBe(verdict);
    },
  );

  it('Q13 a name that is a function word in another language counts as a name', () => {
    const one = item('a', 'UN says fifth of Norland children are hungry');
    expect(comparePair(one, item('b', 'Children hungry in Norland, UN says')).verdict).toBe('same');
  });

  it('Q15 two groups stay apart where a person decided so', () => {
    const different = (key: string) => new Map([[key as ItemKey, 'different' as const]]);
    const groups = new StoryGroups({
      decisions: { of: (key) => (key === 'a' ? different('b') : key === 'b' ? different('a') : new Map()) },
    });
    for (const [n, title] of CURBS.entries()) groups.add(item('abc'.charAt(n), title));
    expect(groups.find('c' as ItemKey)?.members).toHaveLength(2);
  });

  it('Q13 an item that contradicts a member of a group does not join it', () => {
    const groups = new StoryGroups();
    groups.add(item('a', '浅葉岳で遭難の登山者2人を救助'));
    groups.add(item('b', '浅葉岳で遭難、登山者２人を救助'));
    expect(groups.add(item('c', '浅葉岳で遭難の登山者3人を救助')).members).toEqual(['c']);
  });

  it('Q13 another model is another product', () => {
    const groups = new StoryGroups();
    groups.add(item('a', 'Macken releases the Lyra X2 with a larger screen'));
    expect(groups.add(item('b', 'Macken releases the Lyra X3 with a larger screen')).members).toEqual(['b']);
    expect(groups.add(item('c', 'Macken releases Lyra X2 with larger screen')).members).toEqual(['a', 'c']);
  });

  it('Q14 a merge says which names, figures and words both have', () => {
    const groups = new StoryGroups();
    const title = 'Regulator fines Nordhaus Bank €85 million over loans';
    groups.add(item('a', title));
    const { reason } = groups.add(
      item('b', 'Loans: Nordhaus Bank is fined 85 million euros by the regulator'),
    );
    expect(reason).toMatchObject({
      with: 'a',
      by: 'rules',
      common: {
        names: ['Nordhaus', 'Bank'],
        figures: ['€85 million'],
        words: ['Loans', 'fined', 'regulator'],
      },
    });
    expect(reason?.why).toMatch(/names Nordhaus, Bank; figures €85 million; words Loans, fined, regulator$/);
    expect(groups.find('b' as ItemKey)?.reason).toEqual(reason);
    expect(groups.find('a' as ItemKey)?.reason).toBeNull();
    groups.separate('b' as ItemKey);
    expect(groups.find('b' as ItemKey)?.reason).toBeNull();
  });

  it('Q14 two items can be compared alone', () => {
    const ferry = item('a', 'Ferry service between the islands resumes after storm');
    expect(comparePair(ferry, { ...ferry, key: 'b' as ItemKey })).toMatchObject({ verdict: 'same' });
    expect(comparePair(ferry, item('c', 'How to bake bread'))).toMatchObject({
      verdict: 'different',
      common: { names: [], figures: [], words: [] },
    });
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
