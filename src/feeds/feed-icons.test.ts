import { expect, it } from 'vitest';
import { PARSE_DEFAULTS, parseFeedDocument } from './parse-feed.ts';

const ITUNES = 'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"';

it.each([
  [
    'Atom, the icon before the logo',
    '<feed xmlns="http://www.w3.org/2005/Atom"><logo>/logo.png</logo><icon>/icon.png</icon></feed>',
    '/icon.png',
  ],
  ['Atom', '<feed xmlns="http://www.w3.org/2005/Atom"><logo>logo.png</logo></feed>', '/feeds/logo.png'],
  [
    'RSS, not the picture of an item',
    '<rss version="2.0"><channel><image><url>/i.png</url></image><item><image><url>/no.png</url></image></item></channel></rss>',
    '/i.png',
  ],
  [
    'a podcast',
    `<rss version="2.0" ${ITUNES}><channel><itunes:image href="/cover.jpg"/></channel></rss>`,
    '/cover.jpg',
  ],
  [
    'RDF',
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel/><image><url>/r.gif</url></image></rdf:RDF>',
    '/r.gif',
  ],
  ['JSON Feed', '{"title":"a","items":[],"icon":"/512.png","favicon":"/64.png"}', '/64.png'],
  ['none', '{"title":"a","items":[],"icon":"javascript:alert(1)"}', null],
])('R24 the icon of a feed: %s', (_format, text, icon) => {
  const read = parseFeedDocument(text, { ...PARSE_DEFAULTS, url: 'https://site.example/feeds/all' });
  const expected = icon === null ? null : `https://site.example${icon}`;
  expect(read.outcome === 'feed' ? read.feed.icon : read).toBe(expected);
});
