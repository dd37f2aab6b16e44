import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
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

  /** Streams of guests at many loopback addresses, each of which may have 100. */
  async function openStreams(count: number): Promise<void> {
    const { port } = new URL(url);
    const opening = Array.from({ length: count }, async (_, n) => {
      const socket = connect({
        port: Number(port),
        host: '127.0.0.1',
        localAddress: `127.0.1.${1 + (n >> 6)}`,
      });
      socket.on('error', () => {});
      socket.write('GET /events/timeline/global HTTP/1.1\r\nHost: h\r\n\r\n');
      await once(socket, 'data');
      socket.resume();
    });
    await Promise.all(opening);
  }

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
    // So many more that the stop takes longer than a browser waits before it reconnects.
    await openStreams(1200);
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
