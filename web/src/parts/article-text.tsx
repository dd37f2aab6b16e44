import { useLayoutEffect, useRef } from 'preact/hooks';
import { parseSanitisedHtml } from '../trusted.ts';
import { words } from '../words/words.ts';

/** The text of an article, as the server has sanitised it. Wide code and tables scroll inside their own box. */
export function ArticleText({ html, language }: { readonly html: string; readonly language: string | null }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { body } = parseSanitisedHtml(html);
    prepare(body);
    place.current?.replaceChildren(...body.childNodes);
  }, [html]);
  return <div ref={place} class="article-text" lang={language ?? undefined} />;
}

function prepare(body: HTMLElement): void {
  const w = words.value.reader.article;
  // The server leaves none of these; should one come through, it has no effect and is not shown.
  for (const foreign of body.querySelectorAll('script, style, link, meta, iframe, object, embed, form'))
    foreign.remove();
  for (const link of body.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  for (const picture of body.querySelectorAll('img')) {
    picture.loading = 'lazy';
    picture.decoding = 'async';
    picture.alt ||= '';
  }
  for (const table of body.querySelectorAll('table')) {
    const box = body.ownerDocument.createElement('div');
    table.replaceWith(box);
    box.append(table);
    scrolls(box, w.tableLabel);
  }
  for (const code of body.querySelectorAll<HTMLElement>('pre')) scrolls(code, w.codeLabel);
  // The page has the first and the second level.
  for (const heading of body.querySelectorAll('h1, h2')) {
    const lower = body.ownerDocument.createElement('h3');
    lower.replaceChildren(...heading.childNodes);
    heading.replaceWith(lower);
  }
}

/** Reachable with the keyboard, so that it can be scrolled. */
function scrolls(element: HTMLElement, label: string): void {
  element.classList.add('scrolls');
  element.tabIndex = 0;
  element.setAttribute('role', 'region');
  element.setAttribute('aria-label', label);
}
