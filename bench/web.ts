import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { type NewsroomFixture, openBrowser } from '../test/web/browser.fixture.ts';
import { chromiumPath } from '../test/web/chromium.ts';
import { type BenchOptions, type Result, result } from './bench.ts';
import { median } from './rounds.ts';

export const about = 'the page in Chromium: first paint, and scrolling through 10,000 rows';

/** Rows that a reader with a wheel passes in one frame at most. */
const PIXELS_PER_FRAME = 400;

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  if (chromiumPath === null) throw new Error('This bench needs Chromium (Debian package "chromium").');
  const rows = quick ? 1_000 : 10_000;
  await using fixture = await openBrowser(chromiumPath);
  await using site = await fixture.open({ drops: rows });
  await using plain = await plainPage();
  const paint = await paints(site, plain.url, quick ? 5 : 15, log);
  const frames = await scrolled(site, rows, log);
  const bare = await framesOfPlainPage(site, plain.url);
  return [
    result({
      name: 'first contentful paint of the newsroom',
      ours: Math.round(paint.ours),
      unit: 'ms',
      limit: { name: 'a page of one line', value: Math.round(paint.plain) },
      goal: 'at most 300 ms',
      met: paint.ours <= 300,
    }),
    result({
      name: `slowest second while scrolling through ${rows.toLocaleString('en')} rows`,
      ours: frames,
      unit: 'frames',
      limit: { name: 'an empty page of that height', value: bare },
      goal: 'at least 50 frames',
      met: frames >= 50,
    }),
  ];
}

async function paints(
  site: NewsroomFixture,
  plain: string,
  turns: number,
  log: (line: string) => void,
): Promise<{ readonly ours: number; readonly plain: number }> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    // A new context each time: nothing is in a cache.
    const page = await site.visit('/');
    ours.push(await firstPaint(page));
    await page.goto(plain);
    bare.push(await firstPaint(page));
    await page.context().close();
  }
  log(`first paints in ms: ${ours.map(Math.round).join(' ')}; bare: ${bare.map(Math.round).join(' ')}`);
  return { ours: median(ours), plain: median(bare) };
}

function firstPaint(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((done) => {
    const look = () => {
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      if (paint) done(paint.startTime); else setTimeout(look, 10);
    };
    look();
  })`);
}

/** Loads every row, then goes from the last back to the first in even steps; the fewest frames of any full second. */
async function scrolled(site: NewsroomFixture, rows: number, log: (line: string) => void): Promise<number> {
  const page = await site.visit('/');
  await page.locator('.drop').first().waitFor();
  log(`loading ${rows} rows …`);
  await page.evaluate(`new Promise((done) => {
    const down = () => {
      scrollTo(0, document.documentElement.scrollHeight);
      if (document.querySelector('.end')) done(); else setTimeout(down, 5);
    };
    down();
  })`);
  const fewest = await fewestFrames(page);
  await page.context().close();
  return fewest;
}

async function framesOfPlainPage(site: NewsroomFixture, plain: string): Promise<number> {
  const page = await site.visit('/');
  await page.goto(`${plain}tall`);
  return fewestFrames(page);
}

function fewestFrames(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((done) => {
    const frames = [];
    let y = scrollY;
    const step = (at) => {
      frames.push(at);
      y -= ${PIXELS_PER_FRAME};
      scrollTo(0, y);
      if (y > 0 && at - frames[0] < 20000) return requestAnimationFrame(step);
      let fewest = Infinity;
      for (let first = 0, last = 0; last < frames.length; last++) {
        while (frames[last] - frames[first] > 1000) {
          fewest = Math.min(fewest, last - first);
          first++;
        }
      }
      done(fewest === Infinity ? frames.length / ((frames.at(-1) - frames[0]) / 1000) : fewest);
    };
    scrollTo(0, y);
    requestAnimationFrame(step);
  })`);
}

async function plainPage(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const tall = '<div style="height:2000000px"></div><script>onload=()=>scrollTo(0,2e6)</script>';
    response.end(`<!doctype html><title>bare</title><p>One line.</p>${request.url === '/tall' ? tall : ''}`);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
