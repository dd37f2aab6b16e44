import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { build } from 'vite';

/** The headless shell is the same engine without the browser's own windows, and needs two thirds of the processor time. */
const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Where the machine's browser is; `null` where it has none. */
export const chromiumPath: string | null =
  PLACES.find((path) => path !== undefined && existsSync(path)) ?? null;

/** Builds the page as it is shipped, into a folder that the caller removes. */
export async function buildPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-web-'));
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: join(import.meta.dirname, '..', '..', 'web', 'vite.config.ts'),
      build: { outDir: folder },
      logLevel: 'warn',
    });
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
  return folder;
}

export function launchChromium(path: string): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    headless: true,
    // Its client of PulseAudio creates a folder in the temporary folder, and a link to it in the home folder, which stay.
    env: { ...process.env, PULSE_RUNTIME_PATH: '/dev/null/pulse' },
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
