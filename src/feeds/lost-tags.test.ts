import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../fetch/text-encoding.ts';
import type { FeedEntry } from './feed.ts';
import { PARSE_DEFAULTS, parseFeedDocument } from './parse-feed.ts';

/** Every golden feed with items, as text. */
const folder = join(import.meta.dirname, 'golden');
const feeds = readdirSync(folder)
  .filter((file) => file.endsWith('.in.xml'))
  .map((file) => ({
    file,
    text: decodeText(readFileSync(join(folder, file)), undefined, { xml: true }).text,
  }))
  .filter(({ text }) => entriesOf(text).length > 0);

function entriesOf(text: string): readonly FeedEntry[] {
  const reading = parseFeedDocument(text, { ...PARSE_DEFAULTS, url: 'https://feeds.example/feed' });
  return reading.outcome === 'feed' ? reading.feed.entries : [];
}

/** CDATA and comments are blanked, so that only real tags are found. */
function closingTags(text: string): { readonly at: number; readonly tag: string }[] {
  const plain = text.replace(/<!\[CDATA\[.*?\]\]>|<!--.*?-->/gs, (skipped) => ' '.repeat(skipped.length));
  return [...plain.matchAll(/<\/[\w:.-]+\s*>/g)].map((match) => ({ at: match.index, tag: match[0] }));
}

function firstItem(text: string): number {
  const at = text.search(/<(?:[\w-]+:)?(?:item|entry)[\s>]/i);
  return at < 0 ? text.length : at;
}

function without(text: string, { at, tag }: { readonly at: number; readonly tag: string }): string {
  return text.slice(0, at) + text.slice(at + tag.length);
}

describe('a lost closing tag', () => {
  it('Q1 in the head loses no item, whichever tag it is', () => {
    let cases = 0;
    for (const { file, text } of feeds) {
      const whole = entriesOf(text).map(({ id, link, title }) => ({ id, link, title }));
      for (const tag of closingTags(text.slice(0, firstItem(text)))) {
        const read = entriesOf(without(text, tag)).map(({ id, link, title }) => ({ id, link, title }));
        expect(read, `${file} without ${tag.tag} at ${tag.at}`).toEqual(whole);
        cases++;
      }
    }
    expect(cases).toBeGreaterThan(150);
  });

  it('Q1 in the head loses no item, though several are lost', () => {
    let seed = 21;
    const random = (): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed / 2 ** 32;
    };
    for (const { file, text } of feeds) {
      const tags = closingTags(text.slice(0, firstItem(text)));
      const count = entriesOf(text).length;
      for (let round = 0; round < 5; round++) {
        const lost = tags.filter(() => random() < 0.4).reverse();
        const broken = lost.reduce(without, text);
        expect(entriesOf(broken).length, `${file} without ${lost.map(({ tag }) => tag).join(' ')}`).toBe(
          count,
        );
      }
    }
  });

  it('Q1 in an item loses no other item', () => {
    let cases = 0;
    let whole = 0;
    for (const { file, text } of feeds) {
      const expected = entriesOf(text);
      for (const tag of closingTags(text).filter(({ at }) => at > firstItem(text))) {
        const read = entriesOf(without(text, tag));
        expect(read.length, `${file} without ${tag.tag} at ${tag.at}`).toBe(expected.length);
        const same = read.filter(({ id, link }, n) => id === expected[n]?.id && link === expected[n]?.link);
        // The item of the lost tag may miss a field; its neighbours miss nothing.
        expect(same.length, `${file} without ${tag.tag} at ${tag.at}`).toBeGreaterThanOrEqual(
          expected.length - 1,
        );
        cases++;
        if (same.length === expected.length) whole++;
      }
    }
    expect(whole / cases).toBeGreaterThan(0.97);
  });
});
