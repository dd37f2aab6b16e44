import { stemOf, TermIndex } from '../term-index.ts';
import { fold, hasJapanese } from '../text.ts';
import { CONCEPTS } from './concepts.ts';
import { FIELDS } from './fields.ts';

/** Vocabulary of a topic beyond its name. */
export interface Concept {
  /** The topic in other words and in the other language. */
  readonly names: readonly string[];
  /** Parts and kinds of it: an article about one of them is about the topic. */
  readonly same: readonly string[];
  /** Words that such articles use. They prove nothing alone, but indicate the sense of a name. */
  readonly near: readonly string[];
  /** Names that mean something else as often as not: they count in full only in the company of the other words. */
  readonly ambiguous: readonly string[];
  /** Names of the fields that its words belong to. */
  readonly fields: readonly string[];
}

/** A broad field of news (sport, business). It is recognised by many weighted words, in contrast to the other fields. */
export interface Field {
  readonly names: readonly string[];
  /** Its place in the list of fields. */
  readonly id: number;
  /** The fields that it is a part of, and those that are a part of it: they do not speak against it. */
  readonly relatives: ReadonlySet<number>;
}

/** What a match of a term means: pairs of a field and a weight, one after the other. */
export type FieldWeights = readonly number[];

/** Weights of the digits in the list of fields. */
const TERM_WEIGHTS: Readonly<Record<string, number>> = { '3': 3, '2': 1, '1': 0.3 };
/** The name of a field is an ordinary word, too. */
const FIELD_NAME_WEIGHT = 1;
/** What the words of a concept weigh in its fields. */
const CONCEPT_WEIGHTS = { names: 2, same: 2.5, near: 0.4 };

/** Joins two broad topics in one name: "arts & culture", "政治・経済", "Sci/Tech". */
const JOINT = /\s*(?:\/|／|・|、|,|&|＆|\+|\band\b|と)\s*/i;

/** The words that the local judge knows. Parsed once, when the first interests are compiled. */
export class Vocabulary {
  readonly fields: readonly Field[];
  /** Blocks of the list by name, parsed when they are asked for. */
  readonly #blocks = new Map<string, string[]>();
  readonly #fieldsByName = new Map<string, Field>();
  readonly #parents: number[][];
  #index: TermIndex<FieldWeights> | undefined;

  constructor() {
    for (const block of CONCEPTS.trim().split('\n\n')) {
      for (const name of namesAndParents(block.slice(0, block.indexOf('\n'))).names) {
        const key = keyOf(name);
        const known = this.#blocks.get(key);
        if (known) known.push(block);
        else this.#blocks.set(key, [block]);
      }
    }
    const heads = fieldBlocks().map(([head = '']) => namesAndParents(head));
    const placeOf = new Map(
      heads.flatMap(({ names }, id) => names.map((name) => [keyOf(name), id] as const)),
    );
    this.#parents = heads.map(({ parents }) => parents.map((name) => placeOf.get(keyOf(name)) ?? -1));
    const ancestors = heads.map((_, id) => this.#withAncestors(id));
    this.fields = heads.map(({ names }, id) => ({
      names,
      id,
      relatives: new Set(
        heads.keys().filter((other) => ancestors[id]?.has(other) || ancestors[other]?.has(id)),
      ),
    }));
    for (const field of this.fields) {
      for (const name of field.names) this.#fieldsByName.set(keyOf(name), field);
    }
  }

  /** The names of each concept. */
  conceptNames(): readonly (readonly string[])[] {
    return [...new Set([...this.#blocks.values()].flat())].map((block) => parseConcept(block).names);
  }

  /** The concepts that a topic or an alias names, in either language. */
  conceptsOf(name: string): readonly Concept[] {
    return (this.#blocks.get(keyOf(name)) ?? []).map(parseConcept);
  }

  /** The broad fields that a topic names: one, or several joined in its name; none for any other topic. */
  fieldsOf(topic: string): readonly Field[] {
    const whole = this.#fieldsByName.get(keyOf(topic));
    if (whole) return [whole];
    const parts = topic
      .trim()
      .split(JOINT)
      .map((part) => SHORT_NAMES[keyOf(part)] ?? part);
    if (parts.length < 2) return [];
    const fields = parts.map((part) => this.#fieldsByName.get(keyOf(part)));
    return fields.every((field) => field !== undefined) ? [...new Set(fields)] : [];
  }

  knows(topic: string): boolean {
    return this.conceptsOf(topic).length > 0 || this.fieldsOf(topic).length > 0;
  }

  /** All terms of all fields. Built on first use: only a broad interest needs it. */
  get fieldIndex(): TermIndex<FieldWeights> {
    this.#index ??= this.#buildIndex();
    return this.#index;
  }

  #buildIndex(): TermIndex<FieldWeights> {
    const terms = new Map<string, { text: string; weights: Map<number, number> }>();
    const ancestors = this.fields.map(({ id }) => this.#withAncestors(id));
    const add = (text: string, field: number, weight: number): void => {
      const key = termKey(text);
      const term = terms.get(key) ?? { text, weights: new Map<number, number>() };
      terms.set(key, term);
      for (const id of ancestors[field] ?? []) {
        term.weights.set(id, Math.max(weight, term.weights.get(id) ?? 0));
      }
    };
    fieldBlocks().forEach(([, ...lines], field) => {
      for (const name of this.fields[field]?.names ?? []) add(name, field, FIELD_NAME_WEIGHT);
      for (const line of lines) {
        const weight = TERM_WEIGHTS[line[0] ?? ''] ?? 0;
        for (const text of listOf(line.slice(2))) add(text, field, weight);
      }
    });
    for (const concept of CONCEPTS.trim().split('\n\n').map(parseConcept)) {
      const ambiguous = new Set(concept.ambiguous.map(keyOf));
      for (const name of concept.fields) {
        const field = this.#fieldsByName.get(keyOf(name))?.id ?? -1;
        for (const kind of ['names', 'same', 'near'] as const) {
          for (const text of concept[kind]) {
            add(text, field, ambiguous.has(keyOf(text)) ? CONCEPT_WEIGHTS.near : CONCEPT_WEIGHTS[kind]);
          }
        }
      }
    }
    return new TermIndex(
      terms.values().map(({ text, weights }) => ({
        text,
        exactCase: isAbbreviation(text),
        meaning: [...weights].flat(),
      })),
    );
  }

  #withAncestors(id: number): Set<number> {
    const found = new Set([id]);
    for (const one of found) for (const parent of this.#parents[one] ?? []) found.add(parent);
    return found;
  }
}

/** Short abbreviations (IT, WHO) mean what they mean only as they are written. */
export function isAbbreviation(text: string): boolean {
  return /^[A-Z][A-Z0-9]{1,3}$/.test(text) && text !== 'AI';
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  sci: 'science',
  biz: 'business',
  'sci-tech': 'science',
};

function keyOf(name: string): string {
  return fold(name.trim()).lower;
}

/** Singular and plural are one term: the index matches both. */
function termKey(text: string): string {
  const key = keyOf(text);
  return hasJapanese(key) ? key : key.split(' ').map(stemOf).join(' ');
}

function fieldBlocks(): string[][] {
  return FIELDS.trim()
    .split('\n\n')
    .map((block) => block.split('\n'));
}

function listOf(line: string): string[] {
  return line
    .split(', ')
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function namesAndParents(head: string): { names: string[]; parents: string[] } {
  const [names = '', parents = ''] = head.slice(2).split(' < ');
  return { names: split(names), parents: split(parents) };
}

function split(names: string): string[] {
  return names
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function parseConcept(block: string): Concept {
  const [head = '', ...lines] = block.split('\n');
  const { names, parents } = namesAndParents(head);
  const list = (mark: string): string[] =>
    lines.filter((line) => line.startsWith(mark)).flatMap((line) => listOf(line.slice(2)));
  return { names, fields: parents, same: list('+ '), near: list('~ '), ambiguous: list('? ') };
}

let loaded: Vocabulary | undefined;

export function vocabulary(): Vocabulary {
  loaded ??= new Vocabulary();
  return loaded;
}
