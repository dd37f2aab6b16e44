import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { findOutlet } from '../world/outlet.ts';
import type { NewsItem, PageKind } from '../world/world.ts';

const clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
/** linkedom's document under the type that Readability requires. */
type ReadabilityDocument = ConstructorParameters<typeof Readability>[0];

let sim: Simulator;

beforeAll(async () => {
  sim = await startSimulator({ clock });
});

afterAll(async () => {
  await sim[Symbol.asyncDispose]();
});

async function get(path: string): Promise<Response> {
  return fetch(`${sim.urls.pages}${path}`, { redirect: 'manual' });
}

function itemOf(outletId: string, kind: PageKind): NewsItem {
  const outlet = findOutlet(outletId);
  const item = outlet && sim.world.latest(outlet, clock.now(), 400).find((each) => each.kind === kind);
  if (!item) throw new Error(`no ${kind} at ${outletId}`);
  return item;
}

async function pdfWords(path: string): Promise<string> {
  const bytes = new Uint8Array(await (await get(path)).arrayBuffer());
  const task = getDocument({ data: bytes, useSystemFonts: false, verbosity: 0 });
  const document = await task.promise;
  const texts: string[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    texts.push(items.map((item) => ('str' in item ? item.str : '')).join(''));
  }
  await task.destroy();
  return texts.join('');
}

describe('article pages', () => {
  it('have an article that extraction finds among the rest', async () => {
    for (const id of ['byte-herald', 'machi-shimbun', 'keizai-dayori', 'yoru-lab']) {
      const item = itemOf(id, 'article');
      const answer = await get(item.path);
      const charset = /charset=(.+)$/.exec(answer.headers.get('content-type') ?? '')?.[1] ?? '';
      const html = new TextDecoder(charset).decode(await answer.arrayBuffer());
      const { document } = parseHTML(html);
      expect(document.documentElement.getAttribute('lang')).toBe(item.outlet.language);
      expect(document.querySelector('link[rel=canonical]')?.getAttribute('href')).toBe(
        `${sim.urls.pages}${item.path}`,
      );
      expect(document.querySelector('time')?.getAttribute('datetime')).toBe(
        new Date(item.publishedAt).toISOString(),
      );
      const read = new Readability(document as unknown as ReadabilityDocument, {
        charThreshold: 100,
      }).parse();
      for (const paragraph of item.article.paragraphs) expect(read?.textContent).toContain(paragraph);
      expect(read?.textContent).not.toContain('cookies');
      expect(read?.byline).toContain(item.article.byline);
    }
  });

  it('come behind a paywall, or without a text', async () => {
    const paywalled = itemOf('byte-herald', 'paywall');
    const page = await (await get(paywalled.path)).text();
    expect(page).toContain('class="paywall"');
    expect(page).toContain('"isAccessibleForFree":false');
    expect(page).not.toContain(paywalled.article.paragraphs[1]);
    const empty = itemOf('byte-herald', 'no_text');
    expect(await (await get(empty.path)).text()).not.toContain(empty.article.paragraphs[0]);
  });

  it('do not exist before they are published, nor under another topic', async () => {
    const item = itemOf('byte-herald', 'article');
    const outlet = item.outlet;
    const newest = sim.world.latest(outlet, clock.now(), 1)[0]?.number ?? 0;
    expect((await get(sim.world.item(outlet, newest + 5).path)).status).toBe(404);
    expect((await get(item.path.replace(item.article.topic, 'gardening'))).status).toBe(404);
    expect((await get('/nowhere')).status).toBe(404);
  });

  it('of a ministry have documents, and some announce them for later', async () => {
    const item = itemOf('shomusho', 'documents');
    const page = await (await get(item.path)).text();
    const links = [...page.matchAll(/href="([^"]+\.pdf)"/g)].map((match) => match[1] ?? '');
    expect(links).toHaveLength(2);
    const words = await pdfWords(links[1] ?? '');
    expect(words).toContain(item.article.title);
    expect(words).toContain((item.article.paragraphs[0] ?? '').slice(0, 30));

    const later = itemOf('shomusho', 'for_later');
    const early = new ManualClock(later.publishedAt + 1);
    const before = await startSimulator({ clock: early });
    const announced = await (await fetch(`${before.urls.pages}${later.path}`)).text();
    expect(announced).toContain('準備ができ次第');
    expect(announced).not.toContain('.pdf');
    expect((await fetch(`${before.urls.pages}${later.path.replace('.html', '-1.pdf')}`)).status).toBe(404);
    early.jump(HOUR);
    expect(await (await fetch(`${before.urls.pages}${later.path}`)).text()).toContain('-1.pdf');
    expect((await fetch(`${before.urls.pages}${later.path.replace('.html', '-1.pdf')}`)).status).toBe(200);
    await before[Symbol.asyncDispose]();
  });
});

describe('special pages', () => {
  it('answer as their names say', async () => {
    const seen = async (name: string): Promise<(string | number | null)[]> => {
      const answer = await get(`/special/${name}`);
      return [answer.status, answer.headers.get('content-type')];
    };
    expect(await seen('article.html')).toEqual([200, 'text/html; charset=utf-8']);
    expect(await seen('gone.html')).toMatchObject([410, expect.any(String)]);
    expect(await seen('error.html?status=503')).toMatchObject([503, expect.any(String)]);
    expect(await seen('notes.txt')).toEqual([200, 'text/plain']);
    expect(await seen('picture.png')).toEqual([200, 'image/png']);
    expect(await seen('report.pdf')).toEqual([200, 'application/pdf']);
    expect(await seen('article-sjis.html?in=meta')).toEqual([200, 'text/html']);
    expect((await seen('nothing.html'))[0]).toBe(404);
    expect((await (await get('/special/huge.html?bytes=200000')).text()).length).toBeGreaterThan(200_000);
  });

  it('redirect so many times, or for ever', async () => {
    const followed = await fetch(`${sim.urls.pages}/special/redirect/4`);
    expect(followed.url).toBe(`${sim.urls.pages}/special/article.html`);
    await expect(fetch(`${sim.urls.pages}/special/loop`)).rejects.toThrow();
  });

  it('have PDFs with text in both scripts, and a broken one', async () => {
    expect(await pdfWords('/special/report.pdf')).toContain('database');
    expect(await pdfWords('/special/report-ja.pdf')).toMatch(/データベース|トランザクション|索引|書き込み/);
    await expect(pdfWords('/special/broken.pdf')).rejects.toThrow();
  });

  it('are slow when asked', async () => {
    const began = performance.now();
    await get('/special/slow.html?ms=80');
    expect(performance.now() - began).toBeGreaterThan(75);
  });
});
