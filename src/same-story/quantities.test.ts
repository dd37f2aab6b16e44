import { describe, expect, it } from 'vitest';
import { compareFigures, quantitiesOf, writtenAs } from './quantities.ts';

describe('the figures of a title', () => {
  it.each([
    ['a deal worth $15.4 billion', ['$15.4 billion']],
    ['a $15.4-billion deal', ['$15.4 billion']],
    ['a us$15.4bn deal', ['$15.4 billion']],
    ['総額154億ドルで買収', ['$15.4 billion']],
    ['約2兆3000億円', ['¥2.3 trillion']],
    ['12万4000台をリコール', ['124000台']],
    ['up 12 percent', ['12%']],
    ['up 12 per cent, 12パーセント', ['12%', '12%']],
    ['twelve dead', ['12']],
    ['第3回と3回', ['第3', '3回']],
    ['a magnitude 6.1 quake, マグニチュード6.1', ['m6.1', 'm6.1']],
    ['won 4-2, 4―2で勝つ', ['4–2', '4–2']],
    ['at 04:12 on monday', []],
    ['version 7.2.1 and 7.2', ['v7.002001', 'v7.2']],
    ['nothing counted', []],
  ])('Q13 %s: %j', (text, written) => {
    expect(quantitiesOf(text).map(writtenAs)).toEqual(written);
  });

  it.each([
    ['$15.4 billion takeover', '154億ドルの買収', { agreeing: 1, exactConflict: false }],
    ['nearly $2 million in taxes', '$2.1m in taxes', { agreeing: 1, exactConflict: false }],
    ['12万台をリコール', '12万4000台をリコール', { agreeing: 1, countConflict: false }],
    ['turnout of 47%', 'turnout of 47.3 percent', { agreeing: 1, exactConflict: false }],
    ['prices up 2.9%', 'prices up 2.7%', { agreeing: 0, exactConflict: true }],
    ['31 dead', '45 dead', { agreeing: 0, countConflict: true }],
    ['31 dead', '80 survivors', { agreeing: 0, countConflict: false }],
    ['40,000 trucks', '40,000 cars', { agreeing: 0.5 }],
    ['in 2026', 'until 2026', { agreeing: 0 }],
    ['4q net falls 22%', 'q4 net falls 40%', { agreeing: 0, exactConflict: true }],
    ['first-quarter profit', '2q profit', { agreeing: 0, exactConflict: true }],
  ])('Q13 "%s" beside "%s"', (one, other, evidence) => {
    const [mine, theirs] = [quantitiesOf(one), quantitiesOf(other)];
    expect(compareFigures({ title: mine, all: mine }, { title: theirs, all: theirs })).toMatchObject(
      evidence,
    );
  });
});
