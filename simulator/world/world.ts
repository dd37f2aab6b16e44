import { HOUR } from '../../src/time/duration.ts';
import { type ArticleText, writeStory } from '../texts/article.ts';
import { CORPUS } from '../texts/corpus.ts';
import type { StoryText, TopicId } from '../texts/topic.ts';
import { findOutlet, OUTLETS, type Outlet } from './outlet.ts';
import { rngOf } from './rng.ts';

/** What is behind an item's link. */
export type PageKind =
  | 'article'
  | 'paywall'
  | 'no_text'
  /** A ministry's announcement with documents attached. */
  | 'documents'
  /** Its materials are announced for later, and are there later. */
  | 'for_later'
  /** A formality that needs no summary. */
  | 'formality';

/** One item of an outlet. */
export interface NewsItem {
  readonly outlet: Outlet;
  readonly number: number;
  readonly publishedAt: number;
  readonly article: ArticleText;
  readonly kind: PageKind;
  /** Below the base address of the pages. */
  readonly path: string;
}

const SHOWN = 20;
const KEPT_ORDERS = 100;

interface StoryChoice {
  readonly topic: TopicId;
  readonly story: StoryText;
}

/**
 * The news as a function of time and seed: item `n` of an outlet appears `n × step` after the epoch, and its content is
 * decided by seed, outlet and `n` alone. Nothing is stored, so a world that is started again continues where it was.
 */
export class World {
  readonly #seed: number;
  readonly #step: number;
  readonly #epoch: number;
  readonly #orders = new Map<string, readonly StoryChoice[]>();

  /** `everyMs`: how often something new appears somewhere in the world. */
  constructor(seed: number, everyMs: number = HOUR / OUTLETS.length, epoch = 0) {
    this.#seed = seed;
    this.#step = Math.max(1, Math.round(everyMs)) * OUTLETS.length;
    this.#epoch = epoch;
  }

  /** How long after an announcement the materials that it promises are there. */
  get laterMs(): number {
    return Math.min(HOUR, 4 * this.#step);
  }

  /** The items that the outlet's feed shows now, newest first. */
  latest(outlet: Outlet, now: number, count: number = SHOWN): NewsItem[] {
    const newest = this.newest(outlet, now);
    return Array.from({ length: count }, (_, back) => this.item(outlet, newest - back));
  }

  /** The number of the outlet's newest item. */
  newest(outlet: Outlet, now: number): number {
    return Math.floor((now - this.#phase(outlet)) / this.#step);
  }

  item(outlet: Outlet, number: number): NewsItem {
    const rng = rngOf(this.#seed, outlet.id, number);
    const echoed = outlet.echoes !== undefined && rng.next() < 0.2 ? findOutlet(outlet.echoes) : undefined;
    const article = echoed
      ? rewritten(this.item(echoed, number).article, rng.next())
      : this.#own(outlet, number);
    const kind = outlet.ministry ? ministryKind(rng.next()) : newspaperKind(rng.next());
    return {
      outlet,
      number,
      publishedAt: number * this.#step + this.#phase(outlet),
      article: kind === 'formality' ? formality(article, rng.between(1, 99)) : article,
      kind,
      path: `/${outlet.id}/${article.topic}/${number}.html`,
    };
  }

  /** The item behind a path, or `null` when there is none, or none yet. */
  find(path: string, now: number): NewsItem | null {
    const [, id, topic, rest] = path.split('/');
    const outlet = findOutlet(id ?? '');
    const number = /^(\d{1,12})\.html$/.exec(rest ?? '')?.[1];
    if (!outlet || number === undefined) return null;
    const item = this.item(outlet, Number(number));
    return item.publishedAt <= now && item.article.topic === topic ? item : null;
  }

  #own(outlet: Outlet, number: number): ArticleText {
    const stories = storiesOf(outlet);
    const order = this.#order(outlet, stories, Math.floor(number / stories.length));
    const next = order[number % stories.length];
    if (!next) throw new RangeError(`${outlet.id} has no stories`);
    return writeStory(outlet.language, next.topic, next.story, this.#seed, outlet.id, number);
  }

  /** The order of the outlet's stories in this cycle. The latest orders are cached: each is needed often. */
  #order(outlet: Outlet, stories: readonly StoryChoice[], round: number): readonly StoryChoice[] {
    const name = `${outlet.id} ${round}`;
    const known = this.#orders.get(name);
    if (known) return known;
    if (this.#orders.size >= KEPT_ORDERS) this.#orders.clear();
    const order = rngOf(this.#seed, outlet.id, round).some(stories, stories.length);
    this.#orders.set(name, order);
    return order;
  }

  /** Outlets alternate, so that the news is spread over time. */
  #phase(outlet: Outlet): number {
    return this.#epoch + Math.floor((OUTLETS.indexOf(outlet) * this.#step) / OUTLETS.length);
  }
}

/** Every story of an outlet. Each appears once before any is repeated. */
function storiesOf(outlet: Outlet): readonly StoryChoice[] {
  const known = STORIES_BY_OUTLET.get(outlet.id);
  if (known) return known;
  const all = outlet.topics.flatMap((topic) =>
    CORPUS[outlet.language][topic].stories.map((story) => ({ topic, story })),
  );
  const fitting = outlet.ministry ? all.filter(({ story }) => story.title.includes('について')) : all;
  STORIES_BY_OUTLET.set(outlet.id, fitting);
  return fitting;
}

const STORIES_BY_OUTLET = new Map<string, readonly StoryChoice[]>();

function newspaperKind(chance: number): PageKind {
  if (chance < 0.04) return 'paywall';
  return chance < 0.07 ? 'no_text' : 'article';
}

function ministryKind(chance: number): PageKind {
  if (chance < 0.45) return 'documents';
  if (chance < 0.6) return 'for_later';
  return chance < 0.8 ? 'formality' : 'article';
}

/** The same story in another paper: nearly the same title, nearly the same text. */
function rewritten(article: ArticleText, chance: number): ArticleText {
  const [first = '', ...rest] = article.paragraphs;
  const japanese = article.language === 'ja';
  const title = japanese ? `${article.title}（速報）` : `${article.title}, report says`;
  const opening = japanese ? `関係者によると、${first}` : `As first reported elsewhere: ${first}`;
  return { ...article, title: chance < 0.5 ? article.title : title, paragraphs: [opening, ...rest] };
}

function formality(article: ArticleText, number: number): ArticleText {
  const title = `庶務省告示第${number}号の官報掲載について`;
  const text = `庶務省告示第${number}号が本日の官報に掲載されましたので、お知らせします。`;
  return { ...article, title, paragraphs: [text], summary: text };
}
