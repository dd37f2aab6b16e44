import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import type { ArticleReader } from '../src/articles/article.ts';
import { createArticleReader } from '../src/articles/article-reader.ts';
import { createAttachmentReader } from '../src/articles/attachments.ts';
import { IsolatedProcess } from '../src/articles/isolated/isolated-process.ts';
import { createPdfTextReader } from '../src/articles/pdf/pdf-text-reader.ts';
import { createFetcher } from '../src/fetch/create-fetcher.ts';
import type { Fetcher } from '../src/fetch/fetcher.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { systemClock } from '../src/time/clock.ts';

describe('reading a small internet', () => {
  let simulator: Simulator;
  let fetcher: Fetcher;
  let isolated: IsolatedProcess;
  let reader: ArticleReader;
  let folder: string;
  beforeAll(async () => {
    simulator = await startSimulator();
    fetcher = createFetcher({
      clock: systemClock,
      log: silentLogger,
      allow: ['127.0.0.1'],
      limits: { spacingMs: 0, totalMs: 4000, maxBytes: 2_000_000, breakerFailures: 100 },
    });
    isolated = new IsolatedProcess({ clock: systemClock });
    reader = createArticleReader({ fetcher, isolated, clock: systemClock, maxBytes: 2_000_000 });
    folder = mkdtempSync(join(tmpdir(), 'reading-test-'));
  });
  afterAll(async () => {
    await isolated[Symbol.asyncDispose]();
    await fetcher[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['article.html', 'en'],
    ['article-ja.html', 'ja'],
    ['article-sjis.html', 'ja'],
    ['article-eucjp.html', 'ja'],
    ['redirect/3', 'en'],
  ])('A8 %s is read', async (page, language) => {
    const outcome = await reader.read(`${simulator.urls.pages}/special/${page}`);
    expect(outcome).toMatchObject({ outcome: 'article', article: { language } });
    if (outcome.outcome !== 'article') return;
    expect(outcome.article.text.length).toBeGreaterThan(200);
    expect(outcome.article.text).not.toContain('\ufffd');
  });

  it.each([
    ['paywall.html', 'paywall'],
    ['no-text.html', 'no_text'],
    ['slow.html?ms=8000', 'timeout'],
    ['gone.html', 'not_found'],
    ['nothing-there.html', 'not_found'],
    ['error.html?status=500', 'server_error'],
    ['notes.txt', 'not_html'],
    ['picture.png', 'not_html'],
    ['report.pdf', 'not_html'],
    ['loop', 'unreachable'],
    ['huge.html', 'too_large'],
    ['bomb.html', 'too_large'],
  ])('A8 %s is %s', async (page, why) => {
    expect(await reader.read(`${simulator.urls.pages}/special/${page}`)).toMatchObject({
      outcome: 'unreadable',
      why,
    });
  });

  it('B15 B17 the documents of a page are fetched, read and removed', async () => {
    const outcome = await reader.read(`${simulator.urls.pages}/special/documents.html`);
    const attachments = outcome.outcome === 'article' ? outcome.article.attachments : [];
    expect(attachments.length).toBeGreaterThan(0);
    const texts = createPdfTextReader({ isolated });
    const fetched = await createAttachmentReader({ fetcher, texts, folder }).fetch(attachments);
    expect(fetched.documents.length).toBeGreaterThan(0);
    for (const document of fetched.documents)
      expect(await document.text()).toMatchObject({ outcome: 'text' });
    await fetched[Symbol.asyncDispose]();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['report.pdf', { outcome: 'text' }],
    ['report-ja.pdf', { outcome: 'text' }],
    ['broken.pdf', { outcome: 'unreadable', why: 'broken' }],
  ])('B17 %s', async (name, expected) => {
    const url = `${simulator.urls.pages}/special/${name}`;
    const answer = await fetcher.fetch({ url });
    if (answer.outcome !== 'response') throw new Error(answer.detail);
    expect(await createPdfTextReader({ isolated }).read(answer.body)).toMatchObject(expected);
  });

  it('B15 a document beyond the limit is left out, and reported as such', async () => {
    const texts = createPdfTextReader({ isolated });
    const fetched = await createAttachmentReader({ fetcher, texts, folder, limits: { size: 100_000 } }).fetch(
      [{ url: `${simulator.urls.pages}/special/huge.pdf`, name: 'huge' }],
    );
    expect(fetched).toMatchObject({ documents: [], overLimit: true, skipped: [{ why: 'too_large' }] });
    await fetched[Symbol.asyncDispose]();
  });
});
