import { shorten } from '../../item/shorten.ts';
import { plainLine } from '../plain-text.ts';
import type { Content, ContentItem, EditedItem } from '../publisher.ts';
import { fillTemplate, type Template, templateValues } from '../template.ts';

/** Discord's own limits for one message. */
export const MAX_EMBEDS = 10;
const MAX_CONTENT = 2000;
const MAX_TITLE = 256;
const MAX_DESCRIPTION = 4096;
const MAX_MESSAGE_LENGTH = 6000;
const MAX_THREAD_NAME = 100;

/** Our limits: lists of topics and sources, and the source's name, stay readable. */
const MAX_FIELD = 400;
const MAX_FOOTER = 200;
/** Ten embeds of this size with the longest titles always fit into one message, so no item is omitted. */
const TIGHT_FIELD = 100;
const TIGHT_FOOTER = 80;

/** Vermilion, the colour of the seal on a printed sheet. */
const DEFAULT_COLOUR = '#c73e2c';

/** Configured appearance of the messages. */
export interface DigestStyle {
  /** `#rrggbb`, of the bar beside each embed. */
  readonly colour?: string;
  /** The text below each title; default: the summary. The template may use Discord's markup, the values are escaped. */
  readonly template?: Template;
}

interface Embed {
  title: string;
  url: string;
  description: string;
  color: number;
  fields: { name: string; value: string; inline: boolean }[];
  footer: { text: string };
}

export interface DigestBody {
  readonly content: string;
  readonly embeds: readonly Embed[];
  readonly allowed_mentions: { readonly parse: readonly [] };
}

/** A different appearance is a different message. */
export function digestVersion({ colour = DEFAULT_COLOUR, template }: DigestStyle): string {
  const words = template === undefined || isDefaultTemplate(template) ? '' : `-${template.version}`;
  return `digest-2-${colour.slice(1).toLowerCase()}${words}`;
}

/** One message with an embed per item (A6). Titles and links are the ledger's; summaries are shortened first. */
export function digest(
  content: Content,
  { colour = DEFAULT_COLOUR, template }: DigestStyle = {},
): DigestBody {
  if (content.items.length > MAX_EMBEDS) throw new RangeError(`a digest has at max ${MAX_EMBEDS} items`);
  const color = Number.parseInt(colour.slice(1), 16);
  const embeds = content.items.map((one) => ({
    ...embedOf(one, color),
    description: descriptionOf(one, content, template),
  }));
  fitMessage(embeds);
  return {
    content: content.note === undefined ? '' : escapeMarkdown(content.note, MAX_CONTENT),
    embeds,
    allowed_mentions: { parse: [] },
  };
}

/** The same message with the newest title of one item; `null` if nothing changes. */
export function revisedDigest<T extends Pick<DigestBody, 'embeds'>>(body: T, edited: EditedItem): T | null {
  const title = titleOf(edited);
  const embeds = body.embeds.map((embed) => (embed.url === edited.url ? { ...embed, title } : { ...embed }));
  if (embeds.every((embed, index) => embed.title === body.embeds[index]?.title)) return null;
  fitMessage(embeds);
  return { ...body, embeds };
}

/** A link needs a text. */
function titleOf({ title, url }: EditedItem): string {
  return escapeMarkdown(title, MAX_TITLE) || escapeMarkdown(hostOf(url), MAX_TITLE);
}

/** Title of a digest as a forum post: its first title and the number of further items. */
export function threadName({ items }: Content): string {
  const more = items.length > 1 ? ` (+${items.length - 1})` : '';
  const title = plainLine(items[0]?.item.title ?? '') || hostOf(items[0]?.item.url ?? '');
  return `${shorten(title, MAX_THREAD_NAME - more.length)}${more}`;
}

function isDefaultTemplate({ parts: [first, ...rest] }: Template): boolean {
  return rest.length === 0 && first !== undefined && 'name' in first && first.name === 'summary';
}

function descriptionOf(one: ContentItem, content: Content, template: Template | undefined): string {
  if (template === undefined || isDefaultTemplate(template))
    return escapeMarkdown(one.summary ?? '', MAX_DESCRIPTION);
  const values = templateValues(one, content);
  const written = Object.entries(values).map(([name, value]) => [
    name,
    // Escaping markup characters in an address would change where it leads.
    name === 'url' ? value : escapeMarkdown(value, MAX_DESCRIPTION),
  ]);
  return shortenEscaped(
    fillTemplate(template, Object.fromEntries(written) as typeof values),
    MAX_DESCRIPTION,
  );
}

function embedOf({ item, alsoSeenIn }: ContentItem, color: number): Omit<Embed, 'description'> {
  const { score, topics } = item.verdict ?? { score: null, topics: [] };
  const fields = [
    ['Relevance', score === null ? 'not scored' : `${score} / 100`] as const,
    ['Topics', topics.join(', ')] as const,
    ['Also in', alsoSeenIn.join(', ')] as const,
  ];
  return {
    title: titleOf(item),
    url: item.url,
    color,
    fields: fields
      .map(([name, value]) => ({ name, value: escapeMarkdown(value, MAX_FIELD), inline: true }))
      .filter(({ value }) => value !== ''),
    footer: { text: shorten(plainLine(item.sourceName) || hostOf(item.url), MAX_FOOTER) },
  };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Shortens the longest descriptions until the whole message fits, then fields and footers. */
function fitMessage(embeds: readonly Embed[]): void {
  for (let over = excessLength(embeds); over > 0; over = excessLength(embeds)) {
    const longest = embeds.reduce((a, b) => (b.description.length > a.description.length ? b : a));
    if (longest.description.length === 0) {
      shortenFields(embeds);
      return;
    }
    const max = longest.description.length - Math.max(over, 20);
    longest.description = max > 0 ? shortenEscaped(longest.description, max) : '';
  }
}

function shortenFields(embeds: readonly Embed[]): void {
  for (const { fields, footer } of embeds) {
    for (const field of fields) field.value = shortenEscaped(field.value, TIGHT_FIELD);
    footer.text = shorten(footer.text, TIGHT_FOOTER);
  }
}

function excessLength(embeds: readonly Embed[]): number {
  return embeds.reduce((sum, embed) => sum + embedLength(embed), 0) - MAX_MESSAGE_LENGTH;
}

function embedLength(e: Embed): number {
  const fields = e.fields.reduce((sum, f) => sum + f.name.length + f.value.length, 0);
  return e.title.length + e.description.length + fields + e.footer.text.length;
}

/** Escapes formatting and masked links. */
function escapeMarkdown(text: string, max: number): string {
  return shortenEscaped(plainLine(text).replace(/[\\*_~`|>[\]]|^[#-]/gu, '\\$&'), max);
}

/** Shortened, without half of an escaped character at the end. */
function shortenEscaped(escaped: string, max: number): string {
  return shorten(escaped, max).replace(/(?<!\\)((?:\\\\)*)\\…$/u, '$1…');
}
