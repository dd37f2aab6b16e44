import { encode } from '../feeds/encode.ts';
import { xml } from '../feeds/format.ts';
import { conditional } from '../net/conditional.ts';
import type { Ask, Reply, Service } from '../net/exchange.ts';
import { html, plainError } from '../net/reply.ts';
import { findOutlet, type Outlet } from '../world/outlet.ts';
import type { NewsItem, World } from '../world/world.ts';
import { articlePage } from './article-page.ts';
import { iconReply } from './icon.ts';
import { pdf } from './pdf.ts';
import { specialPage } from './special.ts';

/** The host on which all pages behind the feeds live. */
export class Pages implements Service {
  readonly #world: World;
  readonly #base: string;
  readonly #put = new Map<string, Reply>();

  constructor(world: World, base: string) {
    this.#world = world;
    this.#base = base;
  }

  errorReply = plainError;

  /** Serves exactly this at `path` from now on, and returns the address. */
  put(path: string, reply: Reply): string {
    this.#put.set(path, reply);
    return `${this.#base}${path}`;
  }

  remove(path: string): void {
    this.#put.delete(path);
  }

  answer(ask: Ask): Reply {
    if (ask.method !== 'GET' && ask.method !== 'HEAD') return plainError(405);
    const put = this.#put.get(ask.path);
    if (put) return put;
    if (ask.path.startsWith('/special/')) return specialPage(ask, this.#base) ?? plainError(404);
    const icon = /^\/([^/]+)\/icon(?:-(\d{2,3}))?\.(png|svg)$/.exec(ask.path);
    if (icon) return this.#icon(icon[1] ?? '', icon[3] === 'svg' ? 'svg' : 'png', Number(icon[2] ?? 64));
    const document = /^(\/.+\/\d+)-(\d)\.pdf$/.exec(ask.path);
    if (document) return this.#document(`${document[1]}.html`, Number(document[2]), ask.now);
    const item = this.#world.find(ask.path, ask.now);
    if (item) return this.#page(item, ask);
    const outlet = findOutlet(ask.path.split('/')[1] ?? '');
    return outlet && /^\/[^/]+\/?$/.test(ask.path) ? this.#front(outlet, ask.now) : plainError(404);
  }

  #page(item: NewsItem, ask: Ask): Reply {
    const { outlet, article } = item;
    const ready = this.#hasDocuments(item, ask.now);
    const page = articlePage({
      url: `${this.#base}${item.path}`,
      site: outlet.name,
      language: outlet.language,
      title: article.title,
      text: textOf(item, ready),
      background: hasBackground(item, ready) ? article.background : [],
      publishedAt: item.publishedAt,
      charset: outlet.encoding,
      paywalled: item.kind === 'paywall',
      ...(outlet.ministry ? {} : { byline: article.byline }),
      documents: ready ? this.#documents(item) : [],
      related: this.#related(item),
    });
    const reply = html(encode(page, outlet.encoding), 200, outlet.encoding);
    return conditional(ask, reply, ready ? this.#documentsAt(item) : item.publishedAt);
  }

  #hasDocuments(item: NewsItem, now: number): boolean {
    return item.kind === 'documents' || (item.kind === 'for_later' && now >= this.#documentsAt(item));
  }

  #documentsAt(item: NewsItem): number {
    return item.kind === 'for_later' ? item.publishedAt + this.#world.laterMs : item.publishedAt;
  }

  #related(item: NewsItem): { title: string; href: string }[] {
    return [1, 2, 3].map((back) => {
      const other = this.#world.item(item.outlet, item.number - back);
      return { title: other.article.title, href: other.path };
    });
  }

  #documents(item: NewsItem): { name: string; href: string }[] {
    const stem = item.path.replace(/\.html$/, '');
    return ['資料1　概要', '資料2　本文'].map((name, i) => ({ name, href: `${stem}-${i + 1}.pdf` }));
  }

  #document(pagePath: string, number: number, now: number): Reply {
    const item = this.#world.find(pagePath, now);
    if (!item || number < 1 || number > 2 || !this.#hasDocuments(item, now)) return plainError(404);
    const { title, paragraphs, background } = item.article;
    const text = number === 1 ? paragraphs : [...paragraphs, ...background];
    const body = pdf(`${title}（資料${number}）`, text);
    return { status: 200, headers: { 'content-type': 'application/pdf' }, body };
  }

  #icon(outletId: string, format: 'png' | 'svg', edge: number): Reply {
    const outlet = findOutlet(outletId);
    if (!outlet || outlet.icon === 'none') return plainError(404);
    return iconReply(outlet.id, format, Math.min(edge, 512));
  }

  #front(outlet: Outlet, now: number): Reply {
    const links = this.#world
      .latest(outlet, now)
      .map((item) => `<li><a href="${item.path}">${xml(item.article.title)}</a></li>`);
    const page = `<!doctype html><html lang="${outlet.language}"><head><meta charset="${outlet.encoding}"><title>${xml(outlet.name)}</title>${iconLinks(outlet)}</head><body><h1>${xml(outlet.name)}</h1><p>${xml(outlet.about)}</p><ul>${links.join('\n')}</ul></body></html>`;
    return html(encode(page, outlet.encoding), 200, outlet.encoding);
  }
}

function iconLinks({ id, icon }: Outlet): string {
  switch (icon) {
    case 'link':
      return `<link rel="icon" sizes="16x16" href="/${id}/icon-16.png"><link rel="shortcut icon" sizes="96x96" href="icon-96.png">`;
    case 'touch':
      return `<link rel="apple-touch-icon" href="icon-180.png">`;
    case 'svg':
      return `<link rel="icon" type="image/svg+xml" href="icon.svg">`;
    case 'feed':
    case 'none':
      return '';
  }
}

function hasBackground(item: NewsItem, ready: boolean): boolean {
  if (item.kind === 'no_text' || item.kind === 'formality') return false;
  return item.kind !== 'for_later' || ready;
}

function textOf(item: NewsItem, ready: boolean): readonly string[] {
  const { paragraphs } = item.article;
  if (item.kind === 'no_text') return [];
  if (item.kind === 'for_later' && !ready) {
    return ['標記について、下記のとおり開催します。', '会議の資料は、準備ができ次第、本ページに掲載します。'];
  }
  if (item.outlet.ministry && item.kind !== 'formality') {
    return ['標記について、下記のとおりお知らせします。', ...paragraphs];
  }
  return paragraphs;
}
