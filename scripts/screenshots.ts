// Takes screenshots of the page with a sample newsroom behind it, in light, in dark and on a phone.
//
//   node scripts/with-setup.mjs scripts/screenshots.ts [folder]
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startServer } from '../src/server/http/server.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { chromiumPath, launchChromium } from '../test/web/chromium.ts';
import { type SeededNewsroom, type SeedOptions, seedNewsroom } from '../test/web/seeded-newsroom.ts';
import { StartedNewsroom } from './started-newsroom.ts';

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly look: BrowserContextOptions;
  readonly seed?: SeedOptions;
  /** Actions before the screenshot is taken. */
  readonly prepare?: (page: Page, newsroom: SeededNewsroom) => Promise<void>;
}

const LIGHT: BrowserContextOptions = {
  viewport: { width: 1280, height: 900 },
  colorScheme: 'light',
  locale: 'en-GB',
};
const DARK: BrowserContextOptions = { ...LIGHT, colorScheme: 'dark' };
const PHONE: BrowserContextOptions = {
  ...LIGHT,
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
};
const NARROW: BrowserContextOptions = { ...LIGHT, viewport: { width: 320, height: 700 } };
const JAPANESE: BrowserContextOptions = { ...LIGHT, locale: 'ja-JP' };
const ITEM = `/item?${new URLSearchParams({ pipeline: 'daily', key: 'https://harbour.example/lighthouse' })}`;

const announce = async (page: Page, newsroom: SeededNewsroom): Promise<void> => {
  for (let i = 0; i < 3; i++) await newsroom.postNext();
  await page.locator('.announcer-button').waitFor();
};

const PICTURES: readonly Picture[] = [
  { name: 'newsroom-light', path: '/', look: LIGHT, prepare: announce },
  { name: 'newsroom-dark', path: '/', look: DARK },
  { name: 'newsroom-phone', path: '/', look: PHONE, prepare: announce },
  { name: 'newsroom-narrow', path: '/', look: NARROW },
  { name: 'newsroom-japanese', path: '/', look: JAPANESE },
  { name: 'newsroom-empty', path: '/', look: LIGHT, seed: { empty: true } },
  { name: 'newsroom-hostile', path: '/', look: LIGHT, seed: { hostile: true } },
  { name: 'newsroom-hostile-narrow', path: '/', look: NARROW, seed: { hostile: true } },
  { name: 'pipelines-light', path: '/pipelines', look: LIGHT },
  { name: 'pipelines-dark', path: '/pipelines', look: DARK },
  { name: 'pipelines-phone', path: '/pipelines', look: PHONE },
  { name: 'items-light', path: '/items', look: LIGHT },
  { name: 'items-phone', path: '/items', look: PHONE },
  { name: 'item-light', path: ITEM, look: LIGHT },
  { name: 'item-dark', path: ITEM, look: DARK },
  { name: 'item-phone', path: ITEM, look: PHONE },
  { name: 'sources-light', path: '/sources', look: LIGHT },
  { name: 'sources-japanese', path: '/sources', look: JAPANESE },
  {
    name: 'keys-light',
    path: '/',
    look: LIGHT,
    prepare: async (page) => page.keyboard.press('?'),
  },
  {
    name: 'trouble-light',
    path: '/',
    look: LIGHT,
    prepare: async (page, newsroom) => {
      newsroom.broken = true;
      await page.goto(page.url().replace(/\/$/, '/pipelines'));
      await page.getByRole('alert').waitFor();
    },
  },
];

async function take(browser: Browser, picture: Picture, folder: string): Promise<void> {
  const newsroom = await seedNewsroom(picture.seed);
  const server = await startServer({ newsroom, host: '127.0.0.1', port: 0, log: silentLogger });
  const context = await browser.newContext(picture.look);
  const page = await context.newPage();
  await page.goto(server.url + picture.path);
  await page.waitForTimeout(400);
  await picture.prepare?.(page, newsroom);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${picture.name}.png`) });
  await context.close();
  await server[Symbol.asyncDispose]();
  await newsroom[Symbol.asyncDispose]();
  console.log(picture.name);
}

/** Pages that need a signed-in user, taken from the running sample newsroom. */
const SIGNED_IN: readonly {
  readonly name: string;
  readonly path: string;
  readonly look: BrowserContextOptions;
}[] = [
  { name: 'home-light', path: '/home', look: LIGHT },
  { name: 'home-phone', path: '/home', look: PHONE },
  { name: 'stories-light', path: '/stories', look: LIGHT },
  { name: 'stories-dark', path: '/stories', look: DARK },
  { name: 'stories-phone', path: '/stories', look: PHONE },
  { name: 'control-light', path: '/pipelines', look: LIGHT },
  { name: 'control-japanese', path: '/pipelines', look: JAPANESE },
  { name: 'add-source-light', path: '/sources', look: LIGHT },
  { name: 'people-light', path: '/people', look: LIGHT },
  { name: 'settings-dark', path: '/settings', look: DARK },
  { name: 'me-light', path: '/me', look: LIGHT },
];

async function takeSignedIn(
  browser: Browser,
  folder: string,
  wanted: (name: string) => boolean,
): Promise<void> {
  const pictures = SIGNED_IN.filter(({ name }) => wanted(name));
  if (pictures.length === 0) return;
  const data = await mkdtemp(join(tmpdir(), 'kawaraban-pictures-'));
  const newsroom = await StartedNewsroom.start(join(import.meta.dirname, '..'), data);
  try {
    const url = await newsroom.address(60_000);
    await newsroom.drops(60_000);
    const first = await browser.newContext(LIGHT);
    const page = await first.newPage();
    await page.goto(/\S+\/welcome#\S+/.exec(newsroom.output)?.[0] ?? url);
    await page.getByLabel('Name').fill('kiku');
    await page.getByLabel('Password').fill('ink, paper and a good brush');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.waitForURL('**/pipelines');
    await page.waitForTimeout(20_000);
    const storageState = await first.storageState();
    for (const { name, path, look } of pictures) {
      const context = await browser.newContext({ ...look, storageState });
      const shown = await context.newPage();
      await shown.goto(url + path);
      await shown.locator('main .loading').waitFor({ state: 'detached' });
      await shown.waitForTimeout(800);
      await shown.screenshot({ path: join(folder, `${name}.png`) });
      await context.close();
      console.log(name);
    }
  } finally {
    await newsroom[Symbol.asyncDispose]();
    await rm(data, { recursive: true, force: true });
  }
}

if (chromiumPath === null) {
  console.error('There is no Chromium here. Install it (Debian: apt-get install chromium).');
  process.exit(1);
}
const folder = process.argv[2] ?? join('build', 'screenshots');
const only = process.argv[3];
await mkdir(folder, { recursive: true });
const browser = await launchChromium(chromiumPath);
const wanted = (name: string): boolean => only === undefined || name.includes(only);
for (const picture of PICTURES) if (wanted(picture.name)) await take(browser, picture, folder);
await takeSignedIn(browser, folder, wanted);
await browser.close();
