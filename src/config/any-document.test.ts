import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseConfig } from './config.ts';

const RECIPES = ['curator', 'summary-bot', 'timeline', 'videos', 'stories', 'sample'].map((name) =>
  readFileSync(new URL(`../../recipes/${name}.yaml`, import.meta.url), 'utf8'),
);

/** Any file results in a configuration or in problems, never in an exception. */
function answers(text: string): void {
  const loaded = parseConfig(text, 'k.yaml', {}, { secrets: 'ignore' });
  if (loaded.ok) return;
  expect(loaded.problems.length).toBeGreaterThan(0);
  for (const problem of loaded.problems) {
    expect(problem.message).not.toMatch(/invalid input|expected .* received|undefined|\[object/i);
    expect(problem.message).not.toBe('');
  }
}

const KEYS = [
  'sources',
  'pipelines',
  'judges',
  'publishers',
  'engine',
  'server',
  'network',
  'retention',
  'kind',
  'feed',
  'youtube',
  'interests',
  'publish',
  'schedule',
  'every',
  'first_contact',
  'processor',
  'url',
  'key',
  'env',
  'a',
  '__proto__',
  'constructor',
];

describe('X11 any document', () => {
  it('X11 results in a configuration or problems, however its values are shuffled', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(
          null,
          true,
          0,
          7,
          -1,
          1.5,
          '',
          'curate',
          'process',
          'a',
          '5m',
          '0 9 * * *',
          'https://e.org/',
          '@x',
          '{url}',
        ),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...KEYS), tie('node'), { maxKeys: 5 }),
      ),
    })).node;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...KEYS), value, { minKeys: 1 }), (document) =>
        answers(stringify(document)),
      ),
      {
        numRuns: 500,
      },
    );
  });

  it('X11 results in a configuration or problems, wherever a recipe is cut, duplicated or corrupted', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RECIPES),
        fc.nat(),
        fc.nat(40),
        fc.constantFrom(
          '',
          ':',
          '- ',
          '\t',
          '"',
          '{',
          ']',
          '*a',
          '&a ',
          '!x ',
          'null',
          '\n',
          '\u0000',
          '#',
          '…',
          '- - - ',
        ),
        (text, at, gone, put) =>
          answers(text.slice(0, at % text.length) + put + text.slice((at % text.length) + gone)),
      ),
      { numRuns: 400 },
    );
  });

  it('X11 cannot reach internals of the program by property names', () => {
    answers(
      'sources: { __proto__: { feed: "https://e.org/" } }\n__proto__: { polluted: true }\nconstructor: { prototype: { polluted: true } }\n',
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
