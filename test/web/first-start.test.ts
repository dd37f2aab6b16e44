import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { StartedNewsroom } from '../../scripts/started-newsroom.ts';
import { requires } from '../requirements.ts';
import { accessibilityViolations } from './accessibility.ts';
import { chromiumPath, launchChromium, watchPage } from './chromium.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PASSWORD = 'ink, paper and a good brush';

// A browser on a busy machine is slow, and slow is not wrong.
vi.setConfig({ testTimeout: 240_000 });

requires('chromium')('the program in a browser, from the first link on', () => {
  let data: string;
  let newsroom: StartedNewsroom;
  let url: string;
  let browser: Browser;
  /** The owner's browser, signed in by the first test. */
  let owner: BrowserContext;
  const pageErrors: string[] = [];
  const foreignRequests: string[] = [];

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'kawaraban-whole-'));
    newsroom = await StartedNewsroom.start(ROOT, data);
    url = await newsroom.address(120_000);
    await newsroom.drops(120_000);
    browser = await launchChromium(chromiumPath ?? '');
    owner = await contextOf();
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await newsroom?.[Symbol.asyncDispose]();
    if (data) await rm(data, { recursive: true, force: true });
  });
  afterEach(() => {
    const seen = [...pageErrors, ...foreignRequests];
    pageErrors.length = 0;
    foreignRequests.length = 0;
    expect(seen).toEqual([]);
  });

  async function contextOf(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block', ...options });
    context.setDefaultTimeout(60_000);
    return context;
  }

  async function visit(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage();
    watchPage(page, url, { pageErrors, foreignRequests });
    await page.goto(path.startsWith('http') ? path : url + path);
    return page;
  }

  async function welcome(page: Page, name: string, button = 'Create account'): Promise<void> {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: button }).click();
  }

  it('X13 the link that the first start prints creates the owner, once', async () => {
    const link = /\S+\/welcome#\S+/.exec(newsroom.output)?.[0] ?? '';
    const page = await visit(owner, link);
    await page.getByText('Create the owner account').waitFor();
    expect(page.url()).toBe(`${url}/welcome`);
    await page.getByLabel('Name').fill('kiku');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.locator('#f-password-problem').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/home');
    await page.getByRole('link', { name: 'Needs attention', exact: true }).waitFor();
    const again = await visit(await contextOf(), link);
    await again.getByText('This link is not valid.').waitFor();
    await again.context().close();
    await page.close();
  });

  it('X13 a wrong password is reported, and a right one leads back to the requested page', async () => {
    const context = await contextOf();
    // The path of earlier versions.
    const page = await visit(context, '/desk');
    await page.getByText('Only the owner of this newsroom can open this page.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Name').fill('kiku');
    await page.getByLabel('Password').fill('something else entirely');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong name or password.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('kiku');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/attention');
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await context.close();
  });

  it('X13 C13 followed sources appear in the home, live, on two devices', async () => {
    const first = await visit(owner, '/people');
    // A new user follows the pipelines of the newsroom already, and no source.
    const pipelines = first.getByRole('region', { name: 'Pipelines' });
    await pipelines
      .getByRole('button', { name: /^Following/ })
      .first()
      .click();
    await pipelines.getByRole('button', { name: /^Follow(?!ing)/ }).click();
    await expect.poll(() => pipelines.getByRole('button', { name: /^Following/ }).count()).toBe(3);
    const sources = first.getByRole('region', { name: 'Sources' });
    await sources
      .getByRole('button', { name: /^Follow(?!ing)/ })
      .first()
      .click();
    await expect.poll(() => first.getByRole('button', { name: /^Following/ }).count()).toBe(4);
    await first.goto(`${url}/sources`);
    await first.getByRole('button', { name: /^Following/ }).click();
    await expect.poll(() => first.getByRole('button', { name: /^Following/ }).count()).toBe(0);
    expect(await first.getByRole('button', { name: /^Follow(?!ing)/ }).count()).toBeGreaterThan(1);
    const other = await contextOf();
    const second = await visit(other, '/sign-in');
    await second.getByLabel('Name').fill('kiku');
    await second.getByLabel('Password').fill(PASSWORD);
    await second.getByRole('button', { name: 'Sign in' }).click();
    await second.waitForURL('**/home');
    await second.locator('.drop').first().waitFor();
    await second.locator('.live-live').waitFor();
    await first.goto(`${url}/home`);
    await first.getByPlaceholder('Write a post').fill('The ink is dry.');
    await first.getByRole('button', { name: 'Post', exact: true }).click();
    await first.locator('.drop', { hasText: 'The ink is dry.' }).waitFor();
    await second.locator('.announcer-button').click();
    await second.locator('.drop', { hasText: 'The ink is dry.' }).waitFor();
    await other.close();
    await first.close();
  });

  it('X4 a dry run shows what a run would post, and posts nothing', async () => {
    const page = await visit(owner, '/pipelines');
    await page.getByRole('button', { name: 'Dry run' }).first().click();
    await page.getByText('A run would do this now. Nothing was posted.').waitFor();
    await page.getByRole('button', { name: 'Run now' }).nth(1).click();
    await page.getByText(/The run is done\.|Already running|The run was not started\./).waitFor();
    await page.close();
  });

  it('X13 a source is previewed before it is followed, and the list of feeds can be exported', async () => {
    const page = await visit(owner, '/sources');
    await page.locator('.source').first().waitFor();
    const answer = await page.evaluate<{ sources: { url: string }[] }>(
      "fetch('/api/v1/sources').then((answer) => answer.json())",
    );
    await page.getByLabel('Address', { exact: true }).fill(answer.sources.find((one) => one.url)?.url ?? '');
    await page.getByRole('button', { name: 'Find feed' }).click();
    await page.locator('.found-items li').first().waitFor();
    await page.getByText(/This source exists already/).waitFor();
    await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:1/nothing');
    await page.getByRole('button', { name: 'Find feed' }).click();
    await page.locator('.add-source .form-problem').waitFor();
    const download = page.waitForEvent('download');
    await page.getByText('Export', { exact: true }).click();
    await page.getByRole('link', { name: 'OPML, for any reader' }).click();
    expect((await download).suggestedFilename()).toBe('kawaraban.opml');
    await page.close();
  });

  it('R12 finds what the sources have, whatever pipeline uses them', async () => {
    const page = await visit(owner, '/search');
    await page.locator('.nav-source').first().waitFor();
    const answer = await page.evaluate<{ entries: { title: string }[] }>(
      "fetch('/api/v1/reader/entries?limit=1').then((answer) => answer.json())",
    );
    const [word = ''] = answer.entries[0]?.title.split(' ') ?? [];
    await page.getByRole('searchbox').fill(word);
    await page.locator('.entry').first().waitFor();
    await page.getByRole('searchbox').fill('"no such thing anywhere"');
    await page.getByText('Nothing found.').waitFor();
    await page.close();
  });

  it('R24 the sources of the sample have their icons', async () => {
    const context = await contextOf();
    const page = await visit(context, '/reader?view=all');
    // The page learns of them by its event stream, without a reload.
    const icon = page.locator('.entry img.source-icon').first();
    await icon.waitFor();
    await expect
      .poll(() => page.evaluate<number>("document.querySelector('.entry img.source-icon').naturalWidth"))
      .toBeGreaterThanOrEqual(32);
    await context.close();
  });

  it('E16 the five lists are read and hidden from by a guest, with undo, by mouse and by keyboard', async () => {
    const context = await contextOf();
    const page = await visit(context, '/stories');
    await page.locator('.story').first().waitFor();
    for (const name of ['Week', 'Month', 'Year', 'All time', 'Day']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.locator('.tabs a[aria-current="page"]', { hasText: name }).waitFor();
      await page.locator('.story').first().waitFor();
    }
    // Titles repeat in the sample; the link to its comments names a story.
    const firstStory = (tab: typeof page): Promise<string | null> =>
      tab.locator('.story').first().locator('[data-why]').getAttribute('href');
    const first = await firstStory(page);
    await page.locator('.story').first().getByRole('button', { name: /^Hide/ }).click();
    await expect.poll(() => firstStory(page)).not.toBe(first);
    await page.getByRole('button', { name: /^Undo/ }).click();
    await expect.poll(() => firstStory(page)).toBe(first);
    await page.keyboard.press('j');
    await page.keyboard.press('h');
    await expect.poll(() => firstStory(page)).not.toBe(first);
    await page.reload();
    await page.locator('.story').first().waitFor();
    expect(await firstStory(page)).not.toBe(first);
    // Signing in transfers what the guest has hidden; the browser deletes it.
    await page.goto(`${url}/sign-in?then=/stories`);
    await page.getByLabel('Name').fill('kiku');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/stories');
    await expect
      .poll(() => page.evaluate<string | null>("localStorage.getItem('kawaraban.hidden')"))
      .toBe(null);
    const other = await visit(owner, '/stories');
    await other.locator('.story').first().waitFor();
    expect(await firstStory(other)).not.toBe(first);
    await other.close();
    await context.close();
  });

  it('X13 two tabs that do opposite things end in one state, and both show it', async () => {
    const [left, right] = await Promise.all([visit(owner, '/people'), visit(owner, '/people')]);
    for (const tab of [left, right])
      await tab
        .getByRole('button', { name: /^Following/ })
        .first()
        .waitFor();
    const name = /^Follow(ing)?\s*: morning$/;
    await left.getByRole('button', { name }).click();
    await left.getByRole('button', { name: /^Follow\s*: morning$/ }).waitFor();
    // The other tab still shows the old state, and requests what is so already.
    await right.getByRole('button', { name }).click();
    await right.getByRole('button', { name: /^Follow\s*: morning$/ }).waitFor();
    await right.getByRole('button', { name }).click();
    await right.getByRole('button', { name: /^Following\s*: morning$/ }).waitFor();
    await left.reload();
    await left.getByRole('button', { name: /^Following\s*: morning$/ }).waitFor();
    await Promise.all([left.close(), right.close()]);
  });

  it('X13 a slow response shows the loading state, and a failed one is reported', async () => {
    const page = await visit(owner, '/people');
    await page.locator('.line').first().waitFor();
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/v1/stories?**', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Stories', exact: true }).click();
    await page.locator('.loading').waitFor();
    gate.resolve();
    await page.locator('.story').first().waitFor();
    await page.unroute('**/api/v1/stories?**');
    await page.route('**/api/v1/stories?**', (route) => route.fulfill({ status: 500, body: '<html>' }));
    await page.getByRole('link', { name: 'Week', exact: true }).click();
    await page.getByText('Something went wrong.').waitFor();
    await page.unroute('**/api/v1/stories?**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.story').first().waitFor();
    await page.close();
  });

  it('X13 a reader is invited, reads, and has no access to the control room', async () => {
    const page = await visit(owner, '/people');
    await page.getByRole('button', { name: 'Invite a reader' }).click();
    const link = await page.locator('.one-time code').innerText();
    const context = await contextOf();
    const guest = await visit(context, link);
    await welcome(guest, 'ran');
    await guest.waitForURL('**/home');
    await guest.goto(`${url}/attention`);
    await guest.getByText('Only the owner of this newsroom can open this page.').waitFor();
    expect(await guest.getByRole('link', { name: 'Needs attention' }).count()).toBe(0);
    await context.close();
    await page.close();
  });

  it('X13 an expired session is reported, and nothing typed is lost', async () => {
    const context = await contextOf();
    const page = await visit(context, '/sign-in');
    await page.getByLabel('Name').fill('ran');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/home');
    await page.getByPlaceholder('Write a post').fill('half a sentence');
    const other = await contextOf();
    const elsewhere = await visit(other, '/sign-in?then=/me');
    await elsewhere.getByLabel('Name').fill('ran');
    await elsewhere.getByLabel('Password').fill(PASSWORD);
    await elsewhere.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.waitForURL('**/me');
    await elsewhere.getByRole('button', { name: 'Sign out all other devices' }).click();
    await expect.poll(() => elsewhere.getByText('this device').count()).toBe(1);
    await page.getByRole('button', { name: 'Post', exact: true }).click();
    await page.locator('.composer .form-problem').waitFor();
    expect(await page.getByPlaceholder('Write a post').inputValue()).toBe('half a sentence');
    await context.close();
    await other.close();
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'X13 the pages behind the sign-in are accessible, in %s at %i pixels',
    async (colorScheme, width) => {
      const context = await contextOf({
        colorScheme,
        viewport: { width, height: 800 },
        bypassCSP: true,
        // What is still fading in has not its final contrast yet.
        reducedMotion: 'reduce',
        storageState: await owner.storageState(),
      });
      const page = await visit(context, '/');
      for (const path of [
        '/home',
        '/people',
        '/search',
        '/pipelines',
        '/sources',
        '/attention',
        '/settings',
        '/me',
      ]) {
        await page.goto(url + path);
        await page.locator('#page-title, .drop').first().waitFor();
        await page.locator('.live-live').waitFor();
        expect(await accessibilityViolations(page, { schemes: [colorScheme] }), path).toEqual([]);
      }
      await context.close();
    },
  );
});
