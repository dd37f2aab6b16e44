import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleItem } from '../contract/sample-content.ts';
import type { Content } from '../publisher.ts';
import { parseTemplate, type Template, templateValues } from '../template.ts';
import {
  composeStatus,
  DEFAULT_LIMITS,
  type InstanceLimits,
  type StatusText,
  statusLength,
} from './status.ts';

function template(source: string): Template {
  const parsed = parseTemplate(source);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.template;
}

function content(title: string, summary: string, url: string): Content {
  return { pipeline: 'p', items: [{ item: sampleItem({ title, url }), summary, alsoSeenIn: [] }] };
}

function statusText(message: Content, as: Template, limits: InstanceLimits, warning?: string): StatusText {
  const [first] = message.items;
  if (first === undefined) throw new Error('there is no item');
  return composeStatus(templateValues(first, message), as, limits, warning);
}

const usual = template('{title}\n\n{summary}\n\n{url}');

describe('a Mastodon status', () => {
  it('B18 an address counts 23 and a character made of several code points counts one', () => {
    expect(statusLength(`https://example.org/${'a'.repeat(300)}`)).toBe(23);
    expect(statusLength('👩‍👩‍👧‍👦が')).toBe(2);
    expect(statusLength('http://127.0.0.1:80/a')).toBe(21);
  });

  it('B18 words that touch an address count as words', () => {
    expect(statusLength('https://example.org/a、続き')).toBe(23 + 3);
    expect(statusLength('(https://example.org/a).')).toBe(1 + 23 + 2);
    expect(statusLength('https://example.org/a', null)).toBe(21);
  });

  it('B18 a content warning counts with the words', () => {
    const status = statusText(
      content('The title', 'word '.repeat(300), 'https://example.org/a'),
      usual,
      DEFAULT_LIMITS,
      'w'.repeat(100),
    );
    expect(statusLength(status.text)).toBeLessThanOrEqual(400);
    expect(statusLength(status.text)).toBeGreaterThan(380);
  });

  it('B18 never passes the limit, whatever the words, and keeps the address whole', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 900 }),
        fc.string({ unit: 'grapheme', maxLength: 2000 }),
        (title, summary) => {
          const url = `https://example.org/${'x'.repeat(200)}`;
          const status = statusText(content(title, summary, url), usual, DEFAULT_LIMITS);
          expect(status.fits).toBe(true);
          expect(statusLength(status.text)).toBeLessThanOrEqual(500);
          expect(status.text.endsWith(url)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('B18 the summary is shortened before the title', () => {
    const status = statusText(
      content('The title', 'word '.repeat(300), 'https://example.org/a'),
      usual,
      DEFAULT_LIMITS,
    );
    expect(status.text.startsWith('The title\n\nword word')).toBe(true);
    expect(status.text).toContain('…');
  });

  it('B18 no one is mentioned by accident', () => {
    const status = statusText(
      content('@admin and a@b.example', '@all', 'https://example.org/a'),
      usual,
      DEFAULT_LIMITS,
    );
    expect(status.text).not.toMatch(/@[\p{L}\p{N}]/u);
  });

  it('reports a status that cannot be made short enough', () => {
    const long = template(`${'fixed words '.repeat(60)}{url}`);
    expect(statusText(content('t', 's', 'https://example.org/a'), long, DEFAULT_LIMITS)).toMatchObject({
      fits: false,
    });
  });
});
