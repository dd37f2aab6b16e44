import { isJapanese, letterKindAt } from './letters.ts';
import type { Word } from './word.ts';
import { meaningOf } from './word-meaning.ts';

/** What the comparison of two templated titles needs of an item. */
export interface TemplatedItem {
  /** In NFKC and lower case. */
  readonly title: { readonly text: string };
  readonly lead: { readonly text: string } | null;
  /** Words of the title that are written like names. */
  readonly names: readonly Word[];
}

/** Minimum share of the longer title that both have at the beginning and at the end. */
const MIN_FRAME_SHARE = 0.5;
/** From this share on, no text needs to confirm that the difference is a name. */
const CERTAIN_FRAME_SHARE = 0.75;
const MIN_FRAME_WORDS = 4;
const MIN_FRAME_LETTERS = 8;
/** Longer differences are other wordings, not other names. */
const MAX_SLOT_WORDS = 5;
const MAX_SLOT_LETTERS = 10;

/**
 * Whether two titles are one form of words with another name or number in it: "Ransomware at Wexcombe hospital" and
 * "Ransomware at Tarrow hospital", "Weekly report 12" and "Weekly report 13". Reports of one story hardly ever agree in all
 * words but that; series, agencies and automatic reports do, and so do their texts.
 */
export function fillsTemplate(one: TemplatedItem, other: TemplatedItem): boolean {
  const found = slotsOf(one.title.text, other.title.text);
  if (found === null) return false;
  const [mine, theirs] = found.slots;
  if (found.isCertain && isNumber(mine) && isNumber(theirs)) return true;
  return hasOwnName(mine, one, other, found) && hasOwnName(theirs, other, one, found);
}

interface Slots {
  /** What stands in either title between the common beginning and the common end. */
  readonly slots: readonly [string, string];
  readonly isCertain: boolean;
  /** A word at the beginning of a title has a capital whatever it is. */
  readonly isFirst: boolean;
  /** After these particles a Japanese title says what happened: 予算案の修正を表明. */
  readonly isPredicate: boolean;
}

/** `null` if too little is common. */
function slotsOf(one: string, other: string): Slots | null {
  const [a, b] = [partsOf(one), partsOf(other)];
  const shorter = Math.min(a.length, b.length);
  let before = 0;
  while (before < shorter && a[before] === b[before]) before++;
  let after = 0;
  while (after < shorter - before && a.at(-1 - after) === b.at(-1 - after)) after++;
  const frame = [...a.slice(0, before), ...a.slice(a.length - after)];
  const slots = [a.slice(before, a.length - after), b.slice(before, b.length - after)] as const;
  if (slots.some((slot) => slot.length === 0)) return null;
  const isWithoutSpaces = frame.some(isJapanesePart);
  if (frame.length < (isWithoutSpaces ? MIN_FRAME_LETTERS : MIN_FRAME_WORDS)) return null;
  if (slots.some((slot) => slot.length > (isWithoutSpaces ? MAX_SLOT_LETTERS : MAX_SLOT_WORDS))) return null;
  const share = frame.length / Math.max(a.length, b.length);
  if (share < MIN_FRAME_SHARE) return null;
  const join = (slot: readonly string[]): string => slot.join(isWithoutSpaces ? '' : ' ');
  return {
    slots: [join(slots[0]), join(slots[1])],
    isCertain: share >= CERTAIN_FRAME_SHARE,
    isFirst: before === 0,
    isPredicate: /^[をがはも]$/.test(a[before - 1] ?? ''),
  };
}

const PART =
  /[一二三四五六七八九十]+|[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]|[[\p{L}\p{M}\p{N}’'.\-]--[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]]+/gv;

/** Words where there are spaces, letters where there are none. */
function partsOf(text: string): readonly string[] {
  return text.match(PART) ?? [];
}

function isJapanesePart(part: string): boolean {
  return isJapanese(letterKindAt(part, 0));
}

function isNumber(slot: string): boolean {
  return /^\d[\d.,]*(?:st|nd|rd|th)?$|^[一二三四五六七八九十]+$/.test(slot);
}

/** The slot holds a name that the other item does not have. */
function hasOwnName(slot: string, own: TemplatedItem, other: TemplatedItem, found: Slots): boolean {
  return namesIn(slot, own, found).some(
    (name) => !other.title.text.includes(name) && other.lead?.text.includes(name) !== true,
  );
}

const RUN = /[\p{Script=Han}\p{Script=Katakana}ー]{2,}|\p{Script=Hiragana}{3,}|[a-z][\p{L}\p{M}’'-]+/gu;

/**
 * Words that are written like names. In Japanese, and at the beginning of a title, nothing shows that; there the text has to
 * repeat the word, or the titles have to agree in nearly all others.
 */
function namesIn(slot: string, { names, lead }: TemplatedItem, found: Slots): readonly string[] {
  const { isCertain, isFirst, isPredicate } = found;
  return (slot.match(RUN) ?? []).filter((run) => {
    const meaning = meaningOf(run);
    if (names.some(({ text }) => text === meaning)) return true;
    if (!(isFirst || isJapanesePart(run))) return false;
    return (isCertain && !isPredicate) || lead?.text.includes(run) === true;
  });
}
