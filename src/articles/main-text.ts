import { textToHtml } from '../feeds/text-html.ts';
import { findMainContent } from './main-content.ts';
import {
  isElement,
  markupOf,
  type PageDocument,
  type PageElement,
  type PageNode,
  parsePage,
  textOf,
  walk,
} from './page.ts';
import { analysePage, type Block, type Container, type PageAnalysis } from './page-analysis.ts';
import { headlineIn, isProse, isTitle, type Known } from './page-part.ts';
import type { PageSurvey } from './page-survey.ts';
import { marksOf, type Pruned, prune } from './prune.ts';
import { standfirstOf } from './standfirst.ts';
import { hasSubstance, isDenseScript, substance } from './substance.ts';

/** Shorter texts are not worth judging: a page that needs JavaScript, a cookie notice, a headline alone. */
export const MIN_SUBSTANCE = 140;
/** A shorter text is an article if it stands below its title in an element that is named as an article. */
const MIN_SHORT_SUBSTANCE = 40;
/** A shorter text is compared with the paragraphs of the whole page. */
const SUFFICIENT_SUBSTANCE = 600;
/** Scoring ancestors is quadratic in the depth; real pages stay far below this. */
const MAX_DEPTH = 500;
const MAX_HEADINGS = 50;
/** Shorter linked data are a description, not the article. */
const MIN_LINKED_TEXT = MIN_SUBSTANCE;

/** One way to read the article of a page. */
interface Reading {
  /** Amount of sentences less the links beside them: the score by which readings are compared. */
  readonly score: number;
  readonly prose: number;
  readonly text: () => string;
  readonly markup: () => string;
  readonly headings: () => readonly string[];
}

export interface MainText {
  readonly text: string;
  readonly markup: () => string;
  readonly headings: readonly string[];
  readonly title: string | null;
  readonly byline: string | null;
  /** The least that the text must hold to be one. */
  readonly minSubstance: number;
  /** The page as it was before it was read, for what stands beside the text. */
  readonly analysis: PageAnalysis | null;
}

/**
 * Finds the text of the article. The library's search comes first. Where its result looks wrong, other readings are compared
 * with it, and the one with the higher score is kept:
 *
 * - an earlier result of the library, which it gives up for a longer one when an article is short;
 * - the element that is named as the text of an article;
 * - all paragraphs of the page;
 * - the text in the linked data.
 */
export function readMain(html: string, document: PageDocument, found: PageSurvey, known: Known): MainText {
  // The library modifies the page; readings of the page as it was parse it again.
  const original = lazily(() => bodyOf(parsePage(html)));
  if (found.depth > MAX_DEPTH) {
    const text = textOf(bodyOf(document), isBoilerplate);
    return {
      text,
      markup: () => textToHtml(text),
      title: null,
      byline: null,
      headings: [],
      minSubstance: MIN_SUBSTANCE,
      analysis: null,
    };
  }
  const analysis = analysePage(bodyOf(document));
  const again = lazily(() => analysePage(original()));
  const marks = marksOf(analysis, known);
  const container = containerReading(analysis, again, known);
  const dense = isDenseScript(html);
  const library = findMainContent(document, { dense });
  const attempts = (library?.contents ?? []).map((content) => contentReading(content, known, marks));
  const paragraphs = lazily(() => paragraphsReading(prune(analysis, known), again, known));

  let best = betterAttempt(attempts);
  if (container && isBetterContainer(container, best)) best = container;
  if (best === null || (best.prose < SUFFICIENT_SUBSTANCE && paragraphs().score > 8 * best.score))
    if (paragraphs().prose >= MIN_SUBSTANCE) best = paragraphs();
  best = byLinkedText(best, [...attempts, container, paragraphs], found.linkedData.body);
  let text = best?.text() ?? '';
  const short = best === null ? shortReading(analysis, again, known) : null;
  if (short !== null) {
    best = short;
    text = short.text();
  } else if (best === null || !hasSubstance(text, MIN_SUBSTANCE)) {
    const whole = wholeReading(original, again, known);
    if (substance(whole.text()) > substance(text)) best = whole;
    text = best?.text() ?? '';
  }
  const introduction = best === null ? null : standfirstOf(analysis, known, marks, text);
  if (best !== null && introduction !== null) {
    text = `${introduction}\n\n${text}`;
    best = withIntroduction(best, introduction);
  }
  return {
    text,
    markup: best?.markup ?? (() => ''),
    headings: best?.headings() ?? [],
    title: library?.title ?? null,
    byline: library?.byline ?? null,
    minSubstance: short === null ? MIN_SUBSTANCE : MIN_SHORT_SUBSTANCE,
    analysis,
  };
}

function withIntroduction(reading: Reading, introduction: string): Reading {
  return { ...reading, markup: () => textToHtml(introduction) + reading.markup() };
}

/** The library's attempts, the strictest first. A looser one is right when the strict one lost the most of the article. */
function betterAttempt(attempts: readonly Reading[]): Reading | null {
  let best: Reading | null = null;
  for (const attempt of attempts)
    if (attempt.prose >= MIN_SUBSTANCE && (best === null || attempt.score > 3 * Math.max(best.score, 1)))
      best = attempt;
  return best;
}

interface ContainerReading extends Reading {
  /** No other element of this name holds a part of the article. */
  readonly alone: boolean;
  readonly level: number;
  /** The title of the page is in it, or, if it is an article, above it. */
  readonly titled: boolean;
  /** Amount of a text that stands in the element. */
  readonly inside: (text: string) => number;
  /** Amount of a text that stands below the element in the page. */
  readonly below: (text: string) => number;
  /** Whether what it holds beside a text stands in elements of the same names as that text. */
  readonly continues: (text: string) => boolean;
  /** Amount of prose between the headline and the end of a text that the text lacks, less what it lacks below. */
  readonly skipped: (text: string) => number;
}

/** How much more than the library an element must hold, by its level: a general name is less certain. */
const MIN_GAIN = [1.05, 1.4, 3];

/** As much more, if it stands in the same elements: rows of a page builder, tabs, cards. */
const MIN_CONTINUED = 1.1;

/** Of the library's text. */
const MIN_SKIPPED = 0.1;

/** Whether the named element is the better reading. */
function isBetterContainer(container: ContainerReading, best: Reading | null): boolean {
  if (container.prose < MIN_SUBSTANCE) return false;
  if (best === null) return true;
  // The library lost parts of the article.
  if (container.score > best.score * (MIN_GAIN[container.level] ?? 3)) return true;
  // The article is in several elements, and the library took some of them.
  if (container.score > best.score * MIN_CONTINUED && container.continues(best.text())) return true;
  // The library began too late, or left out parts in between.
  if (container.score > best.score && container.skipped(best.text()) > best.prose * MIN_SKIPPED) return true;
  // The library took something else: what stands above, below or beside the element.
  if (container.score > best.score && container.inside(best.text()) < best.prose * 0.1) return true;
  // The library took more than the article: what stands below it.
  if (!container.alone || container.level > 1) return false;
  if (container.prose > best.prose * 0.9 || container.prose < best.prose * 0.5) return false;
  return container.below(best.text()) > (best.prose - container.prose) * 0.7;
}

/** The linked data hold the text of some articles: the reading that holds most of it is right. */
function byLinkedText(
  best: Reading | null,
  others: readonly (Reading | null | (() => Reading))[],
  linked: string | null,
): Reading | null {
  if (linked === null || !hasSubstance(linked, MIN_LINKED_TEXT)) return best;
  const probes = probesOf(linked);
  if (best !== null && coverage(best.text(), probes) >= 0.7) return best;
  let most = best === null ? 0 : coverage(best.text(), probes);
  let better = best;
  for (const other of others) {
    const reading = typeof other === 'function' ? other() : other;
    const covered = reading === null ? 0 : coverage(reading.text(), probes);
    if (covered > most + 0.2) [better, most] = [reading, covered];
  }
  if (better !== null && most >= 0.7) return better;
  if (better !== null && substance(linked) < 0.5 * substance(better.text())) return better;
  const text = linked;
  return {
    prose: substance(text),
    score: substance(text),
    text: () => text,
    markup: () => textToHtml(text),
    headings: () => [],
  };
}

/** Parts of a text that are looked for in others. */
function probesOf(text: string): readonly string[] {
  const plain = squeeze(text);
  const count = 12;
  const size = 24;
  const step = Math.max(size, Math.floor((plain.length - size) / (count - 1)));
  const probes: string[] = [];
  for (let at = 0; at + size <= plain.length; at += step) probes.push(plain.slice(at, at + size));
  return probes;
}

function coverage(text: string, probes: readonly string[]): number {
  const plain = squeeze(text);
  return probes.filter((probe) => plain.includes(probe)).length / Math.max(1, probes.length);
}

function squeeze(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

function contentReading(content: PageNode, known: Known, marks: ReadonlySet<string>): Reading {
  const pruned = prune(analysePage(content), known, { marks });
  return {
    prose: pruned.prose,
    score: pruned.prose - pruned.noise,
    text: lazily(() => plainText(content, pruned, known)),
    markup: () => markupOf(content, (element) => pruned.dropped.has(element)),
    headings: () => headingsOf(content, pruned),
  };
}

function plainText(root: PageNode, { dropped, untold }: Pruned, { title }: Known): string {
  const text = textOf(root, (element) => dropped.has(element) || untold.has(element));
  // The title is a line of the text where lines are not elements.
  const [first = ''] = text.split('\n', 1);
  return first.length < 300 && isTitle(first, title) ? text.slice(first.length).trimStart() : text;
}

/** The element that is named as the text of an article, as an article, or as the main part of the page. */
function containerReading(
  analysis: PageAnalysis,
  again: () => PageAnalysis,
  known: Known,
  minSubstance = MIN_SUBSTANCE,
): ContainerReading | null {
  const sums = proseSums(analysis);
  const proseIn = ({ from, to }: Container): number => (sums[to] ?? 0) - (sums[from] ?? 0);
  const all = sums[analysis.blocks.length] ?? 0;
  const headline = headlineIn(analysis.blocks, 0, analysis.blocks.length, known.title);
  // Between the headline and the inner element is more than an introduction, and less below it.
  const beginsAbove = (outer: Container, inner: Container): boolean => {
    if (headline < 0 || !contains(outer, inner) || headline < outer.from || headline >= inner.from)
      return false;
    if (analysis.blocks.slice(headline, inner.from).filter(isProse).length < 2) return false;
    const above = (sums[inner.from] ?? 0) - (sums[headline] ?? 0);
    return above > proseIn(inner) * MIN_SKIPPED && above > (sums[outer.to] ?? 0) - (sums[inner.to] ?? 0);
  };
  for (let level = 0; level < 3; level++) {
    const named = analysis.containers.filter((each) => each.level === level);
    let best: Container | null = null;
    for (const each of named)
      if (best === null || proseIn(each) > proseIn(best) * (contains(each, best) ? 1.8 : 1)) best = each;
      else if (beginsAbove(each, best)) best = each;
    if (best === null || proseIn(best) < Math.max(minSubstance, all * 0.2)) continue;
    const chosen = best;
    const alone = named.every(
      (each) => (each.from < chosen.to && each.to > chosen.from) || proseIn(each) < proseIn(chosen) * 0.1,
    );
    const pruned = prune(analysis, known, chosen);
    if (pruned.prose < minSubstance) continue;
    const index = analysis.containers.indexOf(chosen);
    // The same element of the page that is parsed again.
    const fresh = lazily(() => {
      const page = again();
      const element = page.containers[index]?.element ?? page.root;
      return { element, pruned: prune(page, known, page.containers[index]) };
    });
    return {
      prose: pruned.prose,
      score: pruned.prose - pruned.noise,
      text: lazily(() => plainText(fresh().element, fresh().pruned, known)),
      markup: () => markupOf(fresh().element, (element) => fresh().pruned.dropped.has(element)),
      headings: () => headingsOf(fresh().element, fresh().pruned),
      alone,
      level,
      titled: analysis.blocks
        .slice(level > 1 ? chosen.from : 0, chosen.to)
        .some((block) => block.heading > 0 && isTitle(block.line, known.title)),
      inside: (text) => proseFound(analysis, chosen.from, chosen.to, text),
      below: (text) => proseFound(analysis, chosen.to, analysis.blocks.length, text),
      skipped: (text) => proseSkipped(analysis, chosen, pruned, known.title, text),
      continues: (text) => isContinued(analysis, chosen, pruned, text),
    };
  }
  return null;
}

/** What a page says that has nothing to read. */
const NOTICE = /javascript|cookie|browser|redirect|loading|captcha/i;

/** A sentence or two with the title of the page, in a named element: everything else on the page is around it. */
function shortReading(analysis: PageAnalysis, again: () => PageAnalysis, known: Known): Reading | null {
  const short = containerReading(analysis, again, known, MIN_SHORT_SUBSTANCE);
  return short === null || !short.titled || NOTICE.test(short.text()) ? null : short;
}

/** All paragraphs of the page, without what its names and its links say is not an article. */
function paragraphsReading(pruned: Pruned, again: () => PageAnalysis, known: Known): Reading {
  const fresh = lazily(() => {
    const page = again();
    const repeated = prune(page, known);
    const dropped = new Set(repeated.dropped);
    for (const block of page.blocks)
      if (block.leaf && block.heading === 0 && !isProse(block) && (block.links > 0 || block.size < 30))
        dropped.add(block.element);
    return { page, pruned: { ...repeated, dropped } };
  });
  return {
    prose: pruned.prose,
    score: pruned.prose - pruned.noise,
    text: lazily(() => plainText(fresh().page.root, fresh().pruned, known)),
    markup: () => markupOf(fresh().page.root, (element) => fresh().pruned.dropped.has(element)),
    headings: () => headingsOf(fresh().page.root, fresh().pruned),
  };
}

/** Everything, also what is shown by a script, but no menus; without what names leave out if enough remains. */
function wholeReading(original: () => PageNode, again: () => PageAnalysis, known: Known): Reading {
  const left = lazily(() => {
    const { dropped, untold } = prune(again(), known);
    const skips = (element: PageElement): boolean =>
      isBoilerplate(element) || dropped.has(element) || untold.has(element);
    return hasSubstance(textOf(original(), skips), MIN_SUBSTANCE) ? skips : isBoilerplate;
  });
  return {
    prose: 0,
    score: 0,
    text: lazily(() => (linkShareOf(again()) < 0.8 ? textOf(original(), left()) : '')),
    markup: () => markupOf(original(), left()),
    headings: () => headingsOf(original(), null),
  };
}

function linkShareOf({ blocks }: PageAnalysis): number {
  const all = blocks.reduce((sum, { size }) => sum + size, 0);
  return all === 0 ? 0 : blocks.reduce((sum, { linked }) => sum + linked, 0) / all;
}

function contains(outer: Container, inner: Container): boolean {
  return outer.from <= inner.from && outer.to >= inner.to;
}

/** Of the prose beside a text. */
const MIN_CONTINUING = 0.5;

function isContinued(
  { blocks }: PageAnalysis,
  { from, to }: Container,
  pruned: Pruned,
  text: string,
): boolean {
  const plain = squeeze(text);
  const kinds = new Set<string>();
  const others: Block[] = [];
  for (const block of blocks.slice(from, to)) {
    if (!isProse(block) || pruned.dropped.has(block.element) || pruned.untold.has(block.element)) continue;
    if (plain.includes(squeeze(block.text).slice(0, 40))) kinds.add(block.surroundings);
    else others.push(block);
  }
  const sum = (some: readonly Block[]): number => some.reduce((size, block) => size + block.size, 0);
  // Elements without names are alike everywhere.
  const alike = others.filter((block) => block.surroundings.includes('.') && kinds.has(block.surroundings));
  return sum(alike) > sum(others) * MIN_CONTINUING;
}

function proseSkipped(
  { blocks }: PageAnalysis,
  { from, to }: Container,
  pruned: Pruned,
  title: string,
  text: string,
): number {
  const headline = headlineIn(blocks, from, to, title);
  if (headline < 0) return 0;
  const plain = squeeze(text);
  let skipped = 0;
  let below = 0;
  for (const block of blocks.slice(headline + 1, to)) {
    if (!isProse(block) || pruned.dropped.has(block.element) || pruned.untold.has(block.element)) continue;
    if (!plain.includes(squeeze(block.text).slice(0, 40))) below += block.size - 2 * block.linked;
    else [skipped, below] = [skipped + below, 0];
  }
  return skipped - below;
}

/** Amount of a text that stands in a range of blocks. */
function proseFound({ blocks }: PageAnalysis, from: number, to: number, text: string): number {
  const plain = squeeze(text);
  return blocks
    .slice(from, to)
    .filter((block) => isProse(block) && plain.includes(squeeze(block.text).slice(0, 40)))
    .reduce((sum, { size }) => sum + size, 0);
}

function proseSums({ blocks }: PageAnalysis): Float64Array {
  const sums = new Float64Array(blocks.length + 1);
  for (const [index, block] of blocks.entries())
    sums[index + 1] = (sums[index] ?? 0) + (isProse(block) ? block.size : 0);
  return sums;
}

function isBoilerplate({ localName: name }: PageElement): boolean {
  return (
    name === 'nav' ||
    name === 'header' ||
    name === 'footer' ||
    name === 'aside' ||
    name === 'form' ||
    name === 'dialog'
  );
}

function headingsOf(root: PageNode, pruned: Pick<Pruned, 'dropped'> | null): readonly string[] {
  const headings: string[] = [];
  walk(root, (node) => {
    if (!isElement(node)) return node === root ? 'inside' : 'past';
    if (pruned?.dropped.has(node)) return 'past';
    if (!/^h[1-6]$/.test(node.localName)) return isBoilerplate(node) ? 'past' : 'inside';
    const text = textOf(node).replace(/\s+/g, ' ');
    if (text !== '' && headings.length < MAX_HEADINGS) headings.push(text.slice(0, 300));
    return 'past';
  });
  return headings;
}

/** A page without a body of its own is given an empty one by the parser. */
function bodyOf(document: PageDocument): PageNode {
  const { body, documentElement: root } = document;
  return (body?.firstChild ? body : root) ?? document;
}

function lazily<T>(read: () => T): () => T {
  let value: { readonly it: T } | null = null;
  return () => {
    value ??= { it: read() };
    return value.it;
  };
}
