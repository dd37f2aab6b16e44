import { Headline, MAX_HEADLINE_LENGTH } from './headline.ts';
import { LetterKind, letterKindAt } from './letters.ts';
import { type Figures, quantitiesOf } from './quantities.ts';
import { type Stage, stageOf } from './story-stages.ts';
import type { Word } from './word.ts';
import { isCommonWord, isDate, isInitials, meaningOf } from './word-meaning.ts';

/** What an item is compared by. */
export interface StoryText {
  readonly title: string;
  /** Text from the source, if it provides one. */
  readonly text?: string;
  readonly publishedAt?: number;
}

/** The features of an item for comparison: of its title, and of the first sentences if the source provides some. */
export class StoryFeatures {
  readonly title: Headline;
  readonly lead: Headline | null;
  readonly figures: Figures;
  readonly publishedAt: number | null;
  readonly #title: string;
  readonly #text: string | undefined;
  // Computed on first use: most items are not compared with a similar one.
  #names: Names | null = null;
  #stage: Stage | null = null;
  #places: readonly string[] | null = null;
  #kind: string | null = null;

  /** `figures`: those computed before, if any. */
  constructor({ title, text, publishedAt }: StoryText, figures?: Figures) {
    this.publishedAt = publishedAt ?? null;
    this.#title = title.slice(0, MAX_HEADLINE_LENGTH);
    this.#text = text;
    const lead = leadOf(text);
    this.title = new Headline(title);
    this.lead = lead.trim() === '' ? null : new Headline(lead);
    this.figures = figures ?? figuresOf(this.title, this.lead);
  }

  /** Size in the cache. */
  get characters(): number {
    return this.title.text.length + (this.lead?.text.length ?? 0);
  }

  /** Words of the title that are written like names. */
  get names(): readonly Word[] {
    return this.#readNames().all;
  }

  /** Those that are names for certain: not every word of that title has a capital. */
  get certainNames(): readonly Word[] {
    return this.#readNames().certain;
  }

  #readNames(): Names {
    this.#names ??= namesOf(this.title, this.#title, leadOf(this.#text));
    return this.#names;
  }

  /** A word of the title as it is written there. */
  written({ text }: Word): string {
    const found = this.#title.match(/\p{L}[\p{L}\p{M}’']*/gu) ?? [];
    return found.find((token) => meaningOf(token.normalize('NFKC').toLowerCase()) === text) ?? text;
  }

  /** The beginnings of the places in a Japanese title: 熊本で, 能代沖, 花房市. */
  get places(): readonly string[] {
    this.#places ??= this.title.hasPairs
      ? [...this.title.text.matchAll(PLACE)].map(([place]) => place.slice(0, 2))
      : NO_PLACES;
    return this.#places;
  }

  get stage(): Stage {
    this.#stage ??= stageOf(this.title.text);
    return this.#stage;
  }

  /** The kind of article by its title, if it is not plain news. */
  get kind(): string {
    this.#kind ??= pieceKindOf(this.title.text);
    return this.#kind;
  }
}

function leadOf(text: string | undefined): string {
  return text?.slice(0, MAX_LEAD_LENGTH) ?? '';
}

function figuresOf(title: Headline, lead: Headline | null): Figures {
  const figures = quantitiesOf(title.text);
  const all = lead === null ? figures : [...figures, ...quantitiesOf(lead.text)];
  return all.length === 0 ? NO_FIGURES : { title: figures, all };
}

const NO_FIGURES: Figures = { title: [], all: [] };
const NO_PLACES: readonly string[] = [];
const PLACE =
  /[\p{Script=Han}\p{Script=Katakana}ー]{2,5}?(?=[沖県市町村]|地方)|(?<=^|[\s、・])\p{Script=Han}{2,4}(?=で(?!も))/gu;
const MAX_LEAD_LENGTH = 300;

/** A review that an authority opens is no kind of article. */
const KINDS =
  /\b(review(?<!\b(?:opens?|opened|launch(?:es|ed)?|orders?|ordered|begins?|starts?|faces?|under|pending|demands?|wants?|in-depth|judicial|merger|safety|strategic|independent|internal|urgent)\b[^:|]{0,24}review)|hands[- ]on|opinion|editorial|column|interview|podcast|quiz|obituary|explained|explainer)\b|(レビュー|社説|コラム|インタビュー|解説|対談|書評)/;

function pieceKindOf(title: string): string {
  const [, english, japanese] = KINDS.exec(title) ?? [];
  return english ?? japanese ?? '';
}

const NAME_TOKEN = /\p{L}[\p{L}\p{M}\p{N}’'-]*/gu;
const CAPITAL = /^\p{Lu}/u;
const TWO_CAPITALS = /^\p{Lu}{2}/u;
const NO_NAMES: Names = { all: [], certain: [] };

/** Words of a title that are written like names. */
interface Names {
  readonly all: readonly Word[];
  /** Without those of a headline in which every word has a capital. */
  readonly certain: readonly Word[];
}

/** A word that begins with a capital inside a sentence, a foreign word in Japanese, or text in quotation marks. */
function namesOf(head: Headline, title: string, lead: string): Names {
  const capitals = new Map<string, boolean>();
  addCapitals(capitals, title);
  if (lead !== '') addCapitals(capitals, lead);
  if (capitals.size === 0 && !head.hasPairs && !head.words.some(({ isJapanese }) => isJapanese))
    return NO_NAMES;
  const certain: Word[] = [];
  const all = head.words.filter((word) => {
    const found = isNameLike(word, head.hasPairs) || isInitials(word.text) ? true : capitals.get(word.text);
    if (found === true) certain.push(word);
    return found !== undefined;
  });
  if (all.length === 0) return NO_NAMES;
  return { all, certain: certain.length === all.length ? all : certain };
}

function isNameLike({ text, isJapanese, isCommon }: Word, hasPairs: boolean): boolean {
  if (!isJapanese) return hasPairs && /^[a-z]{2,}$/.test(text);
  const kind = letterKindAt(text, 0);
  // Hiragana are words only in quotation marks.
  if (kind === LetterKind.hiragana) return true;
  return (kind === LetterKind.katakana || kind === LetterKind.long) && text.length > 1 && !isCommon;
}

/** Adds the meanings of what is written like a name, and whether that is certain. */
function addCapitals(capitals: Map<string, boolean>, text: string): void {
  if (!/\p{Lu}/u.test(text)) return;
  const words = text.match(NAME_TOKEN) ?? [];
  let large = 0;
  for (const word of words) if (hasCapital(word)) large++;
  // In a headline where every word has a capital, names are words that news of other subjects does not have.
  const isTitleCase = large > words.length * 0.6 && words.length > 3;
  for (const [index, word] of words.entries()) {
    if (!hasCapital(word)) continue;
    if (!isTitleCase && index === 0 && !TWO_CAPITALS.test(word)) continue;
    const meaning = meaningOf(word.normalize('NFKC').toLowerCase());
    if (isTitleCase && isCommonWord(meaning)) continue;
    if (!isDate(meaning)) capitals.set(meaning, !isTitleCase || capitals.get(meaning) === true);
  }
}

function hasCapital(word: string): boolean {
  const code = word.charCodeAt(0);
  return code < 0x80 ? code >= 0x41 && code <= 0x5a : CAPITAL.test(word);
}
