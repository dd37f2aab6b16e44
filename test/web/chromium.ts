import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Where the machine's browser is; `null` where it has none. */
export const chromiumPath: string | null =
  PLACES.find((path) => path !== undefined && existsSync(path)) ?? null;

export function launchChromium(path: string): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Records what a script throws or the policy blocks, and every address outside of `origin` that the page requests. */
export function watchPage(
  page: Page,
  origin: string,
  recorded: { readonly pageErrors: string[]; readonly foreignRequests: string[] },
): void {
  page.on('pageerror', (error) => recorded.pageErrors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      recorded.pageErrors.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin)
      recorded.foreignRequests.push(request.url());
  });
}
