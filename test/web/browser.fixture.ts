import { rm } from 'node:fs/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type RunningServer, startServer } from '../../src/server/http/server.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { buildPage, launchChromium, watchPage } from './chromium.ts';
import { type SeededNewsroom, type SeedOptions, seedNewsroom } from './seeded-newsroom.ts';

/** The page built from its sources, a browser, and newsrooms on demand. */
export interface BrowserFixture extends AsyncDisposable {
  readonly webRoot: string;
  /** A running newsroom with its address. Closed by the caller. */
  open(seed?: SeedOptions, port?: number): Promise<NewsroomFixture>;
}

export interface NewsroomFixture extends AsyncDisposable {
  readonly newsroom: SeededNewsroom;
  readonly server: RunningServer;
  /** A page that fails the test's `pageErrors` when a script throws or the policy blocks something. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>;
  readonly pageErrors: string[];
  /** Addresses outside of the server that the page requested. */
  readonly foreignRequests: string[];
}

export async function openBrowser(chromiumPath: string): Promise<BrowserFixture> {
  const webRoot = await buildPage();
  const browser = await launchChromium(chromiumPath);
  return {
    webRoot,
    open: (seed, port) => openNewsroom(browser, webRoot, seed, port),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(webRoot, { recursive: true, force: true });
    },
  };
}

async function openNewsroom(
  browser: Browser,
  webRoot: string,
  seed?: SeedOptions,
  port = 0,
): Promise<NewsroomFixture> {
  const newsroom = await seedNewsroom(seed);
  const server = await startServer({ newsroom, host: '127.0.0.1', port, log: silentLogger, webRoot });
  const pageErrors: string[] = [];
  const foreignRequests: string[] = [];
  const close: (() => Promise<void>)[] = [];
  return {
    newsroom,
    server,
    pageErrors,
    foreignRequests,
    async visit(path, options = {}) {
      // A service worker would answer what a test intercepts.
      const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block', ...options });
      close.push(() => context.close());
      context.setDefaultTimeout(40_000);
      const page = await context.newPage();
      watchPage(page, server.url, { pageErrors, foreignRequests });
      await page.goto(server.url + path);
      return page;
    },
    async [Symbol.asyncDispose]() {
      for (const end of close) await end();
      await server[Symbol.asyncDispose]();
      await newsroom[Symbol.asyncDispose]();
    },
  };
}
