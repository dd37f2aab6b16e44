import { fileURLToPath } from 'node:url';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem, TextMarkedContent } from 'pdfjs-dist/types/src/display/api.js';
import type { DocumentText } from '../article.ts';
import { foldText } from './fold-text.ts';

/**
 * Joins the fragments of a page. A PDF has positions of letters and no words: a gap as wide as a part of a letter is a
 * space, a step down is a new line, and a step of more than a line and a half is a new paragraph.
 */
export function pageText(items: readonly (TextItem | TextMarkedContent)[]): string {
  let text = '';
  let last: TextItem | null = null;
  for (const item of items) {
    if (!('str' in item) || (item.str === '' && !item.hasEOL)) continue;
    if (last) text += between(last, item, text);
    text += item.str;
    if (item.str !== '') last = item;
  }
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function between(last: TextItem, next: TextItem, soFar: string): string {
  const size = Math.abs(last.height) || Math.abs(next.height) || 10;
  const [, , , , lastX = 0, lastY = 0] = numbers(last.transform);
  const [, , , , nextX = 0, nextY = 0] = numbers(next.transform);
  const down = Math.abs(lastY - nextY);
  if (down > size * 1.8) return '\n\n';
  if (down > size * 0.6) return '\n';
  if (/\s$/.test(soFar) || /^\s/.test(next.str)) return '';
  return nextX - (lastX + last.width) > size * 0.2 ? ' ' : '';
}

function numbers(transform: readonly unknown[]): readonly number[] {
  return transform.map((value) => (typeof value === 'number' ? value : 0));
}

export interface PdfInput {
  readonly bytes: Uint8Array;
  readonly maxPages: number;
  readonly maxCharacters: number;
}

/** Fewer letters than this on all pages together: page numbers and stamps, not text. */
const MIN_LETTERS = 20;

const inPackage = (folder: string): string =>
  fileURLToPath(new URL(`../../${folder}/`, import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs')));

/** Runs in the isolated thread. */
export default async function extractPdfText(input: PdfInput): Promise<DocumentText> {
  const loading = getDocument({
    // The library transfers the buffer, so it gets a copy.
    data: Uint8Array.from(input.bytes),
    // Japanese documents refer to character maps without embedding them.
    cMapUrl: inPackage('cmaps'),
    cMapPacked: true,
    standardFontDataUrl: inPackage('standard_fonts'),
    wasmUrl: inPackage('wasm'),
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    stopAtErrors: false,
    verbosity: 0,
  });
  try {
    return await readPages(await loading.promise, input);
  } catch (error) {
    if (error instanceof Error && (error.name === 'PasswordException' || /encrypt/i.test(error.message)))
      return { outcome: 'unreadable', why: 'encrypted', detail: 'it needs a password' };
    return { outcome: 'unreadable', why: 'broken', detail: 'it is damaged' };
  } finally {
    await loading.destroy();
  }
}

async function readPages(pdf: PDFDocumentProxy, input: PdfInput): Promise<DocumentText> {
  const texts: string[] = [];
  let characters = 0;
  let pagesRead = 0;
  let damaged = 0;
  while (pagesRead < Math.min(pdf.numPages, input.maxPages) && characters < input.maxCharacters) {
    pagesRead++;
    try {
      const page = await pdf.getPage(pagesRead);
      const text = foldText(pageText((await page.getTextContent()).items));
      page.cleanup();
      characters += text.length;
      if (text !== '') texts.push(text);
    } catch {
      // Skip a damaged page and read the others.
      damaged++;
    }
  }
  const text = texts.join('\n\n').slice(0, input.maxCharacters);
  if (text.replace(/[^\p{L}\p{N}]/gu, '').length >= MIN_LETTERS)
    return { outcome: 'text', text, title: await titleOf(pdf), pages: pdf.numPages, pagesRead };
  if (damaged > 0 && damaged === pagesRead)
    return { outcome: 'unreadable', why: 'broken', detail: 'its pages are damaged' };
  return { outcome: 'unreadable', why: 'no_text', detail: 'its pages are pictures without text' };
}

async function titleOf(pdf: PDFDocumentProxy): Promise<string | null> {
  try {
    const { info } = await pdf.getMetadata();
    const title: unknown = Reflect.get(info, 'Title');
    return typeof title === 'string' && title.trim() !== '' ? foldText(title.trim()).slice(0, 300) : null;
  } catch {
    return null;
  }
}
