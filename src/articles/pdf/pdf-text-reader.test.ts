import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../time/clock.ts';
import { IsolatedThread } from '../isolated/isolated-thread.ts';
import { documents, ENGLISH } from './documents.testdata.ts';
import { createPdfTextReader } from './pdf-text-reader.ts';

describe('the text of PDFs', () => {
  let isolated: IsolatedThread;
  beforeAll(() => {
    isolated = new IsolatedThread({ clock: systemClock, memoryMb: 64 });
  });
  afterAll(() => isolated[Symbol.asyncDispose]());

  for (const [file, expected] of documents)
    it(`B17 ${file}`, async () => {
      const reader = createPdfTextReader({ isolated, maxPages: 20 });
      const bytes = readFileSync(new URL(`../testdata/pdf/${file}`, import.meta.url));
      expect(await reader.read(bytes)).toMatchObject(expected);
    });

  it('B17 keeps lines and paragraphs', async () => {
    const reader = createPdfTextReader({ isolated });
    const read = await reader.read(readFileSync(new URL('../testdata/pdf/english.pdf', import.meta.url)));
    expect(read).toMatchObject({ text: `${ENGLISH}\n\nSecond page: the outlook for next year is good.` });
  });

  it('B17 the limits of size and of text', async () => {
    const bytes = readFileSync(new URL('../testdata/pdf/many-pages.pdf', import.meta.url));
    const small = createPdfTextReader({ isolated, maxBytes: 1000 });
    expect(await small.read(bytes)).toMatchObject({ outcome: 'unreadable', why: 'too_large' });
    const brief = await createPdfTextReader({ isolated, maxCharacters: 100 }).read(bytes);
    expect(brief).toMatchObject({ outcome: 'text', pages: 30, pagesRead: 3 });
    expect(brief.outcome === 'text' && brief.text.length).toBe(100);
  });

  it('X6 a decompression bomb in a PDF ends early', async () => {
    const bomb = bombPdf(40, 64 * 1024 * 1024);
    expect(bomb.byteLength).toBeLessThan(4_000_000);
    const read = await createPdfTextReader({ isolated, limitMs: 10_000 }).read(bomb);
    expect(read).toMatchObject({ outcome: 'unreadable' });
  });
});

/** Pages that inflate to spaces, `streams` times `size`, all of them in one page. */
function bombPdf(streams: number, size: number): Buffer {
  const packed = deflateSync(Buffer.alloc(size, ' '));
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents [${Array.from({ length: streams }, () => '4 0 R').join(' ')}] >>`,
  ].map((body, index) => Buffer.from(`${index + 1} 0 obj\n${body}\nendobj\n`));
  const stream = [
    Buffer.from(`4 0 obj\n<< /Length ${packed.byteLength} /Filter /FlateDecode >>\nstream\n`),
    packed,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF'),
  ];
  return Buffer.concat([Buffer.from('%PDF-1.5\n'), ...objects, ...stream]);
}
