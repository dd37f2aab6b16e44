import { type Headline, readHeadline } from './headline.ts';
import type { ItemKey } from './item.ts';
import { featureHash, type Signature, SignatureIndex, signatureOf } from './min-hash.ts';
import { sameStory } from './same-story.ts';

/** One telling of a story: an item as one source has it. */
export interface Telling {
  readonly key: ItemKey;
  readonly title: string;
  /** Text that the source gave, where it gave one. */
  readonly text?: string;
  readonly publishedAt: number;
}

export interface StoryGroupsOptions {
  /** Tellings further apart are two stories: the same headline comes back every week. */
  readonly windowMs?: number;
}

export interface Placement {
  /** The key of the group's first telling; the telling's own where it is alone. */
  readonly group: ItemKey;
  /** All that tell it so far, the first one first, this one included. */
  readonly members: readonly ItemKey[];
  /** Why it was put there, for people. */
  readonly why: string;
}

const DAY = 24 * 3_600_000;
const TITLES = { bands: 16 };
const TEXTS = { bands: 10 };
/** Texts shorter than this are too alike by chance. */
const SHORTEST_TEXT = 80;
const LONGEST_TEXT = 600;
/** Below this much agreement of signatures a look at the words is not worth it. */
const WORTH_A_LOOK = 0.2;
/** Weighed by their signatures, and compared word by word. */
const MOST_WEIGHED = 12;
const MOST_COMPARED = 5;
/** Titles that are kept taken apart, since a story is told again soon or never. */
const MOST_HEADLINES = 8_192;

/**
 * The same story from several sources, recognised as it comes in (X3): add a telling, get its group. Groups only point
 * at items; nothing is hidden, and a person can take a telling out of its group again.
 */
export class StoryGroups {
  readonly #window: number;
  #titles = new SignatureIndex(TITLES);
  #texts = new SignatureIndex(TEXTS);
  #tellings: Telling[] = [];
  /** For each telling its number among the texts, or -1. */
  #textOf: number[] = [];
  /** For each text the telling it belongs to. */
  #tellingOf: number[] = [];
  #numbers = new Map<ItemKey, number>();
  /** For each telling the first one of its group. */
  #first: number[] = [];
  #members = new Map<number, number[]>();
  #headlines: { readonly number: number; readonly headline: Headline }[] = [];

  constructor(options: StoryGroupsOptions = {}) {
    this.#window = options.windowMs ?? 3 * DAY;
  }

  get size(): number {
    return this.#tellings.length;
  }

  /** Finds the group of a telling, or begins a new one. A telling that is known stays where it is. */
  add(telling: Telling): Placement {
    const known = this.#numbers.get(telling.key);
    if (known !== undefined) return this.#placement(known, 'known already');
    const headline = readHeadline(telling.title);
    const title = signatureOf(titleFeatures(headline), TITLES);
    const text = textSignature(telling.text);
    const match = this.#bestMatch(telling, headline, title, text);
    const number = this.#store(telling, title, text);
    this.#keepHeadline(number, headline);
    if (match === null) {
      this.#first[number] = number;
      return this.#placement(number, 'nothing like it');
    }
    const first = this.#first[match.number] ?? match.number;
    this.#first[number] = first;
    const members = this.#members.get(first);
    if (members === undefined) this.#members.set(first, [first, number]);
    else members.push(number);
    return this.#placement(number, match.why);
  }

  /** Where a telling is now; `null` if it is not known (any more). */
  find(key: ItemKey): Placement | null {
    const number = this.#numbers.get(key);
    return number === undefined ? null : this.#placement(number, 'known already');
  }

  /** Takes a telling out of its group: it was merged by mistake. */
  separate(key: ItemKey): void {
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    const first = this.#first[number] ?? number;
    const others = (this.#members.get(first) ?? []).filter((member) => member !== number);
    this.#members.delete(first);
    this.#first[number] = number;
    const [heir] = others;
    if (heir === undefined) return;
    for (const other of others) this.#first[other] = heir;
    if (others.length > 1) this.#members.set(heir, others);
  }

  /** Drops tellings that are older; what is left keeps its groups. */
  forget(before: number): void {
    const kept = this.#tellings
      .map((telling, number) => ({ telling, number }))
      .filter(({ telling }) => telling.publishedAt >= before);
    const [titles, texts, textOf, first] = [this.#titles, this.#texts, this.#textOf, this.#first];
    this.#titles = new SignatureIndex(TITLES);
    this.#texts = new SignatureIndex(TEXTS);
    [this.#tellings, this.#textOf, this.#tellingOf, this.#first] = [[], [], [], []];
    this.#numbers = new Map();
    this.#members = new Map();
    this.#headlines = [];
    const heirs = new Map<number, number>();
    for (const { telling, number } of kept) {
      const text = textOf[number] ?? -1;
      const moved = this.#store(telling, titles.signature(number), text < 0 ? null : texts.signature(text));
      const group = first[number] ?? number;
      const heir = heirs.get(group) ?? moved;
      heirs.set(group, heir);
      this.#first[moved] = heir;
      if (heir !== moved) this.#members.set(heir, [...(this.#members.get(heir) ?? [heir]), moved]);
    }
  }

  #store(telling: Telling, title: Signature, text: Signature | null): number {
    const number = this.#titles.add(title);
    this.#tellings.push(telling);
    this.#numbers.set(telling.key, number);
    this.#textOf[number] = text === null ? -1 : this.#texts.add(text);
    if (text !== null) this.#tellingOf.push(number);
    return number;
  }

  #bestMatch(
    telling: Telling,
    headline: Headline,
    title: Signature,
    text: Signature | null,
  ): { number: number; why: string } | null {
    let best: { number: number; why: string; likeness: number } | null = null;
    for (const number of this.#candidates(telling, title, text)) {
      const textNumber = this.#textOf[number] ?? -1;
      const texts = text === null || textNumber < 0 ? null : this.#texts.agreement(textNumber, text);
      const { same, likeness, why } = sameStory(headline, this.#headline(number), texts);
      if (same && (best === null || likeness > best.likeness)) best = { number, why, likeness };
      if (best?.likeness === 1) break;
    }
    return best;
  }

  /** The most promising tellings within the window, the most alike first. */
  #candidates(telling: Telling, title: Signature, text: Signature | null): number[] {
    const found = new Map<number, number>();
    for (const number of this.#titles.nearest(title, MOST_WEIGHED)) {
      const likeness = this.#titles.agreement(number, title);
      if (likeness >= WORTH_A_LOOK && this.#isNear(number, telling)) found.set(number, likeness);
    }
    for (const number of text === null ? [] : this.#texts.nearest(text, MOST_COMPARED)) {
      const other = this.#tellingOf[number] ?? -1;
      if (this.#isNear(other, telling)) found.set(other, 1);
    }
    const ranked = [...found].sort((a, b) => b[1] - a[1]).slice(0, MOST_COMPARED);
    return ranked.map(([number]) => number);
  }

  #isNear(number: number, telling: Telling): boolean {
    const other = this.#tellings[number];
    return other !== undefined && Math.abs(other.publishedAt - telling.publishedAt) <= this.#window;
  }

  #headline(number: number): Headline {
    const kept = this.#headlines[number % MOST_HEADLINES];
    if (kept?.number === number) return kept.headline;
    const headline = readHeadline(this.#tellings[number]?.title ?? '');
    this.#keepHeadline(number, headline);
    return headline;
  }

  #keepHeadline(number: number, headline: Headline): void {
    this.#headlines[number % MOST_HEADLINES] = { number, headline };
  }

  #placement(number: number, why: string): Placement {
    const first = this.#first[number] ?? number;
    const members = this.#members.get(first) ?? [first];
    const keyOf = (member: number): ItemKey[] => {
      const telling = this.#tellings[member];
      return telling === undefined ? [] : [telling.key];
    };
    return { group: keyOf(first)[0] ?? ('' as ItemKey), members: members.flatMap(keyOf), why };
  }
}

/** Pieces of four letters of each word that counts, and pairs of Japanese characters. */
function* titleFeatures({ words, numbers, pairs }: Headline): Generator<number> {
  for (const pair of pairs) yield featureHash(pair);
  for (const number of numbers) yield featureHash(number);
  for (const word of words) {
    if (!/^[a-z]/i.test(word) && pairs.size > 0) continue;
    if (word.length <= 4) yield featureHash(word);
    for (let i = 0; i + 4 <= word.length; i++) yield featureHash(word.slice(i, i + 4));
  }
}

/** Three words, or five Japanese characters, in a row: what two texts share only if one was copied from the other. */
function textSignature(text: string | undefined): Signature | null {
  const plain = text?.slice(0, LONGEST_TEXT).normalize('NFKC').toLowerCase();
  if (plain === undefined || plain.length < SHORTEST_TEXT) return null;
  return signatureOf(textFeatures(plain), TEXTS);
}

function* textFeatures(text: string): Generator<number> {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
  if (japanese) {
    const run = words.join('');
    for (let i = 0; i + 5 <= run.length; i++) yield featureHash(run.slice(i, i + 5));
    return;
  }
  for (let i = 0; i + 3 <= words.length; i++) yield featureHash(words.slice(i, i + 3).join(' '));
}
