import { mkdirSync } from 'node:fs';
import axe from 'axe-core';
import { chromiumPath } from './test/web/chromium.ts';
import { openReaderBrowser } from './test/web/reader.fixture.ts';

const out = '/tmp/shots-admin';
mkdirSync(out, { recursive: true });
const only = process.argv.slice(2);
const browser = await openReaderBrowser(chromiumPath ?? '');
const site = await browser.open();
const { app } = site;
for (const id of ['harbour', 'tokyo', 'compiler']) app.newsroom; 
const feed = site.simulator.feeds.create({ id: 'extra', title: 'Extra Edition' });
for (let i = 0; i < 6; i++) feed.publish({ title: `Extra story ${i}: a headline of usual length`, text: ['Words.'] });
const owner = await site.context('ann');
const p0 = await site.visit(owner, '/sources');
// some state
const csrf = await p0.evaluate("fetch('/api/v1/session').then(r=>r.json()).then(s=>s.csrfToken)") as string;
const call = (method: string, path: string, body?: unknown) => p0.evaluate(`fetch('/api/v1${path}', {method:'${method}', headers:{'content-type':'application/json','x-csrf-token':'${csrf}'}, ${body === undefined ? '' : `body: ${JSON.stringify(JSON.stringify(body))}`}}).then(async r => [r.status, await r.text()])`);
console.log(await call('PATCH', '/sources/cast', { enabled: false }));
console.log(await call('POST', '/sources', { address: feed.url, folders: ['News', 'Late'], pipelines: ['daily'], follow: true }));
for (const id of ['tokyo','compiler','harbour']) await call('POST', `/sources/${id}/poll`, {});
console.log(await call('POST', '/drops', { text: 'Read this: https://example.com/a(b)?c=d. It is good.\nAnd a second line.' }));
await app.pipelines.get('daily')?.run(new AbortController().signal);
await p0.close();

const PAGES: [string, string, ((page: import('playwright-core').Page) => Promise<void>)?][] = [
  ['sources', '/sources', async (page) => { await page.locator('.source').first().waitFor(); }],
  ['sources-add', '/sources', async (page) => { await page.getByRole('textbox').first().fill(feed.url.replace('feed.xml','feed2.xml')); await page.locator('.add-source form button').first().click(); await page.locator('.candidate, .form-problem').first().waitFor(); }],
  ['source', '/sources?id=extra-edition', async (page) => { await page.locator('.facts, .notice').first().waitFor(); }],
  ['settings', '/settings', async (page) => { await page.locator('.setting-more').first().waitFor(); await page.locator('.setting-more > summary').first().click(); await page.locator('.field-pair').first().waitFor(); }],
  ['me', '/me', async (page) => { await page.locator('.line').first().waitFor(); await page.locator('.setting-more > summary').first().click(); }],
  ['people', '/people', async (page) => { await page.locator('.line').first().waitFor(); await page.locator('main .button-main').first().click(); await page.locator('.one-time').first().waitFor(); }],
  ['pipelines', '/pipelines', async (page) => { await page.locator('.pipeline').first().waitFor(); }],
  ['items', '/items', async (page) => { await page.locator('.row, .notice').first().waitFor(); }],
  ['home', '/home', async (page) => { await page.locator('.drop, .notice').first().waitFor(); }],
  ['desk', '/desk', async (page) => { await page.locator('.notice, .line').first().waitFor(); }],
];
for (const [scheme, width, locale] of [['light', 1280, 'en-GB'], ['dark', 390, 'en-GB'], ['light', 390, 'ja-JP'], ['dark', 1280, 'ja-JP']] as const) {
  const context = await site.context('ann', { colorScheme: scheme, viewport: { width, height: 900 }, locale, bypassCSP: true, reducedMotion: 'reduce' });
  for (const [name, path, prepare] of PAGES) {
    if (only.length > 0 && !only.includes(name)) continue;
    const page = await site.visit(context, path);
    try { await prepare?.(page); } catch (error) { console.log(name, String(error).slice(0, 300)); }
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${out}/${name}-${width}-${scheme}-${locale}.png`, fullPage: true });
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>("axe.run({ resultTypes: ['violations'] })");
    for (const one of violations) console.log(name, width, locale, one.id, one.nodes.slice(0, 2).map((n) => n.html.slice(0, 160)));
    const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (wider > 0) console.log(name, width, 'wider by', wider);
    await page.close();
  }
  await context.close();
}
console.log(site.pageErrors, site.foreignRequests);
await site[Symbol.asyncDispose]();
await browser[Symbol.asyncDispose]();
