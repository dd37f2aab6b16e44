import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { harmIn } from './injection/corpus.ts';
import { sanitiseModelText } from './untrusted-text.ts';

describe('sanitising a text of a model', () => {
  it.each([
    ['See [the page](https://evil.example) now.', 'See the page now.'],
    ['![x](https://evil.example/p.png)The bridge.', 'xThe bridge.'],
    ['Hello @everyone and @here!', 'Hello everyone and here!'],
    ['cc @a@b.example。', 'cc。'],
    ['<@123> <#4> <b>bold</b> text', 'bold text'],
    ['https://a.example/x?y=1 is gone', 'is gone'],
    ['evil.com/path and www.evil.com', 'and'],
    [
      'hxxp, 3.5 million, v1.2.3, ASP.NET, Node.js and e.g. this',
      'hxxp, 3.5 million, v1.2.3, ASP.NET, Node.js and e.g. this',
    ],
    ['**Bold** and `code` and ~~gone~~', 'Bold and code and gone'],
    ['行\u202eの\u200b中\u{e0041}', '行の中'],
    ['保育士（ほいくし）が増えた！「本当か？」：50％', '保育士（ほいくし）が増えた！「本当か？」：50％'],
    ['ht@tps://evil.example', 'ht'],
    ['data:text/html;base64,PHNjcmlwdD4= is gone', 'is gone'],
    ['a data:,alert and data:;charset=utf-8,x and (DATA:image/svg+xml,x) go', 'a and and go'],
    ['d<at@a:text/html,x is gone', 'is gone'],
    ['javascript:alert(1) and mailto:a.b and tel:+81 are gone', '(1) and and are gone'],
    ['javasc<ript:a and data: ,x and data:()text/html,x are gone', 'and and are gone'],
    [
      'Research data: what we know, metadata: what we store',
      'Research data: what we know, metadata: what we store',
    ],
    [
      'JavaScript: the good parts. Discord: new rules. Hotel:5 stars',
      'JavaScript: the good parts. Discord: new rules. Hotel:5 stars',
    ],
    ['オープンdata:活用が進む', 'オープンdata:活用が進む'],
    ['[[a](b)](https://evil.example)', 'a'],
  ])('%j', (text, plain) => {
    expect(sanitiseModelText(text)).toBe(plain);
  });

  it('X6 leaves nothing harmful in any combination', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '@',
        '<',
        '>',
        '[',
        ']',
        '(',
        ')',
        'http',
        's://',
        'evil.example',
        'www.',
        '`',
        '**',
        '|',
      ),
      fc.constantFrom(
        '\u200b',
        '\u202e',
        '\u{e0041}',
        '@everyone',
        'javascript:',
        'data:',
        'text/html',
        ',',
        '橋',
        'a',
        ' ',
        '\n',
        '！',
        '#',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const plain = sanitiseModelText(pieces.join(''));
        expect(harmIn(plain).filter((harm) => harm !== 'a link')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('terminates on long random input', () => {
    for (const unit of ['[', '@a.', '<', 'a.', '*_', 'http://'])
      expect(sanitiseModelText(unit.repeat(20_000)).length).toBeLessThan(unit.length * 20_001);
  });
});
