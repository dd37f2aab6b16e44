import { countCharacters, takeCharacters } from '../characters.ts';
import type { Candidate } from './extract.ts';
import type { Language } from './language.ts';

export interface SummarySize {
  /** Characters in all. */
  readonly least: number;
  readonly most: number;
  /** With so many characters it says enough; a longer summary is read less. */
  readonly enough: number;
  /** Sentences; without it only the characters count. */
  readonly sentences?: readonly [least: number, most: number];
}

/**
 * Chooses the weightiest sentences that fit and do not say the same twice, and puts them in the order of the text.
 * Returns `null` where there is not enough text for it.
 */
export function compose(
  candidates: readonly Candidate[],
  size: SummarySize,
  language: Language,
): string | null {
  const [fewest, most] = size.sentences ?? [1, 6];
  const joint = language === 'en' ? 1 : 0;
  const ranked = [...candidates].sort((a, b) => b.weight - a.weight || a.position - b.position);
  const chosen: Candidate[] = [];
  let length = 0;
  for (const candidate of ranked) {
    if (chosen.length === most) break;
    const room = size.most - length - (chosen.length > 0 ? joint : 0);
    const piece = candidate.characters <= room ? candidate : null;
    if (piece === null || chosen.some((other) => overlap(other, piece) > 0.6)) continue;
    chosen.push(piece);
    length += piece.characters + (chosen.length > 1 ? joint : 0);
    if (length >= size.least && chosen.length >= fewest && length >= size.enough) break;
  }
  if (length < size.least || chosen.length < fewest) return fillUp(ranked, chosen, size, fewest, joint);
  return inOrder(chosen, joint);
}

/** What was chosen is too little: shorten the weightiest sentences that did not fit, or give up. */
function fillUp(
  ranked: readonly Candidate[],
  chosen: Candidate[],
  size: SummarySize,
  fewest: number,
  joint: number,
): string | null {
  if (fewest > 1) return briefly(ranked, size, fewest, joint);
  let length = chosen.reduce((sum, piece) => sum + piece.characters + joint, 0);
  for (const candidate of ranked) {
    if (length >= size.least) break;
    if (chosen.includes(candidate)) continue;
    const room = size.most - length - joint;
    if (room < 20) break;
    const text = shorten(candidate.text, room);
    const characters = countCharacters(text);
    chosen.push({ ...candidate, text, characters });
    length += characters + joint;
  }
  return length - joint >= size.least ? inOrder(chosen, joint) : null;
}

/** So many sentences are wanted that only short ones fit: takes the shorter ones of the weightiest. */
function briefly(
  ranked: readonly Candidate[],
  size: SummarySize,
  fewest: number,
  joint: number,
): string | null {
  if (ranked.length < fewest) return null;
  const pool = ranked.slice(0, Math.max(fewest * 3, 8)).toSorted((a, b) => a.characters - b.characters);
  const share = Math.floor((size.most - joint * (fewest - 1)) / fewest);
  const chosen = pool.slice(0, fewest).map((candidate) => {
    if (candidate.characters <= share) return candidate;
    const text = shorten(candidate.text, Math.max(share, 30));
    return { ...candidate, text, characters: countCharacters(text) };
  });
  return inOrder(chosen, joint);
}

function inOrder(chosen: readonly Candidate[], joint: number): string {
  return chosen
    .toSorted((a, b) => a.position - b.position)
    .map((piece) => piece.text)
    .join(joint === 1 ? ' ' : '');
}

function overlap(a: Candidate, b: Candidate): number {
  const small = a.units.size < b.units.size ? a.units : b.units;
  const large = small === a.units ? b.units : a.units;
  if (small.size === 0) return 0;
  let shared = 0;
  for (const unit of small) if (large.has(unit)) shared++;
  return shared / small.size;
}

/** Cuts at the end of a clause where there is one in the second half, otherwise at a word, and shows that it was cut. */
export function shorten(text: string, most: number): string {
  if (countCharacters(text) <= most) return text;
  const room = takeCharacters(text, most - 1);
  const clause = Math.max(room.lastIndexOf('、'), room.lastIndexOf(', '), room.lastIndexOf('; '));
  if (clause > room.length / 2) return `${room.slice(0, clause)}…`;
  const space = room.lastIndexOf(' ');
  return `${space > room.length * 0.6 ? room.slice(0, space) : room}…`;
}
