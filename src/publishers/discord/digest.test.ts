import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkForm } from '../../../simulator/discord/form.ts';
import type { ItemKey } from '../../item/item.ts';
import { hostileArticles } from '../../judge/injection/corpus.ts';
import { sampleItem } from '../contract/sample-content.ts';
import type { Content, ContentItem } from '../publisher.ts';
import { parseTemplate } from '../template.ts';
import { digest, digestVersion, threadName } from './digest.ts';

const verdict = sampleItem().verdict ?? undefined;
const MENTION = /<[@#:/t]|[@＠][\p{L}\p{N}_&!#]/u;

/** The visible text, with escapes and mention breakers removed. */
function seen(text: string): string {
  return text.replace(/\\(?=[\\*_~`|>[\]#-])/gu, '').replaceAll('\u2060', '');
}

/** All visible text of a message. */
function wordsOf({ content, embeds }: ReturnType<typeof digest>): string[] {
  return [
    content,
    ...embeds.flatMap((e) => [e.title, e.description, e.footer.text, ...e.fields.map((f) => f.value)]),
  ];
}

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6000 }),
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc.constantFrom('@everyone '.repeat(500), '<@1>'.repeat(900), '*_~|>['.repeat(900), '\\'.repeat(5000), ''),
);
const item = fc
  .record({
    title: words,
    summary: words,
    source: words,
    topics: fc.array(words, { maxLength: 5 }),
    n: fc.nat(),
  })
  .map(({ title, summary, source, topics, n }): ContentItem => {
    const url = `https://example.org/${n}`;
    const changed = { title, url, key: url as ItemKey, sourceName: source };
    return {
      item: sampleItem({ ...changed, ...(verdict !== undefined && { verdict: { ...verdict, topics } }) }),
      summary,
      alsoSeenIn: topics,
    };
  });

describe('a Discord digest', () => {
  it('A6 stays within every limit and leaves no item out, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 10 }), words, (items, note) => {
        const message = digest({ pipeline: 'p', items, note });
        expect(checkForm(message)).toEqual([]);
        expect(message.embeds.map(({ url }) => url)).toEqual(items.map(({ item: { url } }) => url));
        for (const { title } of message.embeds) expect(title).not.toBe('');
      }),
      { numRuns: 60 },
    );
  }, 240_000);

  it('A6 no text can mention anyone', () => {
    fc.assert(
      fc.property(item, words, (one, note) => {
        const message = digest({ pipeline: 'p', items: [one], note });
        for (const text of wordsOf(message)) expect(text).not.toMatch(MENTION);
        expect(message.allowed_mentions).toEqual({ parse: [] });
      }),
      { numRuns: 60 },
    );
  }, 240_000);

  it('A6 X6 whatever a model makes of a hostile article, title and link are the true ones and no one is mentioned', async () => {
    for (const { article, name } of await hostileArticles()) {
      const lead = sampleItem({ url: article.url, title: article.title, key: article.url as ItemKey });
      const content: Content = {
        pipeline: 'p',
        items: [{ item: lead, summary: article.text, alsoSeenIn: [article.text] }],
      };
      const message = digest(content);
      expect(checkForm(message), name).toEqual([]);
      expect(message.embeds[0]?.url).toBe(article.url);
      const title = seen(message.embeds[0]?.title ?? '');
      const plain = article.title
        .replace(/[[\p{Cc}\p{Cf}]--[\n\r\t\u200C\u200D]]/gv, '')
        .replace(/\s+/gu, ' ')
        .trim();
      expect(title === plain || (title.endsWith('…') && plain.startsWith(title.slice(0, -1))), title).toBe(
        true,
      );
      for (const text of wordsOf(message)) {
        expect(text).not.toMatch(MENTION);
        // A masked link needs a bracket that is not escaped.
        expect(text).not.toMatch(/(?<!\\)(?:\\\\)*\]\(/u);
      }
      expect(threadName(content).length).toBeLessThanOrEqual(100);
    }
  });

  it('uses the configured colour, and another colour is another message', () => {
    const content: Content = {
      pipeline: 'p',
      items: [{ item: sampleItem(), summary: null, alsoSeenIn: [] }],
    };
    expect(digest(content, { colour: '#00ff7F' }).embeds[0]?.color).toBe(0x00ff7f);
    expect(digestVersion({ colour: '#00ff7F' })).not.toBe(digestVersion({}));
  });

  it('a forum post is named after its first item and the number of further ones', () => {
    const one = { item: sampleItem({ title: 'T'.repeat(200) }), summary: null, alsoSeenIn: [] };
    expect(threadName({ pipeline: 'p', items: [one, one, one] })).toMatch(/^T{90,}… \(\+2\)$/);
    expect(threadName({ pipeline: 'p', items: [{ ...one, item: sampleItem({ title: ' ' }) }] })).toBe(
      'example.org',
    );
  });

  it('A6 X7 a template sets the text below the title; values cannot use Discord’s markup', () => {
    const parsed = parseTemplate('**{source}** · {author}\n{summary}\n{url}');
    const template = parsed.ok ? parsed.template : expect.unreachable();
    const item = sampleItem({ sourceName: 'The *Daily*', author: 'A [b](https://evil.example)' });
    const content = { pipeline: 'p', items: [{ item, summary: 'Words.', alsoSeenIn: [] }] };
    expect(digest(content, { template }).embeds[0]?.description).toBe(
      `**The \\*Daily\\*** · A \\[b\\](https://evil.example)\nWords.\n${item.url}`,
    );
    expect(digestVersion({ template })).not.toBe(digestVersion({}));
  });

  it('the default template is the same message as none', () => {
    const parsed = parseTemplate('{summary}');
    const template = parsed.ok ? parsed.template : expect.unreachable();
    const content = {
      pipeline: 'p',
      items: [{ item: sampleItem(), summary: 'Some *words*.', alsoSeenIn: [] }],
    };
    expect(digest(content, { template })).toEqual(digest(content));
    expect(digestVersion({ template })).toBe(digestVersion({}));
  });
});
