import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '../test/web/chromium.ts';

// Draws the icons of the installed app from the seal: `node scripts/icons.ts`. The pictures are committed.
const PUBLIC = join(import.meta.dirname, '..', 'web', 'public');
const SEAL_RED = '#b3261a';
/** A maskable icon may be cut to a circle of this share of its width. */
const SAFE_ZONE = 0.7;

if (chromiumPath === null) throw new Error('Chromium is missing. Set CHROMIUM to its path.');
const seal = await readFile(join(PUBLIC, 'seal.svg'), 'utf8');
const browser = await launchChromium(chromiumPath);
const page = await browser.newPage();
for (const size of [192, 512]) {
  for (const maskable of [false, true]) {
    await page.setViewportSize({ width: size, height: size });
    const drawn = Math.round(size * (maskable ? SAFE_ZONE : 1));
    const ground = maskable ? SEAL_RED : 'transparent';
    await page.setContent(
      `<body style="margin:0;display:grid;place-items:center;height:100vh;background:${ground}">` +
        `<div style="width:${drawn}px;height:${drawn}px">${seal}</div></body>`,
    );
    const path = join(PUBLIC, `icon-${maskable ? 'maskable-' : ''}${size}.png`);
    await writeFile(path, await page.screenshot({ omitBackground: !maskable }));
  }
}
await browser.close();
