import { type Comparison, MISMATCH_SURPLUS } from './compare.ts';
import { type Bearers, GroupProfile, MIN_PROFILE_SIZE } from './group-profile.ts';
import type { StoryFeatures } from './story-features.ts';
import { hasWord } from './word.ts';

/** What is known of all items, by their numbers. */
export interface KnownItems {
  /** The first item of the group of an item. */
  groupOf(number: number): number;
  sizeOf(group: number): number;
  membersOf(number: number): readonly number[];
  featuresOf(number: number): StoryFeatures;
  compare(features: StoryFeatures, number: number): Comparison;
  /** The newest items that have a word. */
  itemsWith(word: number, limit: number): readonly number[];
  /** Number of items that have a word, and of all. */
  countOf(word: number): number;
  count(): number;
}

/** A large group that an item belongs to. */
export interface Typical {
  /** The member that has most in common with it. */
  readonly member: number;
  readonly surplus: number;
}

/** An item outside of a large group that belongs to it. */
export interface Outsider extends Typical {
  readonly number: number;
}

/** A group looks for further items when it has grown by this factor. */
const MIN_GROWTH = 1.06;
/** Maximum items that are looked at for each subject of a group, the newest first. */
const MAX_BEARERS = 300;
/** Share of another group that has to belong to it, and how large that may be. */
const MIN_GATHERED_SHARE = 0.6;
const MAX_GATHERED_SIZE = 0.5;
/** Members that an item is compared with, and among which the most similar one is looked for; the newest first. */
const MAX_MEMBERS_COMPARED = 3;
const MAX_MEMBERS_READ = 16;

/** Joins items to large groups by what is typical of a whole group (see `GroupProfile`). */
export class LargeGroups {
  readonly #known: KnownItems;
  /** Of every large group by its first item; a profile is completed when it is needed. */
  readonly #profiles = new Map<number, GroupProfile>();

  constructor(known: KnownItems) {
    this.#known = known;
  }

  clear(): void {
    this.#profiles.clear();
  }

  /** To be called when a group has new members, or is a new one. */
  grown(group: number): void {
    if (!this.#profiles.has(group) && this.#known.sizeOf(group) >= MIN_PROFILE_SIZE)
      this.#profiles.set(group, new GroupProfile());
  }

  /** To be called when a group has ended or has lost a member. */
  ended(group: number): void {
    this.#profiles.delete(group);
  }

  /** The group of one of the candidates, the most similar first, that a new item fits best. */
  bestFor(
    features: StoryFeatures,
    candidates: readonly number[],
    apart: ReadonlySet<number>,
  ): Typical | null {
    if (this.#profiles.size === 0) return null;
    let best: Typical | null = null;
    const tried: number[] = [];
    for (const member of candidates) {
      const group = this.#known.groupOf(member);
      const profile = this.#profiles.get(group);
      if (profile === undefined || apart.has(group) || tried.includes(group)) continue;
      tried.push(group);
      const surplus = this.#surplusOf(features, group, profile);
      if (surplus < 0 || (best !== null && surplus <= best.surplus)) continue;
      if (!this.#contradicts(features, group, member)) best = { member, surplus };
    }
    return best;
  }

  /** Whether the group of an item is large and has grown since it last gathered items. */
  hasGrown(number: number): boolean {
    const group = this.#known.groupOf(number);
    const profile = this.#profiles.get(group);
    return profile !== undefined && this.#known.sizeOf(group) >= profile.gatheredAt * MIN_GROWTH;
  }

  /** Finds what belongs to the group of an item and is in none, or in a smaller one. */
  gather(number: number, join: (outsider: Outsider) => void): void {
    const { groupOf, sizeOf, itemsWith } = this.#known;
    const group = groupOf(number);
    const profile = this.#profiles.get(group);
    if (profile === undefined) return;
    this.#complete(profile, group);
    profile.gatheredAt = sizeOf(group);
    const tried = new Set([group]);
    for (const subject of profile.subjects)
      for (const bearer of itemsWith(subject, MAX_BEARERS)) {
        const otherGroup = groupOf(bearer);
        if (tried.has(otherGroup)) continue;
        tried.add(otherGroup);
        const outsider = this.#outsiderIn(otherGroup, group, profile);
        if (outsider !== null) join(outsider);
      }
  }

  /** The item of another group that fits best, if most of that group fits. */
  #outsiderIn(otherGroup: number, group: number, profile: GroupProfile): Outsider | null {
    const { membersOf, featuresOf } = this.#known;
    const [members, others] = [membersOf(group), membersOf(otherGroup)];
    if (others.length > members.length * MAX_GATHERED_SIZE) return null;
    let best: Outsider | null = null;
    let fitting = 0;
    for (const number of others) {
      const features = featuresOf(number);
      const surplus = this.#surplusOf(features, group, profile);
      if (surplus < 0) continue;
      const member = this.#closestTo(features, members);
      if (this.#contradicts(features, group, member)) continue;
      fitting++;
      if (best === null || surplus > best.surplus) best = { number, member, surplus };
    }
    return fitting >= others.length * MIN_GATHERED_SHARE ? best : null;
  }

  /** At least 0 if a headline belongs to a group, as far as its profile says. */
  #surplusOf(features: StoryFeatures, group: number, profile: GroupProfile): number {
    this.#complete(profile, group);
    if (profile.isOtherPiece(features)) return -MISMATCH_SURPLUS;
    const { countOf, count } = this.#known;
    const bearersOf = (subject: number): Bearers => this.#bearersOf(subject, group);
    return profile.surplusOf(features, { countOf, count, bearersOf });
  }

  /** Whether it contradicts one of a few members. Of the stages of a story the profile knows more than they do. */
  #contradicts(features: StoryFeatures, group: number, closest: number): boolean {
    const { membersOf, compare } = this.#known;
    return [closest, ...membersOf(group).slice(-MAX_MEMBERS_COMPARED)].some((member) => {
      const { isContradiction, isOtherStage } = compare(features, member);
      return isContradiction === true && isOtherStage !== true;
    });
  }

  /** The newest member that shares most words of a title. */
  #closestTo({ title }: StoryFeatures, members: readonly number[]): number {
    let [closest, most] = [members.at(-1) ?? -1, -1];
    for (const member of members.slice(-MAX_MEMBERS_READ)) {
      const { words } = this.#known.featuresOf(member).title;
      const shared = title.words.filter((word) => hasWord(words, word)).length;
      if (shared >= most) [closest, most] = [member, shared];
    }
    return closest;
  }

  /** The items outside of a group that have one of its subjects. */
  #bearersOf(subject: number, group: number): Bearers {
    const { groupOf, membersOf, itemsWith } = this.#known;
    const start = membersOf(group).reduce((first, member) => Math.min(first, member));
    let [rival, earlier] = [0, 0];
    for (const bearer of itemsWith(subject, MAX_BEARERS)) {
      if (groupOf(bearer) === group) continue;
      rival = Math.max(rival, membersOf(bearer).length);
      if (bearer < start) earlier++;
    }
    return { rival, earlier };
  }

  /** Members only ever come last, so what was counted stays. */
  #complete(profile: GroupProfile, group: number): void {
    const members = this.#known.membersOf(group);
    for (let n = profile.size; n < members.length; n++)
      profile.add(this.#known.featuresOf(members[n] ?? group));
  }
}
