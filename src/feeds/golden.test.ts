import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../fetch/text-encoding.ts';
import { PARSE_DEFAULTS, parseFeedDocument } from './parse-feed.ts';

/**
 * Pairs of a document as it was served (`name.in.xml`, `name.in.json`) and what it must be read as (`name.out.json`).
 * A reported bug becomes a pair. `UPDATE_GOLDEN=1` writes the current results, to be reviewed line by line.
 */
const folder = join(import.meta.dirname, 'golden');
const inputs = readdirSync(folder).filter((file) => file.includes('.in.'));

function shown(value: unknown): unknown {
  const text = JSON.stringify(value, (key, field: unknown) => {
    if (field === null || (Array.isArray(field) && key === 'enclosures' && field.length === 0))
      return undefined;
    return key === 'publishedAt' ? new Date(field as number).toISOString() : field;
  });
  return JSON.parse(text);
}

describe('golden pairs', () => {
  it('X5 there are at least 40, each with its other half', () => {
    const outputs = readdirSync(folder).filter((file) => file.endsWith('.out.json'));
    expect(inputs.length).toBeGreaterThanOrEqual(40);
    expect(outputs.length).toBe(inputs.length);
  });

  for (const input of inputs) {
    it(`X5 ${input}`, () => {
      const { text, encoding } = decodeText(readFileSync(join(folder, input)), undefined, { xml: true });
      const reading = shown({
        encoding,
        ...parseFeedDocument(text, { ...PARSE_DEFAULTS, url: 'https://feeds.example/feed' }),
      });
      const output = join(folder, input.replace(/\.in\..*$/, '.out.json'));
      if (process.env.UPDATE_GOLDEN) writeFileSync(output, `${JSON.stringify(reading, null, 2)}\n`);
      expect(reading).toEqual(JSON.parse(readFileSync(output, 'utf8')));
    });
  }
});
