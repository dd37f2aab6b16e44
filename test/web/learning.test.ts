import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { requires } from '../requirements.ts';
import { chromiumPath } from './chromium.ts';
import { openReaderBrowser, type ReaderBrowser, type ReaderFixture } from './reader.fixture.ts';

// A browser on a busy machine is slow, and slow is not wrong.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ARTICLE = `<p>${'Ninety years of tide notes were read in one weekend. '.repeat(200)}</p>`;

requires('chromium')('learning in a browser', () => {
  let browser: ReaderBrowser;
  let site: ReaderFixture;

  beforeAll(async () => {
    browser = await openReaderBrowser(chromiumPath ?? '');
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    site = await browser.open();
  });
  afterEach(async () => {
    const { pageErrors } = site;
    await site[Symbol.asyncDispose]();
    expect(pageErrors).toEqual([]);
  });

  const titles = (page: Page): Promise<string[]> => page.locator('.entry-title a').allTextContents();
  const row = (page: Page, title: string) => page.locator('.entry', { hasText: title });

  async function reactions(): Promise<string[]> {
    const account = (await site.app.auth.accounts.list()).find(({ name }) => name === 'ann');
    const { reactions: stored } = await site.app.engine.reactions.of(account?.userId ?? '');
    return stored.map(({ kind, title }) => `${kind} ${title}`).toSorted();
  }

  async function choose(page: Page, title: string, kind: 'more' | 'less'): Promise<void> {
    await row(page, title).hover();
    await row(page, title).locator('.entry-actions summary').click();
    await row(page, title).locator(`[data-learn="${kind}"]`).click();
  }

  it('Q20 Q21 Q22 more and less like this: said, shown, taken back and forgotten', async () => {
    await site.add(
      { title: 'Rust closures', source: 'compiler', minutesAgo: 300 },
      { title: 'Rust in kernels', source: 'signals', minutesAgo: 200 },
      { title: 'Tea in Uji', source: 'harbour', minutesAgo: 100 },
    );
    const page = await site.visit(await site.context('ann'), '/reader?view=all');
    await row(page, 'Tea in Uji').waitFor();
    await choose(page, 'Tea in Uji', 'less');
    await page.getByText('You will see less like this').waitFor();
    await expect.poll(reactions).toEqual(['less Tea in Uji']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(reactions).toEqual([]);
    await choose(page, 'Rust closures', 'more');
    await expect.poll(reactions).toEqual(['more Rust closures']);
    await page.locator('summary[title="View"]').click();
    await page.getByLabel('For you').check();
    await expect.poll(() => titles(page)).toEqual(['Rust in kernels', 'Tea in Uji', 'Rust closures']);
    await expect
      .poll(() => row(page, 'Rust in kernels').innerText())
      .toMatch(/\+\d+: you wanted more like 1 about Rust/);
    await page.keyboard.press('Escape');

    // The article says it too, in the language of the reader.
    await row(page, 'Rust in kernels').locator('.entry-title a').click();
    await page.locator('[data-learned]').waitFor();
    expect(await page.locator('[data-learned]').innerText()).toContain('you wanted more like 1 about Rust');
    await page.goto(`${site.url}/settings`);
    await page.locator('#s-language').selectOption('ja');
    await page.locator('html[lang=ja]').waitFor();
    await page.goBack();
    await page.locator('[data-learned]').waitFor();
    expect(await page.locator('[data-learned]').innerText()).toContain(
      '「Rust」に関する記事1件に「もっと見たい」',
    );

    await page.goto(`${site.url}/settings`);
    await page.locator('#s-language').selectOption('en');
    await page.locator('html[lang=en]').waitFor();
    const settings = page.locator('[data-learning]');
    await settings.getByText('Learned from 1 article').click();
    await settings.getByText('Rust closures').waitFor();
    await settings.getByRole('button', { name: /^Forget: Rust closures/ }).click();
    await settings.getByText('Nothing learned yet.').waitFor();
    await expect.poll(reactions).toEqual([]);
    await settings.getByLabel('Learn from what I do').uncheck();
    await expect
      .poll(async () => {
        const account = (await site.app.auth.accounts.list()).find(({ name }) => name === 'ann');
        return (await site.app.engine.reactions.of(account?.userId ?? '')).enabled;
      })
      .toBe(false);
  });

  it('Q20 an article counts as read to the end once its end was in view for long enough', async () => {
    const [id] = await site.add({ title: 'Tides', source: 'harbour', content: ARTICLE });
    const page = await (await site.context('ann')).newPage();
    await page.clock.install();
    await page.goto(`${site.url}/article?id=${id}`);
    await page.locator('[data-end]').waitFor({ state: 'attached' });
    await page.clock.fastForward(5 * 60_000);
    expect(await reactions()).toEqual([]);
    await page.locator('[data-end]').scrollIntoViewIfNeeded();
    await page.clock.runFor(1_000);
    await expect
      .poll(async () => {
        await page.clock.runFor(100);
        return reactions();
      })
      .toEqual(['finished Tides']);
    await page.close();
  });

  it('Q20 what was said offline is sent when the server answers again', async () => {
    await site.add(
      { title: 'Rust closures', source: 'compiler' },
      { title: 'Tea in Uji', source: 'harbour' },
    );
    const context = await site.context('ann');
    const page = await site.visit(context, '/reader?view=all');
    await row(page, 'Rust closures').waitFor();
    await context.setOffline(true);
    await choose(page, 'Rust closures', 'more');
    await page.getByText('1 change will be sent when you are online again.').waitFor();
    expect(await reactions()).toEqual([]);
    await context.setOffline(false);
    await expect.poll(reactions).toEqual(['more Rust closures']);
    await expect.poll(() => page.getByText(/will be sent/).count()).toBe(0);
  });
});
