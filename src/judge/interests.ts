import { createHash } from 'node:crypto';
import type { Verdict } from '../item/item.ts';
import type { State } from '../item/lifecycle.ts';
import type { Interest, Interests } from './judge.ts';

/** Of one interest, those of the configuration and those that owners added. */
export const MAX_ALIASES = 50;
/** Of a topic or an alias, in characters. */
export const MAX_WORD_LENGTH = 50;

/** An interest as the configuration writes it (A2). */
export interface InterestEntry {
  readonly topic: string;
  readonly aliases?: readonly string[] | undefined;
  readonly priority?: Interest['priority'] | undefined;
}

/**
 * The interests of a configuration with the version that verdicts carry. The order of topics and aliases does not change
 * the version.
 */
export function interestsOf(entries: readonly InterestEntry[]): Interests {
  const topics = entries.map((entry): Interest => {
    const topic = entry.topic.trim();
    const aliases = [...new Set((entry.aliases ?? []).map((alias) => alias.trim()))].filter(
      (alias) => alias !== '' && alias !== topic,
    );
    return { topic, aliases, priority: entry.priority ?? 'medium' };
  });
  return { topics, version: interestsVersionOf(topics) };
}

function interestsVersionOf(topics: readonly Interest[]): string {
  const canonical = topics
    .map((interest) => [interest.topic, interest.priority, ...interest.aliases.toSorted()])
    .toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 16);
}

/** The parts of a change of interests. */
export interface InterestsChange {
  readonly added: readonly Interest[];
  readonly removed: readonly Interest[];
  readonly changed: readonly {
    readonly before: Interest;
    readonly after: Interest;
    readonly newAliases: readonly string[];
    readonly lostAliases: readonly string[];
  }[];
}

/** The fields of an item that matter to a change of interests. */
export interface JudgedItem {
  readonly key: string;
  readonly title: string;
  readonly state: State;
  readonly verdict: Pick<Verdict, 'score' | 'topics' | 'interestsVersion'> | null;
}

export interface InterestsDiff<T extends JudgedItem> {
  readonly change: InterestsChange;
  /** Re-evaluated, because the change can affect their verdict. */
  readonly rejudge: readonly { readonly item: T; readonly why: string }[];
  /** Their verdict stays. */
  readonly keep: readonly T[];
  /** Published, or never judged: nothing changes for them. */
  readonly untouched: readonly T[];
}

/** States whose items are never re-evaluated. */
const FINAL: ReadonlySet<State> = new Set<State>(['published', 'baseline']);

/** Effect of a change of interests: which items would be re-evaluated, and why (for `interests diff`). */
export function interestsDiff<T extends JudgedItem>(
  before: Interests,
  after: Interests,
  items: readonly T[],
): InterestsDiff<T> {
  const change = changeOf(before, after);
  const rejudge: { item: T; why: string }[] = [];
  const keep: T[] = [];
  const untouched: T[] = [];
  for (const item of items) {
    if (FINAL.has(item.state) || item.verdict === null) untouched.push(item);
    else {
      const why = reasonToRejudge(change, item.verdict.topics);
      if (why === null) keep.push(item);
      else rejudge.push({ item, why });
    }
  }
  return { change, rejudge, keep, untouched };
}

/** Whether this change can affect a verdict with these topics. */
export function changeCanMatter(before: Interests, after: Interests, topics: readonly string[]): boolean {
  return reasonToRejudge(changeOf(before, after), topics) !== null;
}

export function changeOf(before: Interests, after: Interests): InterestsChange {
  const old = new Map(before.topics.map((interest) => [interest.topic, interest]));
  const now = new Map(after.topics.map((interest) => [interest.topic, interest]));
  const changed = [];
  for (const interest of after.topics) {
    const earlier = old.get(interest.topic);
    if (!earlier) continue;
    const newAliases = interest.aliases.filter((alias) => !earlier.aliases.includes(alias));
    const lostAliases = earlier.aliases.filter((alias) => !interest.aliases.includes(alias));
    if (earlier.priority !== interest.priority || newAliases.length > 0 || lostAliases.length > 0) {
      changed.push({ before: earlier, after: interest, newAliases, lostAliases });
    }
  }
  return {
    added: after.topics.filter(({ topic }) => !old.has(topic)),
    removed: before.topics.filter(({ topic }) => !now.has(topic)),
    changed,
  };
}

/**
 * A new topic or alias can match any text. A removal or another priority affects only verdicts that name the topic.
 */
function reasonToRejudge(change: InterestsChange, topics: readonly string[]): string | null {
  const named = new Set(topics);
  for (const { topic } of change.added) return `“${topic}” is new`;
  for (const { after, newAliases } of change.changed) {
    if (newAliases.length > 0) return `“${after.topic}” is also called “${newAliases[0]}” now`;
  }
  for (const { topic } of change.removed) if (named.has(topic)) return `“${topic}” is gone`;
  for (const { before, after } of change.changed) {
    if (!named.has(after.topic)) continue;
    if (before.priority !== after.priority)
      return `“${after.topic}” is ${after.priority} instead of ${before.priority}`;
    return `“${after.topic}” has lost an alias`;
  }
  return null;
}

/** Past interests by version: verdicts name only the version, and a change is computed against the interests of that version. */
export interface InterestsHistory {
  save(interests: Interests, now: number): Promise<void>;
  at(version: string): Promise<Interests | null>;
}
