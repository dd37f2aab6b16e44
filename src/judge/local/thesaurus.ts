import concepts from './concepts.json' with { type: 'json' };
import { fold } from './folded-text.ts';

/** What is known of a topic beyond its name. */
export interface Concept {
  /** The topic in other words and in the other language. */
  readonly names: readonly string[];
  /** Parts and kinds of it: an article about one of them is about the topic. */
  readonly same: readonly string[];
  /** Words that such articles use. They prove nothing alone, but tell which sense of a name is meant. */
  readonly near: readonly string[];
  /** Names that mean something else as often as not: they count in full only in the company of the other words. */
  readonly ambiguous: readonly string[];
}

interface ConceptEntry {
  readonly names: readonly string[];
  readonly same?: readonly string[];
  readonly near?: readonly string[];
  readonly ambiguous?: readonly string[];
}

let byName: Map<string, Concept> | undefined;

/** The concept that a topic or an alias names, in either language. */
export function conceptOf(name: string): Concept | undefined {
  byName ??= index(concepts);
  return byName.get(fold(name.trim()).lower);
}

function index(entries: readonly ConceptEntry[]): Map<string, Concept> {
  const map = new Map<string, Concept>();
  for (const entry of entries) {
    const concept: Concept = {
      names: entry.names,
      same: entry.same ?? [],
      near: entry.near ?? [],
      ambiguous: entry.ambiguous ?? [],
    };
    for (const name of entry.names) map.set(fold(name).lower, concept);
  }
  return map;
}
