import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { ItemKey } from '../../src/item/item.ts';
import { requires } from '../requirements.ts';
import { accessibilityViolations } from './accessibility.ts';
import { chromiumPath } from './chromium.ts';
import { openReaderBrowser, type ReaderBrowser, type ReaderFixture, SOURCES } from './reader.fixture.ts';

// A browser on a busy machine is slow, and slow is not wrong.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ARTICLE = `<p>${'Ninety years of tide notes were read in one weekend. '.repeat(40)}</p>
<pre><code>${'a very long line of code '.repeat(20)}</code></pre>
<table><tbody><tr><td>${'cell '.repeat(80)}</td></tr></tbody></table>`;
const UNREAD = '/reader?view=unread';
const ALL = '/reader?view=all';

requires('chromium')('the reader in a browser', () => {
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
    const { pageErrors, foreignRequests } = site;
    await site[Symbol.asyncDispose]();
    expect(pageErrors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  const titles = (page: Page): Promise<string[]> => page.locator('.entry-title a').allTextContents();
  const row = (page: Page, title: string) => page.locator('.entry', { hasText: title });
  const isRead = (page: Page, title: string): Promise<boolean> =>
    row(page, title).evaluate((entry) => entry.classList.contains('entry-read'));
  /** The count beside a link of the sidebar; empty where there is none. */
  const count = async (page: Page, name: string): Promise<string> => {
    const link = page.getByRole('navigation', { name: 'Pages' }).locator('.nav-link', {
      has: page.locator('.nav-text', { hasText: new RegExp(`^${name}$`) }),
    });
    return (
      (await link
        .locator('.count > span')
        .first()
        .textContent({ timeout: 2000 })
        .catch(() => '')) ?? ''
    );
  };
  const focused = (page: Page): Promise<string> =>
    page.evaluate("document.activeElement?.querySelector('.entry-title a')?.textContent ?? ''");

  async function five(): Promise<number[]> {
    return site.add(
      { title: 'Fifth', source: 'cast', minutesAgo: 500 },
      { title: 'Fourth', source: 'signals', minutesAgo: 400 },
      { title: 'Third', source: 'compiler', minutesAgo: 300, content: ARTICLE, excerpt: 'About tides' },
      { title: 'Second', source: 'harbour', minutesAgo: 200, content: ARTICLE },
      { title: 'First', source: 'harbour', minutesAgo: 100, content: ARTICLE },
    );
  }

  it('R6 R7 R9 R18 opening an article reads its story everywhere, and Back puts the focus on it', async () => {
    const ids = await five();
    await site.add({
      title: 'First elsewhere',
      source: 'compiler',
      minutesAgo: 90,
      ...{ story: ids[4] ?? 0 },
    });
    const page = await site.visit(await site.context('ann'), UNREAD);
    await page.locator('.entry').first().waitFor();
    expect(await titles(page)).toHaveLength(5);
    expect(await count(page, 'Unread')).toBe('5');
    expect(await count(page, 'Tech')).toBe('3');
    expect(await page.title()).toBe('Unread (5) – Kawaraban');
    await page.getByText('1 more source').click();
    await page.locator('.elsewhere a').first().waitFor();
    await row(page, 'Second').locator('.entry-title a').click();
    await page.locator('.article-text').waitFor();
    expect(await page.title()).toBe('Second – Kawaraban');
    await expect.poll(() => count(page, 'Unread')).toBe('4');
    expect(await count(page, 'Harbour Gazette')).toBe('1');
    await page.goBack();
    await expect.poll(() => focused(page)).toBe('Second');
    expect(await isRead(page, 'Second')).toBe(true);
    await page.reload();
    await expect.poll(() => titles(page)).not.toContain('Second');
  });

  it('Q14 Q15 an owner splits and joins stories, in all open tabs, by menu and keys, and takes it back', async () => {
    const ids = await five();
    await site.add({
      title: 'First elsewhere',
      source: 'compiler',
      minutesAgo: 90,
      story: ids[4] ?? 0,
      storyReason: {
        verdict: 'same',
        with: 'https://harbour.example/first' as ItemKey,
        title: 'First',
        by: 'rules',
        common: { names: ['Larkfield'], figures: ['12'], words: ['ferry'] },
      },
    });
    const [page, other] = [
      await site.visit(await site.context('ann'), ALL),
      await site.visit(await site.context('ben'), ALL),
    ];
    for (const tab of [page, other]) {
      await tab.locator('.entry').first().waitFor();
      await tab.locator('.live-live').waitFor();
    }
    await page.bringToFront();
    const alone = ['First elsewhere', 'First', 'Second', 'Third', 'Fourth', 'Fifth'];
    expect(await other.locator('[data-act="split"], [data-act="join"]').count()).toBe(0);
    const menu = (title: string) => row(page, title).locator('.entry-actions summary');
    await menu('Second').click();
    expect(await page.getByRole('button', { name: 'Not the same story' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await menu('First').first().click();
    await page.getByRole('button', { name: 'Not the same story' }).click();
    await page.getByText('The entry is a story of its own now, for everybody.').waitFor();
    for (const tab of [page, other]) await expect.poll(() => titles(tab)).toEqual(alone);
    await page.keyboard.press('u');
    for (const tab of [page, other]) await expect.poll(async () => (await titles(tab)).length).toBe(5);

    await menu('Second').click();
    await page.getByRole('button', { name: 'Same story as …' }).click();
    await page.getByText('Choose “Same story as …” in the menu of the other entry about “Second”.').waitFor();
    await row(page, 'Third').focus();
    await page.keyboard.press('y');
    await page.getByText('The two are one story now, for everybody.').waitFor();
    for (const tab of [page, other]) await expect.poll(async () => (await titles(tab)).length).toBe(4);
    await page.getByRole('button', { name: /^Undo/ }).click();
    for (const tab of [page, other]) await expect.poll(async () => (await titles(tab)).length).toBe(5);

    await page.locator('.elsewhere summary').first().click();
    await page
      .getByRole('link', { name: /elsewhere/ })
      .first()
      .click();
    await page.locator('.article-section').first().waitFor();
    expect(await page.locator('[data-story-reason]').textContent()).toContain(
      'Same story as "First": names Larkfield; figures 12; words ferry.',
    );
    await page.keyboard.press('x');
    await expect.poll(() => page.locator('[data-story-reason]').textContent()).toContain('split by ann');
    await expect.poll(() => titles(other)).toEqual(alone);
  });

  it('Q14 says why in Japanese too', async () => {
    const [one = 0] = await site.add({ title: '列車が脱線、けが人なし', source: 'tokyo', minutesAgo: 60 });
    const [two] = await site.add({
      title: '列車脱線、負傷者なし',
      source: 'harbour',
      minutesAgo: 30,
      story: one,
      storyReason: {
        verdict: 'same',
        with: 'https://tokyo.example/1' as ItemKey,
        title: '列車が脱線、けが人なし',
        by: 'embedder',
        similarity: 0.913,
        common: { names: [], figures: [], words: ['列車', '脱線'] },
      },
    });
    const page = await site.visit(await site.context('ann', { locale: 'ja-JP' }), `/article?id=${two}`);
    await page.locator('[data-story-reason]').waitFor();
    expect(await page.locator('[data-story-reason]').textContent()).toContain(
      '「列車が脱線、けが人なし」と同じ話題です。埋め込みモデルによる判定です(類似度 0.91)。共通点: 語 列車、脱線',
    );
    await page.getByRole('button', { name: '同じ話題ではない' }).waitFor();
  });

  it('R8 marks all as read up to what was shown, and takes it back exactly', async () => {
    await five();
    const context = await site.context('ann');
    const page = await site.visit(context, ALL);
    await page.locator('.entry').first().waitFor();
    await row(page, 'Fourth').hover();
    await row(page, 'Fourth').locator('[data-act="read"]').click();
    await expect.poll(() => count(page, 'Unread')).toBe('4');
    await site.add({ title: 'Arrived later', source: 'cast' });
    await page.locator('[data-act="mark-all"]').click();
    await page.getByText(/^Marked \d+ as read\.$/).waitFor();
    await expect.poll(() => page.locator('.entry-read').count()).toBe(5);
    await expect.poll(() => count(page, 'Unread')).toBe('1');
    await page.getByRole('button', { name: /^Undo/ }).click();
    await expect.poll(() => page.locator('.entry-read').count()).toBe(1);
    expect(await isRead(page, 'Fourth')).toBe(true);
    await expect.poll(() => count(page, 'Unread')).toBe('5');
    await page.reload();
    await page.locator('.entry').first().waitFor();
    expect(await page.locator('.entry-read').count()).toBe(1);
  });

  it('R8 marks what is above, and what is older than a day', async () => {
    await site.add(
      { title: 'Last week', source: 'cast', minutesAgo: 8 * 24 * 60 },
      { title: 'The day before', source: 'cast', minutesAgo: 30 * 60 },
      { title: 'This morning', source: 'cast', minutesAgo: 60 },
      { title: 'Just now', source: 'cast', minutesAgo: 2 },
    );
    const page = await site.visit(await site.context('ann'), ALL);
    await page.locator('.entry').first().waitFor();
    await page
      .getByRole('group')
      .filter({ has: page.locator('summary[title="Mark as read"]') })
      .locator('summary')
      .click();
    await page.getByRole('button', { name: 'Older than a day' }).click();
    await expect.poll(() => isRead(page, 'The day before')).toBe(true);
    expect(await isRead(page, 'Last week')).toBe(true);
    expect(await isRead(page, 'This morning')).toBe(false);
    await page.keyboard.press('u');
    await expect.poll(() => page.locator('.entry-read').count()).toBe(0);
    await row(page, 'This morning').hover();
    await row(page, 'This morning').locator('summary').click();
    await page.getByRole('button', { name: 'Mark this and everything above as read' }).click();
    await page.getByText('Marked 2 as read.').waitFor();
    expect(await isRead(page, 'Just now')).toBe(true);
    expect(await isRead(page, 'The day before')).toBe(false);
  });

  it('R8 takes back the last change although an earlier one is answered after it', async () => {
    await five();
    const context = await site.context('ann');
    const held = new Map<string, () => void>();
    await context.route('**/reader/state', async (route) => {
      const { kind } = route.request().postDataJSON() as { kind: string };
      await new Promise<void>((resolve) => held.set(kind, resolve));
      await route.continue();
    });
    const page = await site.visit(context, ALL);
    await page.locator('.entry').first().waitFor();
    for (const key of ['j', 's', 'l']) await page.keyboard.press(key);
    await expect.poll(() => held.size).toBe(2);
    await page.keyboard.press('u');
    held.get('later')?.();
    await row(page, 'First').locator('[data-act="later"][aria-pressed="false"]').waitFor();
    held.get('star')?.();
    await expect.poll(() => count(page, 'Starred')).toBe('1');
    await page.reload();
    await row(page, 'First').locator('[data-act="star"][aria-pressed="true"]').waitFor();
    await row(page, 'First').locator('[data-act="later"][aria-pressed="false"]').waitFor();
  });

  it('R6 a change in one tab shows in another tab of the person, and in no other person’s', async () => {
    await five();
    const context = await site.context('ann');
    const [left, right] = [await site.visit(context, ALL), await site.visit(context, ALL)];
    const other = await site.visit(await site.context('ben'), ALL);
    for (const tab of [left, right, other]) {
      await tab.locator('.entry').first().waitFor();
      await tab.locator('.live-live').waitFor();
    }
    await left.bringToFront();
    await left.keyboard.press('j');
    await left.keyboard.press('m');
    await left.keyboard.press('s');
    await expect.poll(() => isRead(right, 'First')).toBe(true);
    await row(right, 'First').locator('[data-act="star"][aria-pressed="true"]').waitFor();
    await expect.poll(() => count(right, 'Unread')).toBe('4');
    await left.keyboard.press('A');
    await expect.poll(() => right.locator('.entry-read').count()).toBe(5);
    await left.keyboard.press('u');
    await expect.poll(() => right.locator('.entry-read').count()).toBe(1);
    expect(await other.locator('.entry-read').count()).toBe(0);
  });

  it('R6 eight tabs share one stream, and another one takes it over when its tab is closed', async () => {
    await five();
    const context = await site.context('ann');
    const tabs: Page[] = [];
    let streams = 0;
    context.on('request', (request) => {
      if (request.url().endsWith('/events/reader')) streams += 1;
    });
    for (let i = 0; i < 8; i++) {
      const tab = await site.visit(context, ALL);
      await tab.locator('.entry').first().waitFor();
      await tab.locator('.live-live').waitFor();
      tabs.push(tab);
    }
    expect(streams).toBe(1);
    const [first, second, ...rest] = tabs;
    await first?.close();
    await expect.poll(() => streams).toBe(2);
    await second?.locator('.live-live').waitFor();
    await second?.keyboard.press('j');
    await second?.keyboard.press('m');
    for (const tab of rest) await expect.poll(() => isRead(tab, 'First')).toBe(true);
  });

  it('R11 announces new entries without moving the list, and divides them from those that were there', async () => {
    await five();
    const page = await site.visit(await site.context('ann'), ALL);
    await page.locator('.entry').first().waitFor();
    await page.locator('.live-live').waitFor();
    const before = await titles(page);
    await site.add({ title: 'Breaking', source: 'harbour' }, { title: 'More of it', source: 'tokyo' });
    await page.getByRole('button', { name: /^2 new/ }).waitFor();
    expect(await titles(page)).toEqual(before);
    const covered = await page.evaluate<boolean>(`(() => {
      const pill = document.querySelector('.announcer-button').getBoundingClientRect();
      return [...document.querySelectorAll('.list-tools .tool, .list-title, .entry')].some((one) => {
        const box = one.getBoundingClientRect();
        return box.left < pill.right && pill.left < box.right && box.top < pill.bottom && pill.top < box.bottom;
      });
    })()`);
    expect(covered).toBe(false);
    await page.keyboard.press('.');
    await expect.poll(() => titles(page)).toHaveLength(7);
    const order = await page
      .locator('.entries .seen, .entries .entry-title a')
      .evaluateAll((all) => all.map((one) => one.textContent));
    expect(order.slice(0, 4)).toEqual(['More of it', 'Breaking', '↑ New since you last looked', 'First']);
  });

  it('R11 shows a long list completely and in order, with only the rows around the screen in the page', async () => {
    const wanted: string[] = [];
    const seeds = Array.from({ length: 130 }, (_, i) => {
      wanted.push(`Entry ${i}`);
      return { title: `Entry ${i}`, source: 'signals', minutesAgo: i } as const;
    });
    await site.add(...seeds.toReversed());
    const page = await site.visit(await site.context('ann'), '/reader?source=signals');
    await page.locator('.entry').first().waitFor();
    expect(await page.title()).toBe('Signals & Stores (130) – Kawaraban');
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          for (const title of await titles(page)) seen.add(title);
          await page.mouse.wheel(0, 700);
          return [...seen];
        },
        { timeout: 60_000, interval: 30 },
      )
      .toEqual(wanted);
    await page.locator('.end').waitFor();
    expect(await page.locator('.entry').count()).toBeLessThan(60);
  });

  it('R18 every key of the list of keys does what it says', async () => {
    await five();
    const context = await site.context('ann');
    await context.route('https://*.example/**', (route) => route.fulfill({ body: 'elsewhere' }));
    const page = await site.visit(context, ALL);
    await page.locator('.entry').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    const keys = await page
      .locator('.keys dl > div')
      .evaluateAll((rows) =>
        rows.map((one) => [...one.querySelectorAll('kbd')].map((key) => key.textContent).join(' ')),
      );
    await page.keyboard.press('Escape');
    const pages = keys.filter((key) => key.startsWith('g '));
    expect(keys.filter((key) => !key.startsWith('g '))).toEqual([
      ...[
        'j',
        'k',
        'n',
        'p',
        'o',
        'Enter',
        'v',
        'w',
        'm',
        's',
        'l',
        'x',
        'y',
        'h',
        'A',
        'r',
        '.',
        'u',
        '/',
        '?',
      ],
    ]);

    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    expect(await focused(page)).toBe('First');
    await page.keyboard.press('m');
    expect(await isRead(page, 'First')).toBe(true);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('m');
    await page.keyboard.press('k');
    await page.keyboard.press('n');
    expect(await focused(page)).toBe('Fourth');
    await page.keyboard.press('p');
    expect(await focused(page)).toBe('Second');
    await page.keyboard.press('s');
    await page.keyboard.press('l');
    await expect.poll(() => count(page, 'Starred')).toBe('1');
    await expect.poll(() => count(page, 'Read later')).toBe('1');
    await page.keyboard.press('u');
    await expect.poll(() => count(page, 'Read later')).toBe('');
    const newTab = context.waitForEvent('page');
    await page.keyboard.press('v');
    expect((await newTab).url()).toContain('harbour.example');
    await page.bringToFront();
    await page.keyboard.press('o');
    await page.locator('.article-text').waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => page.title()).toBe('Third – Kawaraban');
    await page.keyboard.press('n');
    await expect.poll(() => page.title()).toBe('Fourth – Kawaraban');
    await page.keyboard.press('k');
    await expect.poll(() => page.title()).toBe('Third – Kawaraban');
    await page.keyboard.press('m');
    await page.goBack();
    await expect.poll(() => focused(page)).toBe('Third');
    await expect.poll(() => isRead(page, 'Third')).toBe(false);
    await page.keyboard.press('Enter');
    await page.locator('.article-text').waitFor();
    await page.goBack();
    await site.add({ title: 'Zeroth', source: 'cast' });
    await page.keyboard.press('r');
    await row(page, 'Zeroth').waitFor();
    await page.keyboard.press('A');
    await expect.poll(() => page.locator('.entry-read').count()).toBe(6);

    const shown: Record<string, string> = {};
    for (const pair of pages) {
      const [, key = ''] = pair.split(' ');
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.locator('main h2, main .notice').first().waitFor();
      const url = new URL(page.url());
      shown[key] = url.pathname + url.search;
    }
    expect(shown).toEqual({
      h: '/home',
      u: UNREAD,
      a: ALL,
      s: '/reader?view=starred',
      l: '/reader?view=later',
      o: '/reader?view=hot',
      n: '/',
      w: '/global',
      t: '/stories',
      p: '/pipelines',
      i: '/items',
      f: '/sources',
    });
    await page.keyboard.press('/');
    await page.waitForURL('**/search');
    await expect
      .poll(() => page.evaluate("document.activeElement?.matches('input[type=search]') ?? false"))
      .toBe(true);
    await page.keyboard.type('jk.g?');
    expect(await page.locator('input[type=search]').inputValue()).toBe('jk.g?');
    site.foreignRequests.length = 0;
  });

  it('R10 R18 the article has its text, scrolls what is wide inside, and plays audio only after a click', async () => {
    const [id] = await site.add({
      title: 'Episode 41',
      source: 'cast',
      content: `${ARTICLE}<script>document.title = 'harm'</script><img src="${site.pictureUrl}" alt="A press">`,
      author: 'Ines Almqvist',
      enclosures: [
        {
          url: 'https://cdn.pressroom.example/41.mp3',
          type: 'audio/mpeg',
          lengthBytes: 46_000_000,
          durationSeconds: 2893,
        },
      ],
    });
    const context = await site.context('ann', { viewport: { width: 390, height: 800 } });
    const page = await site.visit(context, `/article?id=${id}`);
    await page.locator('.article-text pre').waitFor();
    expect(await page.locator('.article-head').innerText()).toContain('Ines Almqvist');
    expect(await page.locator('.article-text script').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(
      await page.locator('.article-text pre').evaluate((code) => code.scrollWidth > code.clientWidth),
    ).toBe(true);
    expect(await page.locator('audio').count()).toBe(0);
    expect(site.foreignRequests).toEqual([]);
    await page.route('https://cdn.pressroom.example/**', (route) => route.abort());
    expect(await page.locator('.enclosure').innerText()).toContain('48 minutes · 46 MB');
    await page.getByRole('button', { name: 'Play the audio' }).click();
    await expect.poll(() => site.foreignRequests.length).toBeGreaterThan(0);
    // The server did not answer: the file can still be opened.
    await page.getByText('It could not be played here.').waitFor();
    expect(await page.getByRole('link', { name: 'Download the attachment' }).getAttribute('href')).toBe(
      'https://cdn.pressroom.example/41.mp3',
    );
    site.foreignRequests.length = 0;
  });

  it('Q6 plays each recording of an article, in both languages, and contacts its server only then', async () => {
    const sound = { type: 'audio/wav', lengthBytes: 8_044, durationSeconds: 3_725 };
    const [id] = await site.add({
      title: 'Episode 42',
      source: 'cast',
      content: ARTICLE,
      enclosures: [
        { ...sound, url: site.soundUrl },
        { ...sound, url: site.soundUrl.replace('sound', 'bonus'), durationSeconds: 45 },
        {
          url: 'https://cdn.pressroom.example/42.pdf',
          type: 'application/pdf',
          lengthBytes: null,
          durationSeconds: null,
        },
        { url: site.pictureUrl, type: 'image/png', lengthBytes: null, durationSeconds: null },
      ],
    });
    const page = await site.visit(await site.context('ann'), `/article?id=${id}`);
    const files = page.getByRole('region', { name: 'Audio, video and files' });
    await files.waitFor();
    expect(await files.locator('.enclosure').allInnerTexts()).toEqual([
      expect.stringContaining('sound.wav · 1 hour 2 minutes · 8 kB'),
      expect.stringContaining('bonus.wav · 45 seconds · 8 kB'),
      expect.stringContaining('42.pdf'),
    ]);
    expect(await accessibilityViolations(page, { within: '.enclosures' })).toEqual([]);
    expect(site.foreignRequests).toEqual([]);

    await page.getByRole('button', { name: 'Play the audio: bonus.wav' }).click();
    const player = (field: string): Promise<number> =>
      page.evaluate(`document.querySelector('audio')?.${field} ?? 0`);
    await expect.poll(() => player('currentTime')).toBeGreaterThan(0);
    expect(await player('duration')).toBeCloseTo(1, 1);
    expect(new Set(site.foreignRequests)).toEqual(new Set([site.soundUrl.replace('sound', 'bonus')]));
    site.foreignRequests.length = 0;

    const japanese = await site.visit(await site.context('ann', { locale: 'ja-JP' }), `/article?id=${id}`);
    await japanese.getByRole('button', { name: '音声を再生: sound.wav' }).waitFor();
    expect(await japanese.locator('.enclosure').first().innerText()).toMatch(/1 ?時間 2 ?分/);
  });

  it('R10 says in plain words why there is no text, and links to the original', async () => {
    const [id] = await site.add({ title: 'Behind the wall', source: 'harbour', excerpt: 'The first lines.' });
    const page = await site.visit(await site.context('ann'), `/article?id=${id}`);
    await page.getByText('The text of the article is not available.').waitFor();
    expect(await page.locator('.article-failed').innerText()).toMatch(/subscribers/);
    expect(await page.locator('main').innerText()).toContain('The first lines.');
    await page.getByRole('link', { name: /Open the original · harbour\.example/ }).waitFor();
    await page.goto(`${site.url}/article?id=999999`);
    await page.getByText(/There is no such entry/).waitFor();
  });

  it('R9 a story that a pipeline and its source bring is one row of Home, and is read once', async () => {
    const { social } = site.app;
    await site.add({
      title: 'Told by both',
      source: 'harbour',
      url: 'https://harbour.example/both',
      content: ARTICLE,
    });
    const page = await site.visit(await site.context('ann'), '/home');
    await page.locator('.notice, .entry').first().waitFor();
    const pipeline = await social.findUser('daily');
    const source = (await social.listUsers()).find((user) => user.displayName === SOURCES.harbour.name);
    const me = await social.findUser('ann');
    for (const author of [source, pipeline]) {
      if (!author || !me) throw new Error('a user is missing');
      await social.follow(me.id, author.id);
      await social.post({
        userId: author.id,
        visibility: 'public',
        title: 'Told by both',
        text: '',
        url: 'https://harbour.example/both',
        itemKey: 'https://harbour.example/both',
        ...(author === pipeline && { pipeline: 'daily' }),
      });
    }
    await expect
      .poll(async () => {
        await page.reload();
        await page.locator('.notice, .entry').first().waitFor();
        const rows = await page.locator('.drop').allInnerTexts();
        return rows.map((text) => ['Harbour Gazette', 'Daily Sheet'].filter((name) => text.includes(name)));
      })
      .toEqual([['Harbour Gazette', 'Daily Sheet']]);
    await page.locator('.entry-title a').click();
    await page.locator('.article-text').waitFor();
    await page.goBack();
    await page.locator('.entry-read').waitFor();
    // The effects of the list that is shown again have run with the next frames, and keep it read.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    expect(await page.locator('.entry-read').count()).toBe(1);
    await page.goto(`${site.url}${UNREAD}`);
    await page.getByText('Everything is read.').waitFor();
  });

  it('R12 searches with filters, marks the words, and saves, renames and removes a search', async () => {
    await site.add(
      { title: 'Ferry timetable', source: 'harbour', minutesAgo: 3 * 24 * 60 },
      { title: 'The night ferry', source: 'compiler', excerpt: 'A ferry in fog' },
      { title: 'Nothing about boats', source: 'compiler' },
      { title: '夜の渡し船', source: 'tokyo' },
    );
    const page = await site.visit(await site.context('ann'), '/search');
    await page.getByRole('searchbox').fill('ferry');
    await expect.poll(() => titles(page)).toEqual(['The night ferry', 'Ferry timetable']);
    expect(await page.locator('mark').allTextContents()).toEqual(['ferry', 'ferry', 'Ferry']);
    expect(await page.title()).toBe('ferry – Search – Kawaraban');
    await page.getByRole('searchbox').fill('night-ferry');
    await expect.poll(() => page.locator('mark').allTextContents()).toEqual(['night ferry']);
    await page.getByRole('searchbox').fill('ferry');
    await expect.poll(() => titles(page)).toEqual(['The night ferry', 'Ferry timetable']);
    await page.getByLabel('Date').selectOption('1');
    await expect.poll(() => titles(page)).toEqual(['The night ferry']);
    await page.getByLabel('Date').selectOption('any');
    await page.getByLabel('Folder').selectOption('News');
    await expect.poll(() => titles(page)).toEqual(['Ferry timetable']);
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByLabel('Name').fill('Boats in the news');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Boats in the news' });
    await saved.waitFor();
    await page.goto(`${site.url}/search`);
    await page.getByRole('button', { name: /^Rename/ }).click();
    await page.getByLabel('Name').fill('Boats');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Boats' }).click();
    await expect.poll(() => titles(page)).toEqual(['Ferry timetable']);
    await page.getByRole('searchbox').fill('渡し');
    await page.getByLabel('Folder').selectOption('');
    await expect.poll(() => titles(page)).toEqual(['夜の渡し船']);
    await page.goto(`${site.url}/search`);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('link', { name: 'Boats' }).first().waitFor({ state: 'detached' });
  });

  it('R13 links to the Atom feed of the list', async () => {
    await five();
    const page = await site.visit(await site.context('ann'), '/reader?folder=News');
    const link = page.locator('head link[rel="alternate"][type="application/atom+xml"]');
    await link.waitFor({ state: 'attached' });
    const feed = await fetch(new URL((await link.getAttribute('href')) ?? '', site.url));
    expect(feed.headers.get('content-type')).toContain('application/atom+xml');
    expect(await feed.text()).toContain('<title>Second</title>');
    await page.locator('summary[title="Atom feed"]').click();
    await page.getByText('Address of this list for a feed reader.').waitFor();
  });

  it('R14 the hot list has what most sources told first', async () => {
    const [id = 0] = await site
      .add(
        { title: 'Told once', source: 'cast', minutesAgo: 5 },
        { title: 'Flood', source: 'harbour', minutesAgo: 60 },
      )
      .then((ids) => ids.slice(1));
    await site.add(
      { title: 'Flood, says the wire', source: 'signals', minutesAgo: 50, story: id },
      { title: '洪水', source: 'tokyo', minutesAgo: 40, story: id },
    );
    const page = await site.visit(await site.context('ann'), '/reader?view=hot');
    await page.locator('.entry').first().waitFor();
    expect(await page.locator('.entry').first().innerText()).toContain('Told by 3 sources');
  });

  it('remembers density, order, pictures and unread only, and shows a source with its health', async () => {
    await site.add(
      { title: 'Old', source: 'harbour', minutesAgo: 60, image: site.pictureUrl },
      { title: 'New', source: 'harbour', minutesAgo: 10 },
    );
    const page = await site.visit(await site.context('ann'), '/reader?source=harbour');
    await page.locator('.entry-picture').waitFor();
    expect(await page.locator('.source-top').innerText()).toMatch(/Never checked|OK/);
    await page.getByRole('button', { name: /^Follow/ }).waitFor();
    expect(await page.getByRole('link', { name: 'Source settings' }).getAttribute('href')).toBe(
      '/sources?id=harbour',
    );
    await page.locator('summary[title="View"]').click();
    await page.getByLabel('Compact').check();
    await page.getByLabel('Oldest first').check();
    await expect.poll(() => titles(page)).toEqual(['Old', 'New']);
    await page.keyboard.press('Escape');
    await row(page, 'Old').hover();
    await row(page, 'Old').locator('[data-act="read"]').click();
    await page.locator('summary[title="View"]').click();
    await page.getByLabel('Unread only').check();
    await expect.poll(() => titles(page)).toEqual(['New']);
    expect(await page.title()).toBe('Unread (1) – Harbour Gazette – Kawaraban');
    await page.getByLabel('Show pictures').uncheck();
    await page.getByLabel('Cards').check();
    await page.reload();
    await page.locator('.entry-cards').waitFor();
    expect(await titles(page)).toEqual(['New']);
    expect(await page.locator('.entry-picture').count()).toBe(0);
  });

  it('a phone reaches everything with the bottom bar and the drawer', async () => {
    await five();
    const context = await site.context('ann', { viewport: { width: 390, height: 800 }, hasTouch: true });
    const page = await site.visit(context, ALL);
    await page.locator('.entry').first().waitFor();
    for (const name of ['Home', /^Unread/, 'Read later', 'Search'])
      expect(await page.getByRole('navigation', { name: 'Reader' }).getByRole('link', { name }).count()).toBe(
        1,
      );
    await page.getByRole('navigation', { name: 'Reader' }).getByRole('button', { name: 'Menu' }).click();
    const drawer = page.getByRole('dialog');
    const links = await drawer.getByRole('link').allInnerTexts();
    for (const name of [
      'Starred',
      'Hot',
      'Tech',
      'Harbour Gazette',
      'Pipelines',
      'Items',
      'Needs attention',
      'Settings',
    ])
      expect(
        links.some((link) => link.includes(name)),
        name,
      ).toBe(true);
    await drawer.getByRole('link', { name: 'Starred' }).click();
    await page.getByText('Nothing starred yet.').waitFor();
    await drawer.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  it('guests read all lists of a public newsroom and are asked to sign in for their own', async () => {
    await five();
    const page = await site.visit(await site.context('guest'), ALL);
    await page.locator('.entry').first().waitFor();
    expect(await page.locator('[data-act="read"], [data-act="mark-all"]').count()).toBe(0);
    await page.goto(site.url + UNREAD);
    await page.getByText('Sign in to use this list.').waitFor();
  });

  it('R17 can be installed, and shows lists and opened articles offline, but not after signing out', async () => {
    await five();
    const context = await site.context('ann', { serviceWorkers: 'allow' });
    const page = await site.visit(context, ALL);
    await page.locator('.entry').first().waitFor();
    const manifest = await fetch(`${site.url}/manifest.webmanifest`);
    expect(manifest.headers.get('content-type')).toContain('application/manifest+json');
    const { icons } = (await manifest.json()) as { icons: { src: string }[] };
    for (const { src } of icons)
      expect((await fetch(site.url + src)).headers.get('content-type')).toBe('image/png');
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await page.waitForFunction('navigator.serviceWorker.controller !== null');
    const devtools = await context.newCDPSession(page);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
    await page.reload();
    await row(page, 'Second').locator('.entry-title a').click();
    await page.locator('.article-text').waitFor();
    await page.goBack();
    await page.locator('.entry').first().waitFor();
    await context.setOffline(true);
    await page.reload();
    await page.locator('.entry').first().waitFor();
    await page.getByText(/Showing what was loaded/).waitFor();
    await row(page, 'Second').locator('.entry-title a').click();
    await page.locator('.article-text').waitFor();
    await context.setOffline(false);
    await page.goto(`${site.url}/me`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await expect
      .poll(() =>
        page.evaluate<number>(`(async () => {
          if (!(await caches.has('kawaraban-data'))) return 0;
          const kept = await (await caches.open('kawaraban-data')).keys();
          const texts = await Promise.all(kept.map(async (one) => (await (await caches.match(one))?.text()) ?? ''));
          return texts.filter((text) => text.includes('"name":"ann"') || text.includes('tide notes')).length;
        })()`),
      )
      .toBe(0);
  });

  /** A page of Ann's that works offline, with what the server answered to changes of states. */
  async function offlineReady() {
    const context = await site.context('ann', { serviceWorkers: 'allow' });
    const answers: number[] = [];
    context.on('response', (response) => {
      if (response.request().method() === 'POST' && response.url().includes('/reader/'))
        answers.push(response.status());
    });
    const page = await site.visit(context, ALL);
    const isTrue = (script: string) => expect.poll(() => page.evaluate<boolean>(script)).toBe(true);
    await isTrue('navigator.serviceWorker.controller !== null');
    await page.reload();
    await row(page, 'First').waitFor();
    await expect.poll(() => count(page, 'Unread')).toBe('5');
    // Both are kept by the service worker after their answers.
    await isTrue(`caches.open('kawaraban-data').then(async (cache) => {
      const kept = (await cache.keys()).map(({ url }) => url);
      return ['/reader/entries?', '/reader/overview', '/session'].every((part) => kept.some((url) => url.includes(part)));
    })`);
    const ann = (await site.app.social.findUser('ann'))?.id ?? '';
    const act = (title: string, name: 'read' | 'star' | 'later') =>
      row(page, title).locator(`[data-act="${name}"]`).click();
    return { context, page, answers, ann, act };
  }

  it('R25 changes made offline show at once and after a reload, and are sent once when the server answers', async () => {
    const [fifth = 0, fourth = 0, third = 0, second = 0, first = 0] = await five();
    const { context, page, answers, ann, act } = await offlineReady();
    await context.setOffline(true);
    await act('Second', 'read');
    await page.getByText('1 change will be sent when you are online again.').waitFor();
    await act('Third', 'star');
    await act('Fourth', 'read');
    // Taking it back removes it.
    await page.getByText('3 changes will be sent').waitFor();
    await page.keyboard.press('u');
    await page.getByText('2 changes will be sent').waitFor();
    expect(await isRead(page, 'Fourth')).toBe(false);
    await act('First', 'read');
    await act('First', 'later');
    const shows = async (): Promise<void> => {
      await page.getByText('4 changes will be sent').waitFor();
      await expect.poll(() => isRead(page, 'Second')).toBe(true);
      expect([await isRead(page, 'First'), await isRead(page, 'Fourth')]).toEqual([true, false]);
      await row(page, 'Third').locator('[data-act="star"][aria-pressed="true"]').waitFor();
      await expect.poll(() => count(page, 'Unread')).toBe('3');
      await expect.poll(() => count(page, 'Starred')).toBe('1');
    };
    await shows();
    await page.reload();
    await shows();
    expect(answers).toEqual([]);

    await context.setOffline(false);
    await expect.poll(() => page.getByText(/will be sent/).count()).toBe(0);
    const state = { read: false, starredAt: null, laterAt: null };
    expect(await site.app.engine.entries.statesOf(ann, [fifth, fourth, third, second, first])).toEqual(
      new Map([
        [fifth, state],
        [fourth, state],
        [third, { ...state, starredAt: expect.any(Number) }],
        [second, { ...state, read: true }],
        [first, { ...state, read: true, laterAt: expect.any(Number) }],
      ]),
    );
    await page.reload();
    await row(page, 'First').waitFor();
    await expect.poll(() => isRead(page, 'Second')).toBe(true);
    await expect.poll(() => count(page, 'Unread')).toBe('3');
    expect(answers).toEqual([200, 200, 200, 200]);
  });

  it('R25 what the server refuses is dropped with a note, the rest is sent, and can be taken back', async () => {
    const [, , , second = 0, first = 0] = await five();
    const { context, page, answers, ann, act } = await offlineReady();
    await context.setOffline(true);
    await act('First', 'read');
    await page.evaluate(`(() => {
      const kept = JSON.parse(localStorage.getItem('kawaraban.changes'));
      kept.changes[0].requests[0].ids = [];
      localStorage.setItem('kawaraban.changes', JSON.stringify(kept));
    })()`);
    await act('Second', 'read');
    await page.getByText('2 changes will be sent').waitFor();
    await context.setOffline(false);
    await page.getByText('1 change made offline could not be saved').waitFor();
    await expect.poll(() => isRead(page, 'First')).toBe(false);
    expect(await isRead(page, 'Second')).toBe(true);
    expect(answers).toEqual([400, 200]);
    await page.keyboard.press('u');
    await expect.poll(() => isRead(page, 'Second')).toBe(false);
    await expect
      .poll(async () => [...(await site.app.engine.entries.statesOf(ann, [first, second])).values()])
      .toEqual([expect.objectContaining({ read: false }), expect.objectContaining({ read: false })]);
  });

  it('R25 changes that wait are shown in other tabs, sent by one, and never for another person', async () => {
    const [, , , second = 0, first = 0] = await five();
    const { context, page, answers, ann, act } = await offlineReady();
    const other = await site.visit(context, ALL);
    await row(other, 'First').waitFor();
    await context.setOffline(true);
    await act('First', 'read');
    await other.getByText('1 change will be sent').waitFor();
    await expect.poll(() => isRead(other, 'First')).toBe(true);
    await context.setOffline(false);
    for (const tab of [page, other]) await expect.poll(() => tab.getByText(/will be sent/).count()).toBe(0);
    await expect
      .poll(async () => (await site.app.engine.entries.statesOf(ann, [first])).get(first)?.read)
      .toBe(true);
    expect(answers).toEqual([200]);

    await other.close();
    await context.setOffline(true);
    await act('Second', 'read');
    await page.getByText('1 change will be sent').waitFor();
    await page.goto('about:blank');
    await context.clearCookies();
    await context.addCookies(await (await site.context('ben')).cookies());
    await context.setOffline(false);
    await page.goto(site.url + ALL);
    await row(page, 'Second').waitFor();
    await expect.poll(() => page.evaluate("localStorage.getItem('kawaraban.changes')")).toBeNull();
    expect(await isRead(page, 'Second')).toBe(false);
    for (const name of ['ann', 'ben']) {
      const person = (await site.app.social.findUser(name))?.id ?? '';
      expect((await site.app.engine.entries.statesOf(person, [second])).get(second)?.read, name).toBe(false);
    }
    expect(answers).toEqual([200]);
  });

  it('the first visit transfers less than 100 KB', async () => {
    await five();
    const context = await site.context('ann');
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await devtools.send('Network.enable');
    await page.goto(site.url + UNREAD);
    await page.locator('.entry').first().waitFor();
    await page.locator('.live-live').waitFor();
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(100_000);
  });

  it.each([1280, 390])(
    'has no violation that axe can find, target size included, in light and dark at %i pixels',
    async (width) => {
      const ids = await five();
      await site.add({ title: 'First elsewhere', source: 'tokyo', story: ids[4] ?? 0, excerpt: '本文' });
      const context = await site.context('ann', {
        viewport: { width, height: 800 },
        hasTouch: width < 500,
        bypassCSP: true,
        reducedMotion: 'reduce',
        ...(width === 390 && { locale: 'ja-JP' }),
      });
      const page = await site.visit(context, ALL);
      await page.locator('.entry').first().waitFor();
      const check = async (name: string): Promise<void> => {
        const found = await accessibilityViolations(page, { schemes: ['light', 'dark'], targetSize: true });
        expect(found, name).toEqual([]);
      };
      for (const density of ['compact', 'cards', 'comfortable']) {
        await page.evaluate(`localStorage.setItem('kawaraban.density', '${density}')`);
        await page.goto(site.url + ALL);
        await page.locator(`.entry-${density}`).first().waitFor();
        await check(density);
      }
      for (const [path, ready] of [
        [`/article?id=${ids[2]}`, '.article-text pre'],
        [`/article?id=${ids[1]}`, '.article-failed'],
        ['/reader?source=harbour', '.entry'],
        ['/reader?view=later', '.notice'],
        ['/search?q=First', '.entry'],
        ['/home', '.notice'],
      ] as const) {
        await page.goto(site.url + path);
        await page.locator(ready).first().waitFor();
        await check(path);
      }
      await page.goto(site.url + ALL);
      await page.locator('.entry').first().waitFor();
      await page.locator('.menu summary').first().click();
      await check('an open menu');
      if (width < 500) {
        await page.locator('.bottom button').click();
        await page.locator('.drawer[open]').waitFor();
        await check('the drawer');
      }
    },
  );
});
