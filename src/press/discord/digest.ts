import { plainLine, shorten } from '../plain-text.ts';
import type { Content, ContentItem } from '../publisher.ts';

/** Discord's own limits for one message. */
const MOST_EMBEDS = 10;
const MOST_TITLE = 256;
const MOST_DESCRIPTION = 4096;
const MOST_FIELD = 1024;
const MOST_FOOTER = 2048;
const MOST_IN_ALL = 6000;

/** Vermilion, the colour of the seal on a printed sheet. */
const COLOUR = 0xc73e2c;

export const DIGEST_VERSION = 'digest-1';

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

/** One message with an embed per item (A6). Titles and links are the ledger's; summaries are shortened first. */
export function digest(content: Content): DigestBody {
  const embeds = content.items.slice(0, MOST_EMBEDS).map(embed);
  fitInAll(embeds);
  return {
    content: content.note === undefined ? '' : shorten(escapeMarkdown(plainLine(content.note)), 2000),
    embeds,
    allowed_mentions: { parse: [] },
  };
}

function embed({ item, summary, alsoSeenIn }: ContentItem): Embed {
  const { score, topics } = item.verdict ?? { score: null, topics: [] };
  const fields = [
    { name: 'Relevance', value: score === null ? 'not scored' : `${score} / 100`, inline: true },
  ];
  if (topics.length > 0) fields.push({ name: 'Topics', value: fieldText(topics.join(', ')), inline: true });
  if (alsoSeenIn.length > 0)
    fields.push({ name: 'Also in', value: fieldText(alsoSeenIn.join(', ')), inline: true });
  return {
    title: shorten(escapeMarkdown(plainLine(item.title)), MOST_TITLE),
    url: item.url,
    description: shorten(escapeMarkdown(plainLine(summary ?? '')), MOST_DESCRIPTION),
    color: COLOUR,
    fields,
    footer: { text: shorten(plainLine(item.sourceName), MOST_FOOTER) },
  };
}

function fieldText(text: string): string {
  return shorten(escapeMarkdown(plainLine(text)), MOST_FIELD);
}

/** Takes from the longest descriptions until the whole message fits. */
function fitInAll(embeds: Embed[]): void {
  for (;;) {
    const over = embeds.reduce((sum, e) => sum + sizeOf(e), 0) - MOST_IN_ALL;
    if (over <= 0) return;
    const longest = embeds.reduce((a, b) => (b.description.length > a.description.length ? b : a));
    if (longest.description.length === 0) {
      embeds.pop();
      continue;
    }
    longest.description = shorten(
      longest.description,
      Math.max(0, longest.description.length - Math.max(over, 20)),
    );
    if (longest.description === '…') longest.description = '';
  }
}

function sizeOf(e: Embed): number {
  const fields = e.fields.reduce((sum, f) => sum + f.name.length + f.value.length, 0);
  return e.title.length + e.description.length + fields + e.footer.text.length;
}

/** What Discord would read as formatting or as a masked link is shown as it was written. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>[\]]/gu, '\\$&');
}
