// Takes pictures of the page with a made-up newsroom behind it, in light, in dark and on a phone.
//
//   node scripts/with-setup.mjs scripts/screenshots.ts [folder]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startServer } from '../src/server/server.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { chromiumPath, launchChromium } from '../test/web/chromium.ts';
import { type SeededNewsroom, type SeedOptions, seedNewsroom } from '../test/web/seeded-newsroom.ts';

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly look: BrowserContextOptions;
  readonly seed?: SeedOptions;
  /** What is done before the picture is taken. */
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

if (chromiumPath === null) {
  console.error('There is no Chromium here. Install it (Debian: apt-get install chromium).');
  process.exit(1);
}
const folder = process.argv[2] ?? join('build', 'screenshots');
const only = process.argv[3];
await mkdir(folder, { recursive: true });
const browser = await launchChromium(chromiumPath);
for (const picture of PICTURES)
  if (only === undefined || picture.name.includes(only)) await take(browser, picture, folder);
await browser.close();
