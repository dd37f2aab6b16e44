import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { Program } from '../program.ts';
import { requires } from '../requirements.ts';
import { chromiumPath, launchChromium } from './chromium.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const POLL = { timeout: 120_000, interval: 100 };

/** The program in processes of its own, and plain EventSources of a real browser without any code around them. */
requires('chromium')('plain EventSources in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-reconnect-'));
  let browser: Browser;
  let page: Page;
  let program: Program;
  let url: string;

  async function start(): Promise<void> {
    program = new Program(['start', '--json', '--config', 'kawaraban.yaml'], {}, folder);
    [, url = ''] = await program.waitForOutput(/"url": ?"([^"]+)"/);
  }

  beforeAll(async () => {
    const port = await freePort();
    writeFileSync(
      join(folder, 'kawaraban.yaml'),
      `server: { port: ${port}, rate_limit: { per_address: 0 } }
telemetry: { log_level: error }
timelines: { stream: { drain: 6s } }
`,
    );
    await start();
    browser = await launchChromium(chromiumPath ?? '');
    page = await browser.newPage();
    await page.goto(`${url}/healthz`);
  });
  afterAll(async () => {
    await browser?.close();
    await program?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** `EventSource.readyState` of each: 0 connecting, 1 open, 2 closed for good. */
  const states = (): Promise<number[]> =>
    page.evaluate(() =>
      (globalThis as unknown as { sources: EventSource[] }).sources.map((one) => one.readyState),
    );

  it('C22 C23 reconnect after a graceful stop, also those that reached the stopping program again', async () => {
    await page.evaluate(() => {
      const sources = Array.from({ length: 5 }, () => new EventSource('/events/timeline/local'));
      Object.assign(globalThis, { sources, opened: 0 });
      for (const one of sources)
        one.addEventListener('open', () => {
          (globalThis as unknown as { opened: number }).opened += 1;
        });
    });
    await expect.poll(states, POLL).toEqual([1, 1, 1, 1, 1]);
    program.child.kill('SIGTERM');
    const { code } = await program.ended;
    expect(code).toBe(0);
    // Some have reached the stopping program meanwhile; all of them keep retrying.
    const opened = await page.evaluate(() => (globalThis as unknown as { opened: number }).opened);
    expect(opened).toBeGreaterThan(5);
    expect(await states()).not.toContain(2);
    await start();
    await expect.poll(states, POLL).toEqual([1, 1, 1, 1, 1]);
  });
});
