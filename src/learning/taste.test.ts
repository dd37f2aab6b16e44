import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import { learnedRuleText, type ReactionKind } from '../item/learned.ts';
import { DAY } from '../time/duration.ts';
import type { ReactedFacts, Reaction } from './reaction-store.ts';
import { backgroundOf, MAX_POINTS, MAX_RAISED_PER_SOURCE, RaisedArticles, Taste } from './taste.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

function article(title: string, facts: Partial<ReactedFacts> = {}): ReactedFacts {
  return { title, excerpt: null, author: null, sourceIds: ['elsewhere'], ...facts };
}

let count = 0;

function reaction(kind: ReactionKind, title: string, facts: Partial<Reaction> = {}): Reaction {
  count += 1;
  const key = `https://example.com/${count}` as ItemKey;
  const at = NOW - (count % 5) * DAY;
  return {
    id: `r${count}`,
    kind,
    at,
    key,
    url: key,
    ...article(title),
    sourceIds: [`s${count % 3}`],
    ...facts,
  };
}

const RUST = [
  'Rust 1.90 brings async closures',
  'Memory safety in kernels with Rust',
  'Why our team moved to Rust',
  'A time series database in Rust',
  'Rust borrow checker explained',
];
const rustStars = () => RUST.map((title) => reaction('star', title));

describe('the taste', () => {
  it('Q20 Q21 raises what is like what was starred, and names the rule', () => {
    const taste = new Taste(rustStars(), NOW);
    const moved = taste.move(article('Rust on microcontrollers'), []);
    expect(moved.points).toBeGreaterThanOrEqual(8);
    expect(moved.rules[0]).toMatchObject({ label: 'Rust', reactions: { star: 5 } });
    const [rule] = moved.rules;
    if (rule === undefined) throw new Error('no rule');
    expect(learnedRuleText(rule, 'en', 'you')).toBe(`+${rule.points}: you starred 5 about Rust`);
    expect(learnedRuleText(rule, 'en', 'people')).toBe(`+${rule.points}: 5 starred about Rust`);
    expect(learnedRuleText(rule, 'ja', 'you')).toBe(
      `+${rule.points}: あなたは「Rust」に関する記事5件にスター`,
    );
    expect(moved.rules.reduce((sum, { points }) => sum + points, 0)).toBe(moved.points);
    expect(taste.move(article('Gardening in autumn'), []).points).toBe(0);
  });

  it('Q21 reactions to an article and its story are no rules for that article itself', () => {
    const stars = rustStars();
    const [own] = stars;
    if (own === undefined) throw new Error('no star');
    const taste = new Taste(stars, NOW);
    const others = new Taste(stars.slice(1), NOW);
    for (const name of [own.key, own.url])
      expect(taste.move(own, [name, 'https://elsewhere.example/'])).toEqual(others.move(own, []));
    expect(taste.move(own, []).points).toBeGreaterThan(taste.move(own, [own.key]).points);
    const alone = new Taste([own], NOW);
    expect(alone.move(own, [own.key])).toEqual({ points: 0, rules: [] });
  });

  it('Q20 learns in Japanese too, from words, names, sources and authors', () => {
    const taste = new Taste(
      ['大谷翔平が完封勝利', '大谷翔平、二試合連続の本塁打', '大谷翔平の契約の全容'].map((title) =>
        reaction('star', title, { author: '山田花子' }),
      ),
      NOW,
    );
    const moved = taste.move(article('大谷翔平が会見', { author: '山田花子', sourceIds: ['s0'] }), []);
    const features = moved.rules.map(({ feature }) => feature);
    expect(features).toContain('author');
    expect(moved.rules.find(({ label }) => label.includes('大谷'))?.reactions).toEqual({ star: 3 });
    expect(taste.move(article('日銀が利上げ'), []).points).toBe(0);
  });

  it('Q20 lowers what was hidden or wanted less, and both directions cancel each other', () => {
    const hidden = rustStars().map((each) => ({ ...each, kind: 'less' as const }));
    const lowered = new Taste(hidden, NOW).move(article('Rust on microcontrollers'), []);
    expect(lowered.points).toBeLessThanOrEqual(-8);
    const [rule] = lowered.rules;
    expect(rule && learnedRuleText(rule, 'en', 'you')).toBe(
      `−${-(rule?.points ?? 0)}: you wanted less like 5 about Rust`,
    );
    const both = new Taste(
      [...rustStars(), ...rustStars().map((each) => ({ ...each, kind: 'hide' as const }))],
      NOW,
    );
    expect(both.move(article('Rust on microcontrollers'), []).points).toBe(0);
  });

  it('Q20 a reaction counts less the older it is, and ends', () => {
    const at = (days: number) =>
      new Taste(
        rustStars().map((each) => ({ ...each, at: NOW - days * DAY })),
        NOW,
      ).move(article('Rust on microcontrollers'), []).points;
    expect(at(60)).toBeLessThan(at(0));
    expect(at(60)).toBeGreaterThan(0);
    expect(at(181)).toBe(0);
  });

  it('Q22 without a reaction its effect is exactly gone', () => {
    const stars = rustStars();
    const extra = reaction('more', 'Rust and WebAssembly in the browser');
    const facts = [
      article('WebAssembly beyond the browser'),
      article('Rust on microcontrollers'),
      article('Tea'),
    ];
    const before = facts.map((each) => new Taste(stars, NOW).move(each, []));
    const during = facts.map((each) => new Taste([...stars, extra], NOW).move(each, []));
    const after = facts.map((each) =>
      new Taste(
        [...stars, extra].filter((r) => r !== extra),
        NOW,
      ).move(each, []),
    );
    expect(during).not.toEqual(before);
    expect(after).toEqual(before);
    expect(new Taste([], NOW).isEmpty).toBe(true);
    expect(new Taste(stars, NOW).version).not.toBe(new Taste([...stars, extra], NOW).version);
  });

  it('Q23 many reactions to one source, on one day, or of one person count like a few', () => {
    const many = (facts: (n: number) => Partial<Reaction>) =>
      new Taste(
        Array.from({ length: 60 }, (_, n) => reaction('more', `Rust story ${n}`, facts(n))),
        NOW,
      ).move(article('Rust on microcontrollers'), []).points;
    const spread = many((n) => ({ at: NOW - (n % 20) * DAY, sourceIds: [`s${n}`] }));
    expect(many((n) => ({ at: NOW - (n % 20) * DAY, sourceIds: ['one'] }))).toBeLessThan(spread / 1.5);
    expect(many((n) => ({ at: NOW, sourceIds: [`s${n}`] }))).toBeLessThan(spread / 1.5);
    expect(spread).toBeLessThanOrEqual(MAX_POINTS);
  });

  it('Q23 a feed gains nothing by stuffing its titles with words that people like', () => {
    const likes = [
      ...rustStars(),
      ...['Sailing round Cape Horn', 'A wooden sailing boat', 'Sailing by the stars'].map((t) =>
        reaction('star', t),
      ),
      ...['Jazz piano of the fifties', 'Jazz festival in Kobe', 'Learning jazz harmony'].map((t) =>
        reaction('star', t),
      ),
    ];
    const taste = new Taste(likes, NOW);
    const honest = taste.move(article('Rust on microcontrollers'), []).points;
    const words =
      'rust sailing jazz kernel boat piano harmony festival borrow checker closures database team stars cape horn kobe memory safety async series fifties';
    const stuffed = taste.move(article(`Buy now: ${words} ${words.toUpperCase()}`), []).points;
    expect(stuffed).toBeLessThan(MAX_POINTS);
    expect(stuffed).toBeLessThan(honest * 1.5);
    // Of one source and day only a few are raised, whatever dates the feed claims.
    const raised = new RaisedArticles();
    const flood = Array.from({ length: 100 }, (_, n) => article(`Rust offer ${n}`, { sourceIds: ['spam'] }));
    const moved = flood.map((each) => raised.limit(taste.move(each, []), each, NOW).points);
    expect(moved.filter((points) => points > 0)).toHaveLength(MAX_RAISED_PER_SOURCE);
    expect(raised.limit(taste.move(article('Rust'), []), article('Rust'), NOW).points).toBeGreaterThan(0);
  });

  it('Q23 one feed does not decide which words are common', () => {
    const titles = (n: number) =>
      Array.from({ length: n }, (_, at) => article(`Rust ${at}`, { sourceIds: ['spam'] }));
    const others = Array.from({ length: 300 }, (_, n) =>
      article(`Harvest report ${n}`, { sourceIds: [`s${n % 30}`] }),
    );
    const few = backgroundOf([...others, ...titles(20)]).share('word rust');
    const flood = backgroundOf([...others, ...titles(5_000)]).share('word rust');
    expect(flood).toBeCloseTo(few, 5);
  });
});
