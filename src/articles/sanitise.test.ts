import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ENTRY_TEXT_BYTES } from '../reader/entry-store.ts';
import { cutHtml } from './cut-html.ts';
import { hostileMarkup } from './hostile-markup.testdata.ts';
import { isElement, type PageElement, parsePage, textOf, walk } from './page.ts';
import { parseSrcset } from './pictures.ts';
import { sanitiseArticle } from './sanitise.ts';

const baseUrl = 'https://a.example/post/1';
const sanitised = (html: string): string => sanitiseArticle(html, { baseUrl });
const LINK = 'rel="noopener noreferrer nofollow" target="_blank"';

const ALLOWED_ELEMENTS =
  /^(?:p|div|h[2-6]|ul|ol|li|dl|dt|dd|blockquote|pre|code|figure|figcaption|hr|br|wbr|a|img|table|caption|thead|tbody|tfoot|tr|th|td|details|summary|b|strong|i|em|u|s|del|ins|mark|small|sub|sup|q|cite|abbr|dfn|kbd|samp|var|ruby|rt|rp|bdi|bdo)$/;
const ALLOWED_ATTRIBUTES =
  /^(?:lang|dir|href|title|rel|target|src|srcset|alt|width|height|loading|decoding|colspan|rowspan|scope|start|reversed|type|value|class|open)$/;

type Parsed = PageElement & {
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
};

/** What a reader's browser would make of it: every element, every attribute, every address. */
function problemsOf(html: string): string[] {
  const problems: string[] = [];
  const { body } = parsePage(html);
  if (body === null) return problems;
  walk(body, (node) => {
    if (!isElement(node) || node === body) return 'inside';
    if (!ALLOWED_ELEMENTS.test(node.localName)) problems.push(`<${node.localName}>`);
    for (const { name, value } of (node as Parsed).attributes) {
      if (!ALLOWED_ATTRIBUTES.test(name)) problems.push(`${node.localName} ${name}`);
      if (name === 'href' && !/^(?:https?:\/\/|mailto:)/.test(value)) problems.push(`href=${value}`);
      if (name === 'src' && !/^https?:\/\//.test(value)) problems.push(`src=${value}`);
      if (name === 'srcset' && !parseSrcset(value).every(({ url }) => /^https?:\/\//.test(url)))
        problems.push(`srcset=${value}`);
      if (name === 'class' && !/^language-[\w+#.-]+$/.test(value)) problems.push(`class=${value}`);
    }
    return 'inside';
  });
  return problems;
}

describe('sanitiseArticle', () => {
  it.each(hostileMarkup)('R10 X6 leaves nothing harmful of %s', (_, html, expected) => {
    expect(sanitised(html)).toBe(expected);
    expect(problemsOf(sanitised(html))).toEqual([]);
  });

  it.each([
    ['headings', '<h1>A</h1><h3>B</h3>', '<h2>A</h2><h3>B</h3>'],
    ['quotes', '<blockquote cite="x"><p>A</p></blockquote>', '<blockquote><p>A</p></blockquote>'],
    [
      'code with its white space and language',
      '<pre class="brush: ts"><code class="hljs language-TypeScript">if (a &lt; b)\n\n    return;\t</code></pre>',
      '<pre class="language-ts"><code class="language-typescript">if (a &lt; b)\n\n    return;\t</code></pre>',
    ],
    [
      'tables',
      '<table border=1><caption>C</caption><thead><tr><th scope=col>A</thead><tbody><tr><td colspan=2 rowspan=x>B</table>',
      '<table><caption>C</caption><thead><tr><th scope="col">A</th></tr></thead><tbody><tr><td colspan="2">B</td></tr></tbody></table>',
    ],
    [
      'lists',
      '<ol start=3 reversed><li value=4>A<li>B</ol><dl><dt>C<dd>D</dl>',
      '<ol start="3" reversed><li value="4">A</li><li>B</li></ol><dl><dt>C</dt><dd>D</dd></dl>',
    ],
    [
      'figures and captions',
      '<figure class=x><img src=/a.png alt="An &quot;A&quot;"><figcaption>A</figcaption></figure>',
      '<figure><img src="https://a.example/a.png" alt="An &quot;A&quot;" loading="lazy" decoding="async" /><figcaption>A</figcaption></figure>',
    ],
    [
      'Japanese with readings',
      '<p lang="ja">東<ruby>京<rt>きょう</rt></ruby></p>',
      '<p lang="ja">東<ruby>京<rt>きょう</rt></ruby></p>',
    ],
    [
      'sections as blocks',
      '<section><article>A</article></section><span>B</span>',
      '<div><div>A</div></div>B',
    ],
    [
      'links, made absolute',
      '<a href="../x?a=1&amp;b=2" title="T">A</a>',
      `<a title="T" href="https://a.example/x?a=1&amp;b=2" ${LINK}>A</a>`,
    ],
    [
      'links to a part of the page',
      '<a href="#note-1">1</a>',
      `<a href="https://a.example/post/1#note-1" ${LINK}>1</a>`,
    ],
    ['mail', '<a href="mailto:a@a.example">A</a>', `<a href="mailto:a@a.example" ${LINK}>A</a>`],
    [
      'links by the base of the feed',
      '<base href="https://b.example/c/"><a href="x">A</a>',
      `<a href="https://b.example/c/x" ${LINK}>A</a>`,
    ],
  ])('R10 keeps %s', (_, html, expected) => {
    expect(sanitised(html)).toBe(expected);
  });

  it.each([
    [
      'src',
      '<img src="b.jpg" width="640" height="480">',
      'src="https://a.example/post/b.jpg" alt="" width="640" height="480"',
    ],
    ['data-src', '<img src="/placeholder.gif" data-src="/b.jpg">', 'src="https://a.example/b.jpg" alt=""'],
    [
      'data-original beside a data: address',
      '<img src="data:image/gif;base64,R0" data-original="/b.jpg">',
      'src="https://a.example/b.jpg" alt=""',
    ],
    [
      'data-srcset alone',
      '<img data-srcset="/s.jpg 320w, /l.jpg 960w">',
      'src="https://a.example/l.jpg" srcset="https://a.example/s.jpg 320w, https://a.example/l.jpg 960w" alt=""',
    ],
    [
      'srcset with commas in addresses',
      '<img src="/a.jpg" srcset="/w_1,h_2/a.jpg 1x,/w_3,h_4/a.jpg 2x, javascript:alert(1) 3x">',
      'src="https://a.example/a.jpg" srcset="https://a.example/w_1,h_2/a.jpg 1x, https://a.example/w_3,h_4/a.jpg 2x" alt=""',
    ],
    [
      'the source of a picture element',
      '<picture><source srcset="/a.avif 2x" type="image/avif"><img alt="A"></picture>',
      'src="https://a.example/a.avif" srcset="https://a.example/a.avif 2x" alt="A"',
    ],
    ['AMP', '<amp-img src="/a.jpg" layout="fill"></amp-img>', 'src="https://a.example/a.jpg" alt=""'],
  ])('R10 finds the address of a picture in %s', (_, html, attributes) => {
    expect(sanitised(html)).toMatch(/^<img .* \/>(?:<\/img>)?$/);
    expect(sanitised(html)).toContain(`<img ${attributes} loading="lazy" decoding="async" />`);
  });

  it.each([
    [
      'YouTube',
      '<iframe src="//www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1" title="A film"></iframe>B',
      `<a href="https://www.youtube.com/watch?v=dQw4w9WgXcQ" ${LINK}>A film</a>B`,
    ],
    [
      'Vimeo, closed as in XML',
      '<iframe src="https://player.vimeo.com/video/12345"/>B',
      `<a href="https://vimeo.com/12345" ${LINK}>Vimeo</a>B`,
    ],
    [
      'a film',
      '<video poster=x><source src="/a.webm"><source src="/a.mp4"><p>Your browser <a href="/b">cannot</a>.</p></video>B',
      `<a href="https://a.example/a.webm" ${LINK}>a.webm</a>B`,
    ],
    [
      'a recording',
      '<audio src="/%E9%9F%B3.mp3" autoplay controls>No.</audio>B',
      `<a href="https://a.example/%E9%9F%B3.mp3" ${LINK}>音.mp3</a>B`,
    ],
  ])('R10 makes a link of %s', (_, html, expected) => {
    expect(sanitised(html)).toBe(expected);
  });

  it('R10 X6 whatever is written, only what is allowed is left', () => {
    const piece = fc.oneof(
      fc.constantFrom(...hostileMarkup.map(([, html]) => html)),
      fc.constantFrom(
        ...'<p> </p> <a href= <img src=x > " \' ` <!-- --> <svg> </svg> <table> <tr> <td> </table> <math> <style> </style> <noscript> </noscript> <select> <option> <b> </i> <pre> </pre> <video> <source src=a> </video> <iframe src=https://www.youtube.com/embed/dQw4w9WgXcQ> </iframe> <template> & &lt; &#x3c; <![CDATA[ ]]> <?php ?> \0 <h1> <picture> <base href=//b.example/>'.split(
          ' ',
        ),
      ),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        expect(problemsOf(sanitised(pieces.join('')))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ['nested without end', '<div>'.repeat(50_000)],
    ['nothing but tags', '<b>x</b>'.repeat(60_000)],
    ['nothing but opening brackets', '<'.repeat(300_000)],
  ])('R10 X6 reads %s as text', (_, html) => {
    expect(problemsOf(sanitised(html).slice(0, 50_000))).toEqual([]);
    expect(Buffer.byteLength(sanitised(html))).toBeLessThanOrEqual(MAX_ENTRY_TEXT_BYTES);
  });

  it('R10 cuts a long text at a block, and closes what is open', () => {
    const html = sanitised(`<blockquote>${'<p>港は<b>冬</b>も開いている。</p>'.repeat(20_000)}</blockquote>`);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(MAX_ENTRY_TEXT_BYTES);
    expect(Buffer.byteLength(html)).toBeGreaterThan(MAX_ENTRY_TEXT_BYTES * 0.99);
    expect(html).toMatch(/<p>港は<b>冬<\/b>も開いている。<\/p><\/blockquote>$/);
  });
});

describe('cutHtml', () => {
  it.each([
    ['what fits stays', '<p>Ab</p>', 100, '<p>Ab</p>'],
    ['at the last block', '<p>Ab</p><p>Cdefgh</p>', 20, '<p>Ab</p>'],
    ['inside of a text without blocks', '<p>港は開いている</p>', 15, '<p>港は</p>'],
    ['not inside of a reference', '<p>A&amp;&amp;&amp;B</p>', 15, '<p>A&amp;</p>'],
    ['of a text without any tag', '港は開いている', 8, '港は'],
  ])('R10 cuts: %s', (_, html, bytes, expected) => {
    expect(cutHtml(html, bytes)).toBe(expected);
  });

  it('R10 is never longer than it may be, and always closed', () => {
    const block = fc.constantFrom(
      '<p>港 &amp; A</p>',
      '<ul><li>A<b>B</b></li></ul>',
      '<hr />',
      'Text &lt; ',
      '<img src="https://a.example/a" />',
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), fc.integer({ min: 20, max: 120 }), (blocks, bytes) => {
        const cut = cutHtml(`<div>${blocks.join('')}</div>`, bytes);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
        const count = (pattern: RegExp): number => cut.match(pattern)?.length ?? 0;
        for (const name of ['div', 'p', 'ul', 'li', 'b'])
          expect(count(new RegExp(`<${name}>`, 'g'))).toBe(count(new RegExp(`</${name}>`, 'g')));
        expect(textOf(parsePage(`<p>x</p>${cut}`))).not.toMatch(/&\w*$/);
      }),
    );
  });
});
