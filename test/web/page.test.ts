import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { requires } from '../requirements.ts';
import { accessibilityViolations } from './accessibility.ts';
import { type BrowserFixture, type NewsroomFixture, openBrowser } from './browser.fixture.ts';
import { chromiumPath } from './chromium.ts';

const ITEM = `/item?${new URLSearchParams({ pipeline: 'daily', key: 'https://harbour.example/lighthouse' })}`;
const PAGES = ['/', '/pipelines', '/items', ITEM, '/sources', '/nowhere'];

// A browser on a busy machine is slow, and slow is not wrong.
vi.setConfig({ testTimeout: 240_000 });

requires('chromium')('the page in a browser', () => {
  let fixture: BrowserFixture;
  let site: NewsroomFixture;

  beforeAll(async () => {
    fixture = await openBrowser(chromiumPath ?? '');
  }, 240_000);
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    site = await fixture.open({ drops: 70 });
  });
  afterEach(async () => {
    const { pageErrors, foreignRequests } = site;
    await site[Symbol.asyncDispose]();
    expect(pageErrors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  /** How many pixels the page is wider than the screen. */
  const overflow = (page: Page): Promise<number> =>
    page.evaluate('document.documentElement.scrollWidth - innerWidth');

  const titles = (page: Page): Promise<string[]> => page.locator('.drop-title').allTextContents();

  it('X13 C20 announces a new drop on two pages at once, and shows it when asked', async () => {
    const [ann, ben] = await Promise.all([site.visit('/'), site.visit('/')]);
    for (const page of [ann, ben]) await page.locator('.live-live').waitFor();
    const before = await titles(ann);
    const id = await site.newsroom.postNext();
    for (const page of [ann, ben]) {
      await page.getByRole('button', { name: /^1 new/ }).waitFor();
      expect(await page.title()).toBe('(1) This newsroom – Kawaraban');
    }
    expect(await titles(ann)).toEqual(before);
    await ann.getByRole('button', { name: /^1 new/ }).click();
    await ann.locator(`#t-${id}`).waitFor();
    expect((await titles(ann))[1]).toBe(before[0]);
    const order = await ann
      .locator('.drops .seen, .drops .drop-title')
      .evaluateAll((all) => all.map((one) => one.textContent));
    expect(order[1]).toBe('↑ New since you last looked');
    expect(await titles(ben)).toEqual(before);
  });

  it('X13 C8 removes a deleted drop on every page, announced or shown', async () => {
    const page = await site.visit('/');
    await page.locator('.live-live').waitFor();
    const shown = await site.newsroom.postNext();
    await page.locator('.announcer-button').click();
    await page.locator(`#t-${shown}`).waitFor();
    const announced = await site.newsroom.postNext();
    await page.locator('.announcer-button').waitFor();
    await site.newsroom.writable.deleteDrop(shown);
    await site.newsroom.writable.deleteDrop(announced);
    await page.locator(`#t-${shown}`).waitFor({ state: 'detached' });
    await page.locator('.announcer-button').waitFor({ state: 'detached' });
  });

  it('X13 C17 scrolls down to the very first drop, without gaps or repeats', async () => {
    const page = await site.visit('/');
    await page.locator('.drop').first().waitFor();
    const ids: string[] = [];
    await expect
      .poll(
        async () => {
          const shown = page.locator('.drop-title').evaluateAll((all) => all.map((one) => one.id));
          for (const id of await shown) if (!ids.includes(id)) ids.push(id);
          await page.mouse.wheel(0, 900);
          return page.evaluate<boolean>(
            "document.querySelector('.end')?.getBoundingClientRect().bottom < innerHeight",
          );
        },
        { timeout: 60_000, interval: 30 },
      )
      .toBe(true);
    expect(ids).toHaveLength(70);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  it('C22 keeps what it shows while the newsroom is down, and catches up by itself', async () => {
    const page = await site.visit('/');
    await page.locator('.live-live').waitFor();
    await site.server[Symbol.asyncDispose]();
    await page.locator('.offline').waitFor();
    expect(await page.locator('.drop').count()).toBeGreaterThan(0);
    const next = await fixture.open({ drops: 3 }, Number(new URL(site.server.url).port));
    await page.getByRole('button', { name: /^3 new/ }).click();
    await expect.poll(() => page.locator('.drop').count()).toBe(3);
    expect(await page.locator('.offline').count()).toBe(0);
    await next[Symbol.asyncDispose]();
  });

  it('C22 counts what was posted while the stream was disconnected', async () => {
    const page = await site.visit('/');
    await page.locator('.live-live').waitFor();
    await page.route('**/events/**', (route) => route.abort());
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.locator('.offline').waitFor();
    await site.newsroom.postNext();
    await site.newsroom.postNext();
    await page.unroute('**/events/**');
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole('button', { name: /^2 new/ }).waitFor();
    expect(await page.locator('.offline').count()).toBe(0);
  });

  it('X13 can be read with the keyboard alone', async () => {
    const page = await site.visit('/');
    await page.locator('.drop').first().waitFor();
    const current = (): Promise<string | null> =>
      page.evaluate("document.activeElement?.getAttribute('aria-labelledby') ?? null");
    await page.keyboard.press('j');
    const first = await current();
    await page.keyboard.press('j');
    expect(await current()).not.toBe(first);
    await page.keyboard.press('k');
    expect(await current()).toBe(first);
    const newTab = page.context().waitForEvent('page');
    await page.context().route('https://*.example/**', (route) => route.fulfill({ body: 'elsewhere' }));
    await page.keyboard.press('o');
    await (await newTab).waitForURL(/example/);
    await page.bringToFront();
    await page.keyboard.press('w');
    await page.locator('.history').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.locator('.source').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    await expect
      .poll(() => page.evaluate("document.activeElement?.matches('input[type=search]') ?? false"))
      .toBe(true);
    await page.keyboard.type('jk.g?');
    expect(await page.locator('input[type=search]').inputValue()).toBe('jk.g?');
    site.foreignRequests.length = 0;
  });

  it('X13 filters items by state and by words, and the address can be shared', async () => {
    const page = await site.visit('/items');
    await page.locator('.row').first().waitFor();
    await page.getByLabel('State').selectOption('rejected');
    await expect.poll(() => page.locator('.row .mark').allTextContents()).toEqual(['Rejected', 'Rejected']);
    await page.getByLabel('Search in title and address').fill('letter');
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?state=rejected&q=letter');
    await page.reload();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.getByLabel('Search in title and address').fill('no such thing');
    await page.getByText('No items found.').waitFor();
  });

  it('X13 keeps what is typed while the page is still loading', async () => {
    const page = await site.visit('/sources');
    await page.locator('.source').first().waitFor();
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/v1/pipelines', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Items', exact: true }).click();
    await page.getByLabel('Search in title and address').fill('letter');
    gate.resolve();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    expect(await page.getByLabel('Search in title and address').inputValue()).toBe('letter');
  });

  it('X4 explains in plain words why an item was chosen, what happened to it and where it was posted', async () => {
    const page = await site.visit(ITEM);
    const text = await page.locator('main').innerText({ timeout: 5000 });
    await page.locator('.history').waitFor();
    const all = `${text}${await page.locator('main').innerText()}`;
    for (const words of [
      '78 of 100',
      'Speaks of machine learning, shipping.',
      'First seen',
      'Will be retried: No article text could be extracted',
      'Published',
      'Sent, but not confirmed',
    ])
      expect(all).toContain(words);
  });

  it('X13 is in Japanese for a Japanese browser, and in the other language on request', async () => {
    const page = await site.visit('/', { locale: 'ja-JP' });
    await page.getByRole('link', { name: 'ソース管理' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('ja');
    await page.getByRole('button', { name: 'Switch to English' }).click();
    await page.getByRole('link', { name: 'Sources' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sources' }).waitFor();
  });

  it('X13 follows the system’s colours, or the reader’s own choice', async () => {
    const page = await site.visit('/', { colorScheme: 'dark' });
    const background = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const dark = await background();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    expect(await background()).not.toBe(dark);
    await page.reload();
    expect(await background()).not.toBe(dark);
  });

  it('X13 reports a failed or missing response, and keeps working', async () => {
    site.newsroom.broken = true;
    const page = await site.visit('/pipelines');
    await page.getByText('Something went wrong.').waitFor();
    site.newsroom.broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.pipeline').first().waitFor();
    await page.route('**/api/v1/sources', (route) => route.abort());
    await page.getByRole('link', { name: 'Sources', exact: true }).click();
    await page.getByText('No connection to the server.').waitFor();
  });

  it.each([
    [['light', 'dark'], 1280],
    [['light'], 320],
  ] as const)('X13 has no violation that axe can find, in %s at %i pixels', async (schemes, width) => {
    const small = await fixture.open({ drops: 6 });
    const page = await small.visit('/', {
      viewport: { width, height: 800 },
      bypassCSP: true,
      // What is still fading in has not its final contrast yet.
      reducedMotion: 'reduce',
    });
    for (const path of PAGES) {
      await page.goto(small.server.url + path);
      await page.locator('main :is(.drop, .pipeline, .row, .history, .source, .notice)').first().waitFor();
      await page.locator('.live-live').waitFor();
      expect(await accessibilityViolations(page, { schemes }), path).toEqual([]);
    }
    await small[Symbol.asyncDispose]();
  });

  it('X13 an open list of keys and an announcement are accessible too', async () => {
    const page = await site.visit('/', { bypassCSP: true, reducedMotion: 'reduce' });
    await page.locator('.live-live').waitFor();
    await site.newsroom.postNext();
    await page.locator('.announcer-button').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it.each([1280, 320])('X13 hostile titles stay text and inside the page at %i pixels', async (width) => {
    const hostile = await fixture.open({ hostile: true });
    const page = await hostile.visit('/', { viewport: { width, height: 800 } });
    await page.locator('.drop').nth(3).waitFor();
    expect(await page.title()).toBe('This newsroom – Kawaraban');
    expect(await page.locator('.drop script, .drop img, .drop b').count()).toBe(0);
    expect(await page.locator('.drop').first().innerText()).toContain('<script>');
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    const tallest = "Math.max(...[...document.querySelectorAll('.drop')].map((drop) => drop.clientHeight))";
    expect(await page.evaluate(tallest)).toBeLessThan(700);
    expect(hostile.pageErrors).toEqual([]);
    for (const path of ['/items', '/item?pipeline=daily&key=https%3A%2F%2Fharbour.example%2Flong']) {
      await page.goto(hostile.server.url + path);
      await page.locator('main :is(.row, .history)').first().waitFor();
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    }
    await hostile[Symbol.asyncDispose]();
  });

  it('X13 animates nothing where reduced motion is preferred', async () => {
    const page = await site.visit('/', { reducedMotion: 'reduce' });
    await page.locator('.live-live').waitFor();
    await site.newsroom.postNext();
    await page.locator('.announcer-button').waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });

  it('X13 the first page needs at most 60 KB of compressed script', async () => {
    const page = await readFile(join(fixture.webRoot, 'index.html'), 'utf8');
    const scripts = [...page.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path]) => `${path}.gz`);
    let bytes = 0;
    for (const path of scripts) bytes += (await stat(join(fixture.webRoot, path))).size;
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(60_000);
  });

  it('X13 keys pressed right after loading do not navigate away', async () => {
    const page = await site.visit('/');
    await page.locator('.drop').first().waitFor();
    await page.keyboard.press('p');
    await page.keyboard.press('j');
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it('X13 renders only the rows around the screen of thousands', async () => {
    const long = await fixture.open({ drops: 3000 });
    const page = await long.visit('/');
    await page.locator('.drop').first().waitFor();
    await expect
      .poll(
        async () => {
          await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
          return page.locator('.end').count();
        },
        { timeout: 80_000, interval: 10 },
      )
      .toBe(1);
    expect(await page.locator('.drop').count()).toBeLessThan(60);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    const found = await page.waitForFunction<string>(
      "document.elementFromPoint(400, 500)?.closest('[data-drop]')?.dataset.drop",
    );
    const middle = await found.jsonValue();
    await page.getByRole('link', { name: 'Sources', exact: true }).click();
    await page.locator('.source').first().waitFor();
    await page.goBack();
    await page.locator(`[data-drop="${middle}"]`).waitFor();
    const box = await page.locator(`[data-drop="${middle}"]`).boundingBox();
    expect(box?.y).toBeGreaterThan(-400);
    expect(box?.y).toBeLessThan(900);
    await long[Symbol.asyncDispose]();
  });
});
