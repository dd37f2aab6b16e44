import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl, IDENTITY_RULES, itemKey, type RuleName } from './identity.ts';

function canonical(url: string, switches?: Parameters<typeof canonicalUrl>[1]): string {
  const result = canonicalUrl(url, switches);
  return result.outcome === 'canonical' ? result.url : `bad: ${result.why}`;
}

function key(url: string, foreignId?: string): string {
  const result = itemKey(url, foreignId === undefined ? {} : { foreignId });
  return result.outcome === 'identified' ? result.key : `bad: ${result.why}`;
}

const ALL_OFF = Object.fromEntries(IDENTITY_RULES.map(({ name }) => [name, false])) as Record<
  RuleName,
  false
>;

describe('X3 the rules of identity', () => {
  for (const rule of IDENTITY_RULES) {
    const [written, expected] = rule.example;
    it(`X3 ${rule.name}: ${rule.says}`, () => {
      expect(canonical(written)).toBe(expected);
      expect(canonical(expected)).toBe(expected);
    });
    it(`X3 ${rule.name} can be switched off and then leaves its aspect as written`, () => {
      expect(canonical(written, { [rule.name]: false })).not.toBe(expected);
      expect(canonical(written, { ...ALL_OFF, [rule.name]: true })).toBe(expected);
      expect(canonical(written, ALL_OFF)).toBe(written);
    });
  }

  it('X3 with every rule off an address stays exactly as written', () => {
    const odd = 'HTTP://ExAmPle.ORG:80/a/./b/../%7e//?b=2&utm_source=x&a=1&#Top';
    expect(canonical(odd, ALL_OFF)).toBe(odd);
  });

  it('X3 the same article under many addresses has one key', () => {
    const same = [
      'https://news.example.org/2026/a-story',
      'https://news.example.org/2026/a-story/',
      'https://NEWS.example.org:443/2026/a-story#comments',
      'https://news.example.org/2026/a-story?utm_source=rss&utm_medium=feed',
      'https://news.example.org/2026/./a-story?fbclid=IwAR0&gclid=1&mc_cid=2',
      '  https://news.example.org/2026/a%2Dstory?UTM_Campaign=x\n',
      'https:\\\\news.example.org\\2026\\a-story?ref=daily.example.com',
    ];
    expect(new Set(same.map((url) => key(url)))).toEqual(new Set(['https://news.example.org/2026/a-story']));
  });

  it.each([
    ['https://e.org/?id=1', 'https://e.org/?id=2'],
    ['https://e.org/a', 'https://e.org/A'],
    ['https://e.org/a', 'http://e.org/a'],
    ['https://e.org/a', 'https://www.e.org/a'],
    ['https://e.org/a?ref=main', 'https://e.org/a'],
    ['https://e.org/a?ref=v2.1', 'https://e.org/a'],
    ['https://e.org/a?source=report-7', 'https://e.org/a'],
    ['https://e.org/a?t=90', 'https://e.org/a'],
    ['https://e.org/a?si=1', 'https://e.org/a'],
    ['https://e.org/a%2Fb', 'https://e.org/a/b'],
    ['https://e.org/#!/a', 'https://e.org/#!/b'],
    ['https://e.org/?a&b', 'https://e.org/?b&a'],
    ['https://e.org/?a=1&a=2', 'https://e.org/?a=2&a=1'],
    ['https://www.youtube.com/watch?v=a', 'https://www.youtube.com/watch?v=b'],
    ['https://notyoutube.com/a?si=1', 'https://notyoutube.com/a'],
  ])('X3 %s and %s are two articles', (one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });

  it('X3 a parameter that means tracking on one host goes there alone', () => {
    expect(canonical('https://www.youtube.com/watch?v=a&si=x&feature=share')).toBe(
      'https://www.youtube.com/watch?v=a',
    );
  });
});

describe('X3 keys', () => {
  it('X3 a foreign ID tells items with one link apart', () => {
    expect(key('https://e.org/news', 'tag:e.org,2026:1')).toBe(
      'https://e.org/news#item=tag%3Ae.org%2C2026%3A1',
    );
    expect(key('https://e.org/news', '1')).not.toBe(key('https://e.org/news', '2'));
    expect(key('https://e.org/news', ' ')).toBe('https://e.org/news');
  });

  it('X3 a written fragment cannot take the key of another item', () => {
    const written = itemKey('https://e.org/news#item=7', {}, { fragment: false });
    expect(written.outcome === 'identified' && written.key).not.toBe(key('https://e.org/news', '7'));
    expect(key('https://e.org/#!a#item=7')).not.toBe(key('https://e.org/#!a', '7'));
  });

  it('X3 an over-long or broken foreign ID still makes a short key of its own', () => {
    const long = 'x'.repeat(20_000);
    expect(key('https://e.org/', long).length).toBeLessThan(200);
    expect(key('https://e.org/', long)).not.toBe(key('https://e.org/', `${long}y`));
    expect(key('https://e.org/', '\uD800')).toContain('#item=');
  });
});

describe('bad addresses are outcomes with a reason', () => {
  it.each([
    ['', 'empty'],
    ['   \n', 'empty'],
    ['/relative/path', 'no_scheme'],
    ['//host/path', 'no_scheme'],
    ['example.org/a', 'no_scheme'],
    ['example.org:8080/a', 'no_scheme'],
    ['javascript:alert(1)', 'not_http'],
    ['ftp://e.org/a', 'not_http'],
    ['https://', 'bad_host'],
    ['https://:80/', 'bad_host'],
    ['https://e.org:99999/', 'bad_host'],
    ['https://exa mple.org/', 'bad_host'],
    ['https://[::1/', 'bad_host'],
    ['https://user:secret@e.org/', 'credentials'],
    ['https://@e.org/', 'credentials'],
    ['https://e.org/\0', 'bad_character'],
    ['https://e.org/\uD800', 'bad_character'],
    [`https://e.org/${'a'.repeat(8192)}`, 'too_long'],
    [`https://e.org/${'瓦'.repeat(3000)}`, 'too_long'],
  ])('%.40s is refused: %s', (url, why) => {
    const result = itemKey(url);
    expect(result).toMatchObject({ outcome: 'bad_address', why });
    expect(result.outcome === 'bad_address' && result.detail).not.toContain('secret');
  });

  it('answers every string whatever it holds', () => {
    const answered = fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(['canonical', 'bad_address']).toContain(canonicalUrl(text).outcome);
      expect(['canonical', 'bad_address']).toContain(canonicalUrl(`https://e.org/${text}`).outcome);
    });
    fc.assert(answered, { numRuns: 500 });
  });
});

describe('X3 properties', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.constantFrom(
      '.',
      '..',
      '%2e',
      '%2E%2e',
      '%',
      '%%34%31',
      '%41',
      '%2f',
      '~',
      '%7E',
      'item=3',
      '!',
      '\\',
      '',
    ),
  );
  const noise = fc.constantFrom('', 'utm_source=a', '&', '&&', 'ref=rss', 'b=2&a=1', 'fbclid=3&id=4');
  const written = fc
    .record({
      scheme: fc.constantFrom('http', 'HTTPS', 'https'),
      host: fc.oneof(fc.domain(), fc.constantFrom('EXAMPLE.org', '瓦版.example', '0x7f.1', '[::0001]')),
      port: fc.constantFrom('', ':', ':80', ':443', ':0080', ':8080'),
      path: fc.array(piece, { maxLength: 5 }).map((segments) => segments.map((s) => `/${s}`).join('')),
      query: fc.oneof(noise, fc.webQueryParameters(), piece).map((text) => (text === '' ? '' : `?${text}`)),
      fragment: fc.oneof(
        fc.constant(''),
        piece.map((text) => `#${text}`),
      ),
    })
    .map((p) => `${p.scheme}://${p.host}${p.port}${p.path}${p.query}${p.fragment}`);
  const switches = fc.record(
    Object.fromEntries(IDENTITY_RULES.map(({ name }) => [name, fc.boolean()])) as Record<
      RuleName,
      fc.Arbitrary<boolean>
    >,
  );

  it('X3 doing it twice is doing it once, whichever rules are on', () => {
    fc.assert(
      fc.property(written, switches, (url, rules) => {
        const once = canonicalUrl(url, rules);
        if (once.outcome === 'bad_address') return;
        expect(canonicalUrl(once.url, rules)).toEqual(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('X3 the canonical address leads to the same host and port', () => {
    fc.assert(
      fc.property(written, (url) => {
        const result = canonicalUrl(url);
        if (result.outcome === 'bad_address') return;
        expect(new URL(result.url).host).toBe(new URL(url).host);
        expect(new URL(result.url).protocol).toBe(new URL(url).protocol);
      }),
      { numRuns: 1000 },
    );
  });

  const segment = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((s) => !/^\.+$/.test(s));
  const address = fc.record({
    path: fc.array(segment, { maxLength: 4 }),
    // Names with a prefix of our own, so that none is a tracking parameter by chance.
    query: fc.dictionary(
      segment.map((name) => `q${name}`),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      { maxKeys: 4 },
    ),
  });
  const write = ({ path, query }: { path: string[]; query: Record<string, string> }): string => {
    const parameters = Object.entries(query).map(
      ([n, v]) => `${encodeURIComponent(n)}=${encodeURIComponent(v)}`,
    );
    return `https://e.org/${path.map(encodeURIComponent).join('/')}?${parameters.join('&')}`;
  };

  it('X3 two addresses that differ in path or in a meaningful parameter never meet', () => {
    fc.assert(
      fc.property(address, address, (one, other) => {
        const sorted = (query: Record<string, string>) => Object.entries(query).sort();
        const equal =
          JSON.stringify([one.path, sorted(one.query)]) === JSON.stringify([other.path, sorted(other.query)]);
        expect(canonical(write(one)) === canonical(write(other))).toBe(equal);
      }),
      { numRuns: 2000 },
    );
  });

  it('X3 two addresses that differ in one letter of path or query never meet', () => {
    fc.assert(
      fc.property(address, fc.nat(3), segment, (one, at, replacement) => {
        fc.pre(one.path.length > 0);
        const index = at % one.path.length;
        fc.pre(one.path[index] !== replacement);
        const other = { ...one, path: one.path.with(index, replacement) };
        expect(canonical(write(one))).not.toBe(canonical(write(other)));
      }),
      { numRuns: 1000 },
    );
  });
});
