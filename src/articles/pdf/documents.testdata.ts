import type { DocumentText } from '../article.ts';

export const ENGLISH =
  'Annual report of the city library\n\nThe library stayed open until nine in the evening\non two hundred days of the year.\n\nVisitors rose by twelve per cent.';
const JAPANESE =
  '図書館年次報告書\n東京都は新しい図書館の開館時間を午後九時まで延長した。\n利用者数は前年に比べて十二パーセント増えた。';

/** PDFs as they come, whole, broken and hostile, each with the outcome it must have. */
export const documents: readonly (readonly [file: string, expected: Partial<DocumentText>])[] = [
  ['english.pdf', { outcome: 'text', title: 'Annual report', pages: 2, pagesRead: 2 }],
  ['japanese-sjis-cmap.pdf', { outcome: 'text', text: JAPANESE }],
  ['japanese-eucjp-cmap.pdf', { outcome: 'text', text: JAPANESE }],
  ['japanese-unijis-cmap.pdf', { outcome: 'text', text: JAPANESE }],
  ['many-pages.pdf', { outcome: 'text', pages: 30, pagesRead: 20 }],
  ['javascript.pdf', { outcome: 'text', text: ENGLISH }],
  ['no-xref.pdf', { outcome: 'text', pages: 2 }],
  ['junk-before-head.pdf', { outcome: 'text', pages: 2 }],
  ['one-damaged-page.pdf', { outcome: 'text', text: ENGLISH, pages: 2 }],
  // A Type 3 font of pictures, as old TeX makes it.
  [
    'bitmap-letters.pdf',
    { outcome: 'text', text: 'the quick brown fox\njumps over the lazy dog\n\nnew paragraph here' },
  ],
  ['encrypted.pdf', { outcome: 'unreadable', why: 'encrypted' }],
  ['unknown-encryption.pdf', { outcome: 'unreadable', why: 'encrypted' }],
  ['scanned.pdf', { outcome: 'unreadable', why: 'no_text' }],
  ['page-numbers-only.pdf', { outcome: 'unreadable', why: 'no_text' }],
  ['count-lies.pdf', { outcome: 'unreadable', why: 'no_text' }],
  ['truncated.pdf', { outcome: 'unreadable', why: 'broken' }],
  ['head-only.pdf', { outcome: 'unreadable', why: 'broken' }],
  ['garbage-after-head.pdf', { outcome: 'unreadable', why: 'broken' }],
  ['pages-in-a-circle.pdf', { outcome: 'unreadable', why: 'broken' }],
  ['bomb.pdf', { outcome: 'unreadable', why: 'no_text' }],
  ['html-as-pdf.pdf', { outcome: 'unreadable', why: 'not_a_document' }],
  ['empty.pdf', { outcome: 'unreadable', why: 'not_a_document' }],
];
