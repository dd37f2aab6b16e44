import { createRequire } from 'node:module';
import { Readability } from '@mozilla/readability';
import { describe, expect, it } from 'vitest';
import { findMainContent } from './main-content.ts';
import { parsePage, textOf } from './page.ts';

// A separate instance of the parser, with unpatched nodes.
const { parseHTML } = createRequire(import.meta.url)('linkedom') as typeof import('linkedom');

const sentence =
  'The harbour stays open this winter, the council said, and the ferries, all nine, will run. ';
const long = `<p>${sentence.repeat(4)}</p>`.repeat(4);
const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Harbour</title></head><body>${body}</body></html>`;

const PAGES: Readonly<Record<string, string>> = {
  plain: page(`<article><h1>Harbour</h1>${long}</article>`),
  'hidden by style': page(
    `<article>${long}<p style="color:red;display:none">Not shown, not at all, to anybody, ever.</p><p style="visibility:hidden">Nor this, which is long enough, to count.</p></article>`,
  ),
  'hidden by attribute': page(
    `<article>${long}<div hidden><p>${sentence}</p></div><div aria-hidden="true"><p>${sentence}</p></div></article>`,
  ),
  'style that only sounds hidden': page(
    `<article>${long}<p style="--display: none-of-it">${sentence}</p></article>`,
  ),
  'a byline, shares and a footer': page(
    `<article><p class="byline">By Ann Lee</p>${long}<div class="share-tools">Share this</div><footer>${sentence}</footer></article>`,
  ),
  'paragraphs by line breaks': page(
    `<div class="content">${`${sentence.repeat(3)}<br><br>`.repeat(6)}</div>`,
  ),
  'too little, so everything is tried': page(
    '<div class="comment"><p>Short, but it is all there is.</p></div>',
  ),
  'lists, tables and headings': page(
    `<article>${long}<h2>Times</h2><ul><li>${sentence}</li><li>${sentence}</li></ul><table><tr><td>Nine</td><td>Ten</td></tr></table></article>`,
  ),
};

describe('findMain', () => {
  it.each(Object.entries(PAGES))('X6 finds in a page with %s what the library finds', (_, html) => {
    const theirs = new Readability<never>(parseHTML(html).document as never, {
      disableJSONLD: true,
      serializer: (node) => node as never,
    }).parse();
    const ours = findMainContent(parsePage(html));
    const content = ours?.contents.at(-1);
    expect(content ? textOf(content) : null).toBe(theirs?.content ? textOf(theirs.content) : null);
    expect(ours?.byline ?? null).toBe(theirs?.byline ?? null);
  });

  it('X6 the nodes of a parsed page keep no listeners', () => {
    const { body } = parsePage('<p>Text') as unknown as { readonly body: EventTarget };
    expect(() => body.addEventListener('click', () => {})).toThrow(TypeError);
  });
});
