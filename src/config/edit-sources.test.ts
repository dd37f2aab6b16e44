import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { addSource, removeSource, switchSource } from './edit-sources.ts';

const BLOCK = `# My newsroom
network: { allow: ["127.0.0.1"] }   # only here

sources:
  # The best one
  herald: { feed: "https://herald.example/feed", name: Herald }   # daily

  long:
    # a note
    feed: https://long.example/feed
    identity: link # since 2024

# Who reads what
pipelines:
  morning:
    kind: curate
    sources: [herald, long]   # order means nothing
    interests:
      - { topic: ships }
  evening:
    kind: summarise
    sources:
      - herald
      # the long one
      - long
`;

const lines = (text: string): string[] => text.split('\n');
/** Lines that are in one text and not in the other, in both directions. */
function difference(before: string, after: string): { gone: string[]; come: string[] } {
  const [old, now] = [lines(before), lines(after)];
  return {
    gone: old.filter((line) => !now.includes(line)),
    come: now.filter((line) => !old.includes(line)),
  };
}

describe('X14 sources in the configuration', () => {
  it('X14 adding one adds a line, and an entry to each list', () => {
    const text = addSource(BLOCK, 'new', { feed: 'https://new.example/"x"', name: '新しい: #1' }, [
      'morning',
      'evening',
    ]);
    expect(difference(BLOCK, text)).toEqual({
      gone: ['    sources: [herald, long]   # order means nothing'],
      come: [
        '  new: { feed: "https://new.example/\\"x\\"", name: "新しい: #1" }',
        '    sources: [herald, long, new]   # order means nothing',
        '      - new',
      ],
    });
    expect(parse(text).sources.new).toEqual({ feed: 'https://new.example/"x"', name: '新しい: #1' });
  });

  it('X14 removing one removes only its own lines', () => {
    expect(difference(BLOCK, removeSource(BLOCK, 'long'))).toEqual({
      gone: [
        '  long:',
        '    # a note',
        '    feed: https://long.example/feed',
        '    identity: link # since 2024',
        '    sources: [herald, long]   # order means nothing',
        '      - long',
      ],
      come: ['    sources: [herald]   # order means nothing'],
    });
    expect(difference(BLOCK, removeSource(BLOCK, 'herald')).come).toEqual([
      '    sources: [long]   # order means nothing',
    ]);
  });

  it('X14 disabling and enabling changes one line', () => {
    const off = switchSource(BLOCK, 'herald', false);
    expect(difference(BLOCK, off).come).toEqual([
      '  herald: { enabled: false, feed: "https://herald.example/feed", name: Herald }   # daily',
    ]);
    const on = switchSource(off, 'herald', true);
    expect(difference(off, on).come[0]).toContain('enabled: true');
    expect(difference(BLOCK, switchSource(BLOCK, 'long', false))).toEqual({
      gone: [],
      come: ['    enabled: false'],
    });
  });

  it.each([
    ['no sources at all', 'timelines: {}\n'],
    ['no line break at the end', 'timelines: {}'],
    ['an empty group', 'sources: {}\ntimelines: {}\n'],
    ['a key without a value', 'sources:\ntimelines: {}\n'],
    ['one line', 'sources: { a: { feed: "https://a.example/" } }\ntimelines: {}\n'],
    ['JSON', '{"sources": {"a": {"feed": "https://a.example/"}}, "timelines": {}}'],
    ['Windows line ends', 'sources:\r\n  a: { feed: "https://a.example/" }\r\ntimelines: {}\r\n'],
    ['a comment at the end', 'sources:\n  a: { feed: "https://a.example/" } # a\n  # and more\n'],
  ])('X14 a source can be added to and removed from a file with %s', (_, text) => {
    const added = addSource(text, 'b', { feed: 'https://b.example/' }, []);
    expect(parse(added)).toEqual({
      ...parse(text),
      sources: { ...parse(text).sources, b: { feed: 'https://b.example/' } },
    });
    const off = switchSource(added, 'b', false);
    expect(parse(off).sources.b).toEqual({ feed: 'https://b.example/', enabled: false });
    expect(parse(removeSource(off, 'b')).sources ?? {}).toEqual(parse(text).sources ?? {});
  });

  it('X14 other sources are unchanged, whatever the names and URLs are', () => {
    const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    fc.assert(
      fc.property(
        fc.dictionary(id, fc.string(), { minKeys: 1, noNullPrototype: true }),
        id,
        fc.string(),
        (there, fresh, name) => {
          fc.pre(!(fresh in there));
          const entries = Object.entries(there).map(
            ([key, value]) => `  ${key}: ${JSON.stringify({ feed: value })} # ${key}`,
          );
          const text = `sources:\n${entries.join('\n')}\n`;
          const before = parse(text);
          const added = addSource(text, fresh, { feed: name }, []);
          expect(parse(added).sources).toEqual({ ...before.sources, [fresh]: { feed: name } });
          expect(parse(removeSource(added, fresh))).toEqual(before);
          expect(removeSource(added, fresh)).toBe(text);
        },
      ),
    );
  });
});
