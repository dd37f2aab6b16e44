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

  it.each([
    ['⽇本の⾃然、⺠間と⻑期', '日本の自然、民間と長期'],
    ['ﾃﾞｰﾀ ２０２６年 ＡＢＣ', 'データ 2026年 ABC'],
    ['㍻から㋿、約㌔', '平成から令和、約キロ'],
    ['か\u3099く神', 'がく神'],
    ['oﬃce ﬁnds 𝑥', 'office finds x'],
    ['x² ₂ ½ ① Ⅳ ㎡ 20℃ （全角）！', 'x² ₂ ½ ① Ⅳ m² 20℃ （全角）！'],
  ])('Q12 %s is read as %s', async (written, read) => {
    const padding = 'A sentence that makes it a text.';
    const found = await createPdfTextReader({ isolated }).read(pdfOf(`${written}~${padding}`));
    expect(found).toMatchObject({ outcome: 'text', text: `${read}~${padding}` });
  });

  it('X6 a decompression bomb in a PDF ends early', async () => {
    const bomb = bombPdf(40, 64 * 1024 * 1024);
    expect(bomb.byteLength).toBeLessThan(4_000_000);
    const read = await createPdfTextReader({ isolated, limitMs: 10_000 }).read(bomb);
    expect(read).toMatchObject({ outcome: 'unreadable' });
  });
});

/** A page with one line. Each character has a code of its own, and the font says which character it is. */
function pdfOf(text: string): Buffer {
  const hex = (value: number): string => value.toString(16).padStart(4, '0');
  const units = (character: string): string =>
    Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at))).join('');
  const characters = [...text];
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <0000> <ffff> endcodespacerange ${characters.length} beginbfchar ${characters.map((character, at) => `<${hex(at + 1)}> <${units(character)}>`).join(' ')} endbfchar endcmap end end`;
  const line = `BT /F 10 Tf 10 10 Td <${characters.map((_, at) => hex(at + 1)).join('')}> Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 99] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${line.length} >>\nstream\n${line}\nendstream`,
    '<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>',
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 1000 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>',
    `<< /Length ${map.length} >>\nstream\n${map}\nendstream`,
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.5\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF`, 'latin1');
}

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
