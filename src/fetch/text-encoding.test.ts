import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type DecodedText, decodeText } from './text-encoding.ts';

const LIBRARY = '東京都は十五日、新しい図書館の開館時間を午後九時まで延長すると発表した。';

type Row = readonly [
  file: string,
  contentType: string | undefined,
  encoding: string,
  from: DecodedText['from'],
  holds: string,
];

const table: readonly Row[] = [
  ['sjis-meta.html', 'text/html', 'shift_jis', 'declaration', LIBRARY],
  ['sjis-meta.html', 'text/html', 'shift_jis', 'declaration', '①～－'],
  ['sjis-meta-equiv.html', undefined, 'shift_jis', 'declaration', LIBRARY],
  ['sjis-unlabelled.html', undefined, 'shift_jis', 'sniffed', LIBRARY],
  ['sjis-unlabelled.html', 'text/html; charset=Windows-31J', 'shift_jis', 'header', LIBRARY],
  ['sjis-unlabelled.html', 'text/html; charset=cp932', 'shift_jis', 'header', LIBRARY],
  ['sjis-labelled-utf8.html', 'text/html; charset=utf-8', 'shift_jis', 'sniffed', LIBRARY],
  ['sjis-meta.html', 'text/html; charset=ISO-8859-1', 'shift_jis', 'declaration', LIBRARY],
  ['eucjp-meta.html', 'text/html', 'euc-jp', 'declaration', LIBRARY],
  ['eucjp-unlabelled.html', undefined, 'euc-jp', 'sniffed', LIBRARY],
  ['eucjp-labelled-sjis.html', undefined, 'euc-jp', 'sniffed', LIBRARY],
  ['eucjp-unlabelled.html', 'text/html; charset="euc-jp"', 'euc-jp', 'header', LIBRARY],
  ['iso2022jp-meta.html', undefined, 'iso-2022-jp', 'declaration', LIBRARY],
  ['iso2022jp-unlabelled.html', 'text/html; charset=utf-8', 'iso-2022-jp', 'sniffed', LIBRARY],
  ['utf8-labelled-latin1.html', 'text/html', 'utf-8', 'sniffed', LIBRARY],
  ['utf8-labelled-sjis.html', undefined, 'utf-8', 'sniffed', LIBRARY],
  ['utf8-bom-labelled-sjis.html', 'text/html; charset=shift_jis', 'utf-8', 'bom', LIBRARY],
  ['utf16le-bom.html', 'text/html; charset=utf-8', 'utf-16le', 'bom', LIBRARY],
  ['utf16be-bom.html', undefined, 'utf-16be', 'bom', LIBRARY],
  ['utf16le-nobom.html', undefined, 'utf-16le', 'sniffed', LIBRARY],
  ['utf16be-nobom.xml', undefined, 'utf-16be', 'sniffed', LIBRARY],
  ['utf8-declared-utf16.xml', 'application/xml', 'utf-8', 'declaration', LIBRARY],
  ['sjis-declared.xml', 'application/xml', 'shift_jis', 'declaration', LIBRARY],
  ['eucjp-declared.xml', 'text/xml', 'euc-jp', 'declaration', LIBRARY],
  ['cp1252-meta.html', undefined, 'windows-1252', 'declaration', 'Le café coûte 3 € “ici” – déjà vu'],
  ['cp1252-unlabelled.html', undefined, 'windows-1252', 'sniffed', 'Le café coûte 3 € “ici”'],
  ['cp1252-unlabelled.html', 'text/html; charset=utf-8', 'windows-1252', 'sniffed', 'l’été à la mer'],
  ['cp1251-meta.html', undefined, 'windows-1251', 'declaration', 'Библиотека будет открыта'],
  ['cp1250-header.html', 'text/html;charset=windows-1250', 'windows-1250', 'header', 'žluťoučký kůň úpěl'],
  ['unknown-label.html', 'text/html; charset=none', 'utf-8', 'sniffed', 'naïve café 図書館'],
  ['truncated-utf8.html', 'text/html; charset=utf-8', 'utf-8', 'header', '図書館図書\ufffd'],
  ['meta-in-comment.html', undefined, 'utf-8', 'sniffed', '図書館'],
  ['gb18030-header.html', 'text/html; charset=gb2312', 'gbk', 'header', '图书馆的开放时间'],
  ['euckr-header.html', 'text/html; charset=euc-kr', 'euc-kr', 'header', '도서관은 밤 아홉 시까지'],
];

describe('decodeText', () => {
  for (const [file, contentType, encoding, from, holds] of table)
    it(`X5 reads ${file} served as ${contentType ?? 'nothing'}`, () => {
      const bytes = readFileSync(new URL(`testdata/encodings/${file}`, import.meta.url));
      const decoded = decodeText(bytes, contentType, file.endsWith('.xml') ? { xml: true } : { html: true });
      expect(decoded.text).toContain(holds);
      expect({ encoding: decoded.encoding, from: decoded.from }).toEqual({ encoding, from });
      expect(decoded.text.charCodeAt(0)).not.toBe(0xfeff);
    });

  it('accepts empty and random input without an error', () => {
    expect(decodeText(new Uint8Array(0), undefined, { html: true }).text).toBe('');
    const noise = Uint8Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256);
    expect(typeof decodeText(noise, 'text/html; charset=shift_jis', { xml: true }).text).toBe('string');
  });
});
