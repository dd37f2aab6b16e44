import { createHash } from 'node:crypto';
import type { LearnedRule, Movement, ReactionKind } from '../item/learned.ts';
import { DAY } from '../time/duration.ts';
import { authorKey, type Feature, sourceKey, textFeatures } from './features.ts';
import type { ReactedFacts, Reaction } from './reaction-store.ts';

/** What a reaction says. Asking for more or less says most; reading to the end may have other reasons. */
export const REACTION_VALUES: Readonly<Record<ReactionKind, number>> = {
  more: 4,
  star: 3,
  finished: 1,
  hide: -3,
  less: -4,
};
/** A reaction counts half after this time, and not at all after `MAX_REACTION_AGE_MS`. */
const HALF_LIFE_MS = 30 * DAY;
export const MAX_REACTION_AGE_MS = 180 * DAY;

/** Most that the articles of one source, the reactions of one day, and one person can add to a rule (Q23). */
const MAX_PER_SOURCE = 8;
const MAX_PER_DAY = 8;
const MAX_PER_PERSON = 16;
/** Evidence that gives half of the points. */
const HALF_EVIDENCE = 10;
const MAX_TEXT_POINTS = 20;
const MAX_SOURCE_POINTS = 8;
const MAX_AUTHOR_POINTS = 8;
/** Most that everything learned moves a score. */
export const MAX_POINTS = 25;
const MAX_TEXT_RULES = 4;

/** A reaction with its person, of whom only the limit depends. */
export type PersonsReaction = Reaction & { readonly person?: string };

/** Names of sources, for people. */
export type SourceNames = (sourceId: string) => string;

/** How common a feature is in what the sources publish, 0–1. */
export interface Background {
  share(featureKey: string): number;
}

export const NO_BACKGROUND: Background = { share: () => 0 };
export const NO_MOVEMENT: Movement = { points: 0, rules: [] };

/** A source counts as this many articles at most, so that none of them decides what is common. */
const MAX_BACKGROUND_PER_SOURCE = 20;
/** Articles without any feature that are assumed besides, for a newsroom with few articles. */
const ASSUMED_ARTICLES = 200;

export function backgroundOf(articles: readonly ReactedFacts[]): Background {
  const bySource = Map.groupBy(articles, ({ sourceIds }) => sourceIds[0] ?? '');
  const weights = new Map<string, number>();
  let total = ASSUMED_ARTICLES;
  for (const own of bySource.values()) {
    const weight = Math.min(1, MAX_BACKGROUND_PER_SOURCE / own.length);
    total += own.length * weight;
    for (const article of own)
      for (const { key } of textFeatures(article)) weights.set(key, (weights.get(key) ?? 0) + weight);
  }
  return { share: (key) => (weights.get(key) ?? 0) / total };
}

/** How much a feature distinguishes articles: 1 up to one article in a hundred, less for common ones. */
function specificity(share: number): number {
  if (share <= 0.01) return 1;
  return Math.max(0.1, Math.log(1 / share) / Math.log(100));
}

interface Supporter {
  readonly reaction: PersonsReaction;
  readonly value: number;
}

interface Evidence {
  readonly feature: Feature;
  readonly supporters: Supporter[];
}

/**
 * What reactions say about other articles (Q20): points for each concept, name, word, source and author that they have in
 * common. Additive, and computed from the reactions alone: without a reaction, its effect is gone too.
 */
export class Taste {
  /** Of the reactions, whatever their age. */
  readonly version: string;
  readonly #evidence = new Map<string, Evidence>();
  /** Keys and addresses of the articles. */
  readonly #reactedTo = new Set<string>();
  readonly #background: Background;
  readonly #sourceNames: SourceNames;

  constructor(
    reactions: readonly PersonsReaction[],
    now: number,
    options: { readonly background?: Background; readonly sourceNames?: SourceNames } = {},
  ) {
    this.#background = options.background ?? NO_BACKGROUND;
    this.#sourceNames = options.sourceNames ?? ((id) => id);
    const hash = createHash('sha256');
    for (const reaction of reactions.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))) {
      hash.update(`${reaction.person ?? ''}\0${reaction.id}\0${reaction.at}\0`);
      this.#add(reaction, now);
    }
    this.version = hash.digest('hex').slice(0, 12);
  }

  get isEmpty(): boolean {
    return this.#evidence.size === 0;
  }

  /**
   * How an article is moved, and why. Each reaction counts once for the text, whatever words it has in common. Reactions to the
   * article itself say something about others only: `own` are its keys and addresses, with those of its story.
   */
  move(facts: ReactedFacts, own: readonly string[]): Movement {
    if (this.isEmpty) return NO_MOVEMENT;
    const reacted = own.filter((each) => this.#reactedTo.has(each));
    const rules = [...this.#textRules(facts, reacted), ...this.#otherRules(facts, reacted)];
    return within(rules, MAX_POINTS);
  }

  /** What reactions to other articles say about a feature. */
  #evidenceFor(key: string, own: readonly string[]): Evidence | undefined {
    const evidence = this.#evidence.get(key);
    if (evidence === undefined || own.length === 0) return evidence;
    const { supporters } = evidence;
    const isOther = ({ key, url }: Reaction): boolean => !own.includes(key) && !own.includes(url);
    return { ...evidence, supporters: supporters.filter(({ reaction }) => isOther(reaction)) };
  }

  #add(reaction: PersonsReaction, now: number): void {
    const age = Math.max(0, now - reaction.at);
    if (age > MAX_REACTION_AGE_MS) return;
    this.#reactedTo.add(reaction.key).add(reaction.url);
    const value = REACTION_VALUES[reaction.kind] * 0.5 ** (age / HALF_LIFE_MS);
    for (const feature of [...textFeatures(reaction), ...this.#otherFeatures(reaction)]) {
      const known = this.#evidence.get(feature.key) ?? { feature, supporters: [] };
      known.supporters.push({ reaction, value: value * feature.strength });
      this.#evidence.set(feature.key, known);
    }
  }

  #otherFeatures({ sourceIds: [source], author }: ReactedFacts): readonly Feature[] {
    const features: Feature[] = [];
    if (source !== undefined)
      features.push({
        key: sourceKey(source),
        kind: 'source',
        label: this.#sourceNames(source),
        strength: 1,
      });
    if (author !== null && author.trim() !== '')
      features.push({ key: authorKey(author), kind: 'author', label: author.trim(), strength: 1 });
    return features;
  }

  #textRules(facts: ReactedFacts, own: readonly string[]): readonly LearnedRule[] {
    const found = textFeatures(facts).flatMap(({ key, strength }) => {
      const evidence = this.#evidenceFor(key, own);
      if (evidence === undefined) return [];
      const weight = MAX_TEXT_POINTS * strength * specificity(this.#background.share(key));
      return [{ evidence, weight, first: Math.abs(pointsOf(evidence.supporters, weight)) }];
    });
    const used = new Set<PersonsReaction>();
    const rules: LearnedRule[] = [];
    for (const { evidence, weight } of found.toSorted((a, b) => b.first - a.first)) {
      if (rules.length === MAX_TEXT_RULES) break;
      const unused = evidence.supporters.filter(({ reaction }) => !used.has(reaction));
      const rule = ruleOf(evidence.feature, unused, pointsOf(unused, weight));
      if (rule === null) continue;
      rules.push(rule);
      for (const { reaction } of unused) used.add(reaction);
    }
    return within(rules, MAX_TEXT_POINTS).rules;
  }

  #otherRules(facts: ReactedFacts, own: readonly string[]): readonly LearnedRule[] {
    return this.#otherFeatures(facts).flatMap(({ key, kind }) => {
      const evidence = this.#evidenceFor(key, own);
      if (evidence === undefined) return [];
      const most = kind === 'source' ? MAX_SOURCE_POINTS : MAX_AUTHOR_POINTS;
      return ruleOf(evidence.feature, evidence.supporters, pointsOf(evidence.supporters, most)) ?? [];
    });
  }
}

/** At most `weight` points, half of them at `HALF_EVIDENCE`. */
function pointsOf(supporters: readonly Supporter[], weight: number): number {
  const limited = [
    limitedSum(supporters, ({ sourceIds }) => sourceIds[0] ?? '', MAX_PER_SOURCE),
    limitedSum(supporters, ({ at }) => String(Math.floor(at / DAY)), MAX_PER_DAY),
    // A person's own taste has no other people.
    limitedSum(supporters, ({ person, id }) => person ?? id, MAX_PER_PERSON),
  ];
  const smallest = limited.reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a));
  // The limits disagree about the direction: there is no clear one.
  if (limited.some((sum) => Math.sign(sum) !== Math.sign(smallest))) return 0;
  return (weight * smallest) / (Math.abs(smallest) + HALF_EVIDENCE);
}

function limitedSum(
  supporters: readonly Supporter[],
  groupOf: (reaction: PersonsReaction) => string,
  most: number,
): number {
  const sums = new Map<string, number>();
  for (const { reaction, value } of supporters)
    sums.set(groupOf(reaction), (sums.get(groupOf(reaction)) ?? 0) + value);
  return [...sums.values()].reduce((sum, own) => sum + Math.max(-most, Math.min(most, own)), 0);
}

function ruleOf(
  { kind: feature, label, labelJa }: Feature,
  supporters: readonly Supporter[],
  exact: number,
): LearnedRule | null {
  const points = Math.round(exact);
  if (points === 0) return null;
  const reactions: Partial<Record<ReactionKind, number>> = {};
  for (const { reaction } of supporters) reactions[reaction.kind] = (reactions[reaction.kind] ?? 0) + 1;
  return { points, feature, label, ...(labelJa !== undefined && { labelJa }), reactions };
}

/** The rules with at most so many points in all; the weakest lose what is too much. */
function within(rules: readonly LearnedRule[], most: number): Movement {
  const kept: LearnedRule[] = [];
  let total = 0;
  for (const rule of rules.toSorted((a, b) => Math.abs(b.points) - Math.abs(a.points))) {
    const points = Math.max(-most, Math.min(most, total + rule.points)) - total;
    if (points === 0) continue;
    kept.push({ ...rule, points });
    total += points;
  }
  return { points: total, rules: kept };
}

/** Articles of one source and one day that are raised. Others of them keep what lowers them (Q23). */
export const MAX_RAISED_PER_SOURCE = 5;

export class RaisedArticles {
  readonly #counts = new Map<string, number>();

  /** `arrivedAt`: the time of publication is what the feed says. */
  limit(movement: Movement, { sourceIds }: ReactedFacts, arrivedAt: number): Movement {
    if (movement.points <= 0) return movement;
    if (this.count(sourceIds[0] ?? '', arrivedAt) <= MAX_RAISED_PER_SOURCE) return movement;
    return within(
      movement.rules.filter(({ points }) => points < 0),
      MAX_POINTS,
    );
  }

  /** Counts one that was raised, and returns how many there are. */
  count(sourceId: string, arrivedAt: number): number {
    const group = `${Math.floor(arrivedAt / DAY)} ${sourceId}`;
    const count = (this.#counts.get(group) ?? 0) + 1;
    this.#counts.set(group, count);
    return count;
  }
}
