import { createHash } from 'node:crypto';
import type { Interest, Interests } from './judge.ts';

/** An interest as the configuration writes it (A2). */
export interface InterestEntry {
  readonly topic: string;
  readonly aliases?: readonly string[] | undefined;
  readonly priority?: Interest['priority'] | undefined;
}

/**
 * The interests of a configuration with the version that verdicts carry. The order of topics and aliases means
 * nothing, so it does not change the version.
 */
export function interestsOf(entries: readonly InterestEntry[]): Interests {
  const topics = entries.map((entry): Interest => {
    const topic = entry.topic.trim();
    const aliases = [...new Set((entry.aliases ?? []).map((alias) => alias.trim()))].filter(
      (alias) => alias !== '' && alias !== topic,
    );
    return { topic, aliases, priority: entry.priority ?? 'medium' };
  });
  return { topics, version: versionOf(topics) };
}

function versionOf(topics: readonly Interest[]): string {
  const canonical = topics
    .map((interest) => [interest.topic, interest.priority, ...interest.aliases.toSorted()])
    .toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 16);
}
