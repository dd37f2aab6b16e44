import { coveredShare, Headline } from './headline.ts';
import { agreeing, type Figures, quantitiesOf } from './quantities.ts';
import { areOpposite, type Stage, stageOf, stagesDiffer } from './story-stages.ts';
import { meaningOf } from './word-meaning.ts';

/** A telling taken apart for comparison: its title, and the first sentences where the source gave some. */
export class ReadTelling {
  readonly title: Headline;
  readonly lead: Headline | null;
  readonly figures: Figures;
  readonly #title: string;
  readonly #text: string | undefined;
  // Most tellings are compared with nothing that comes near, so these are found when they are asked for.
  #names: readonly string[] | null = null;
  #stage: Stage | null = null;
  #kind: string | null = null;

  /** Takes its figures where they are known from when it was read before. */
  constructor(title: string, text: string | undefined, figures?: Figures) {
    this.#title = title;
    this.#text = text;
    const lead = leadOf(text);
    this.title = new Headline(title);
    this.lead = lead.trim() === '' ? null : new Headline(lead);
    this.figures = figures ?? figuresOf(this.title, this.lead);
  }

  /** How long it is, taken apart. */
  get characters(): number {
    return this.title.text.length + (this.lead?.text.length ?? 0);
  }

  /** Words of the title that are written like names. */
  get names(): readonly string[] {
    this.#names ??= namesOf(this.title, this.#title, leadOf(this.#text));
    return this.#names;
  }

  get stage(): Stage {
    this.#stage ??= stageOf(this.title.text);
    return this.#stage;
  }

  /** What kind of piece the title says it is, beyond a piece of news. */
  get kind(): string {
    this.#kind ??= kindOf(this.title.text);
    return this.#kind;
  }
}

function leadOf(text: string | undefined): string {
  return text?.slice(0, LONGEST_LEAD) ?? '';
}

function figuresOf(title: Headline, lead: Headline | null): Figures {
  const figures = quantitiesOf(title.text);
  const all = lead === null ? figures : [...figures, ...quantitiesOf(lead.text)];
  return all.length === 0 ? NO_FIGURES : { title: figures, all };
}

/** What speaks for and against two tellings being of one story; shares from 0 to 1. */
export interface Evidence {
  /** How much of the one title the other telling has, the lesser and the greater of both ways. */
  readonly lesserCover: number;
  readonly greaterCover: number;
  /** How much of each lead the other telling has, on average; 0 where one has none. */
  readonly leads: number;
  /** How much both titles and leads share, in weights; grows slowly. */
  readonly shared: number;
  readonly figuresAgree: number;
  /** Each title has a name that the other telling does not know: how much the lesser of both tells. */
  readonly otherNames: number;
  readonly namesAgree: number;
  /** The same for words of all kinds. */
  readonly otherWords: number;
  readonly noLead: number;
  /** Each title has a Japanese word whose beginning the other telling does not have: names begin words. */
  readonly otherBeginnings: number;
  readonly stagesDiffer: number;
  readonly opposite: number;
}

const NO_FIGURES: Figures = { title: [], all: [] };
const LONGEST_LEAD = 300;

const KINDS =
  /\b(review|hands[- ]on|opinion|editorial|column|interview|podcast|quiz|obituary|explained|explainer)\b|(レビュー|社説|コラム|インタビュー|解説|対談|書評)/;

function kindOf(title: string): string {
  const [, english, japanese] = KINDS.exec(title) ?? [];
  return english ?? japanese ?? '';
}

const CAPITAL = /\p{Lu}/u;

/** A word that begins with a capital inside a sentence, a foreign word in Japanese, what stands in quotation marks. */
function namesOf(head: Headline, title: string, lead: string): readonly string[] {
  const capitals = new Set<string>();
  for (const text of [title, lead]) {
    if (!CAPITAL.test(text)) continue;
    const words = text.match(/\p{L}[\p{L}\p{M}\p{N}’'-]*/gu) ?? [];
    const large = words.filter((word) => /^\p{Lu}/u.test(word)).length;
    if (large > words.length * 0.6 && words.length > 3) continue;
    for (const [index, word] of words.entries())
      if (/^\p{Lu}/u.test(word) && (index > 0 || /^\p{Lu}{2}/u.test(word)))
        capitals.add(meaningOf(word.normalize('NFKC').toLowerCase()));
  }
  return head.words.filter(
    (word) =>
      capitals.has(word) ||
      /^[\p{Script=Katakana}ー]{2,}$/u.test(word) ||
      (head.hasPairs && /^[a-z]{2,}$/.test(word)),
  );
}

export type Weigh = (word: string) => number;

export function evidence(one: ReadTelling, other: ReadTelling, weigh: Weigh): Evidence {
  const [mine, theirs] = [coverOf(one, other, weigh), coverOf(other, one, weigh)];
  const leads = one.lead && other.lead ? leadCover(one, other, weigh) : 0;
  return {
    lesserCover: Math.min(mine.whole, theirs.whole),
    greaterCover: Math.max(mine.whole, theirs.whole),
    leads,
    shared: Math.log(1 + (mine.shared + theirs.shared) / 2),
    figuresAgree:
      Math.min(
        2,
        agreeing(one.figures.title, other.figures.all) + agreeing(other.figures.title, one.figures.all),
      ) / 2,
    otherNames: Math.min(mine.lostNames, theirs.lostNames, 2),
    namesAgree: Math.min(mine.foundNames, theirs.foundNames, 2),
    otherWords: Math.min(mine.lost, theirs.lost, 4),
    otherBeginnings: Math.min(mine.lostBeginnings, theirs.lostBeginnings, 2),
    stagesDiffer: stagesDiffer(one.stage, other.stage) ? 1 : 0,
    opposite: areOpposite(one.stage, other.stage) ? 1 : 0,
    noLead: one.lead === null || other.lead === null ? 1 : 0,
  };
}

interface Cover {
  /** Share of the title's weight that the other telling has. */
  readonly whole: number;
  readonly shared: number;
  readonly lost: number;
  readonly lostBeginnings: number;
  readonly lostNames: number;
  readonly foundNames: number;
}

function coverOf(one: ReadTelling, other: ReadTelling, weigh: Weigh): Cover {
  let [all, inWhole, lostNames, lostBeginnings, foundNames] = [0, 0, 0, 0, 0];
  for (const word of one.title.words) {
    const weight = weightOf(word, weigh);
    const title = coveredShare(word, other.title);
    const whole = other.lead === null ? title : Math.max(title, coveredShare(word, other.lead));
    all += weight;
    inWhole += weight * whole;
    if (whole < 1 && isHan(word.charCodeAt(0)) && word.length > 1 && beginsElsewhere(word, other))
      lostBeginnings += weigh(word);
    if (one.names.includes(word)) {
      if (whole < 0.5) lostNames += weight;
      else foundNames += weight;
    }
  }
  return {
    lostBeginnings,
    whole: inWhole / Math.max(all, 1e-9),
    shared: inWhole,
    lost: all - inWhole,
    lostNames,
    foundNames,
  };
}

function beginsElsewhere(word: string, { title, lead }: ReadTelling): boolean {
  const beginning = word.slice(0, 2);
  return !title.text.includes(beginning) && !lead?.text.includes(beginning);
}

function leadCover(one: ReadTelling, other: ReadTelling, weigh: Weigh): number {
  const way = (from: ReadTelling, to: ReadTelling): number => {
    let [all, found] = [1e-9, 0];
    for (const word of from.lead?.words ?? []) {
      const weight = weightOf(word, weigh);
      all += weight;
      found += weight * Math.max(to.lead ? coveredShare(word, to.lead) : 0, coveredShare(word, to.title));
    }
    return found / all;
  };
  return (way(one, other) + way(other, one)) / 2;
}

/** A long Japanese run is several words, since nothing parts them. */
function weightOf(word: string, weigh: Weigh): number {
  return weigh(word) * (isHan(word.charCodeAt(0)) ? Math.min(2, Math.max(0.5, word.length / 2)) : 1);
}

/** Words are of one script, so the first character tells; the rare ones beyond the basic plane do not matter. */
function isHan(code: number): boolean {
  return code >= 0x3400 && code <= 0x9fff;
}
