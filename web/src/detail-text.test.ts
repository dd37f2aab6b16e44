import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DETAIL_TEXTS } from '../../src/item/detail-texts.ts';
import { causeOfSourceError, describeSourceError } from '../../src/sources/source-error-text.ts';

const own = (text: string) => ({ text, isQuotation: false });
const quoted = (text: string) => ({ text, isQuotation: true });

describe('details of the server in Japanese', () => {
  let detailParts: typeof import('./detail-text.ts').detailParts;
  let verdictParts: typeof import('./detail-text.ts').verdictParts;
  beforeAll(async () => {
    vi.stubGlobal('document', { documentElement: { lang: '' } });
    await (await import('./words/words.ts')).setLanguage('ja');
    ({ detailParts, verdictParts } = await import('./detail-text.ts'));
  });
  afterAll(() => {
    vi.unstubAllGlobals();
  });

  it('R19 a text of the server is shown in the language of the page', () => {
    for (const text of Object.values(DETAIL_TEXTS)) {
      const [part] = detailParts(text);
      expect(part).toMatchObject({ isQuotation: false });
      expect(part?.text).toMatch(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u);
    }
  });

  it('R19 the words of others are a quotation', () => {
    expect(detailParts('Too many requests; slow down')).toEqual([quoted('Too many requests; slow down')]);
    expect(detailParts(`Mastodon answered 500; ${DETAIL_TEXTS.maybe_posted}`)).toEqual([
      quoted('Mastodon answered 500'),
      own('配信されたかどうかわかりません'),
    ]);
    expect(verdictParts({ reason: 'A fine study of ink.', score: 80 })).toEqual([
      quoted('A fine study of ink.'),
    ]);
    expect(detailParts('')).toEqual([]);
  });

  it('R19 codes of pages, reasons and destinations are translated', () => {
    expect(detailParts('no_text: the page has no article text')).toEqual([
      own('ページに本文が見つかりませんでした。'),
    ]);
    expect(detailParts('server_error: status 503')).toEqual([
      own('サイトがエラーを返しました。'),
      quoted('status 503'),
    ]);
    expect(detailParts('last: download_failed: timeout: a.example: no answer')).toEqual([
      own('ダウンロードに失敗しました'),
      own('サイトが時間内に応答しませんでした。'),
      quoted('a.example: no answer'),
    ]);
    expect(detailParts('hook: the reply was lost', 'delivery_unknown')).toEqual([
      own('hook'),
      own('応答が失われました'),
    ]);
  });

  it('R19 what the built-in judge counted is shown in the language of the page', () => {
    const mentions = [{ topic: 'databases', times: 2, inTitle: true }];
    expect(verdictParts({ reason: 'x', mentions, score: 90 })).toEqual([
      own('「databases」に見出しと本文で 2 回言及。'),
    ]);
    expect(verdictParts({ reason: 'x', mentions: [], score: 0 })).toEqual([
      own('どのトピックにも言及していません。'),
    ]);
    expect(verdictParts({ reason: 'x', mentions: [], score: 0 }, 'no_topic_match')).toEqual([]);
  });

  it('R19 the error of a source is shown once', () => {
    const described = describeSourceError('not_found', 'status 404');
    expect(causeOfSourceError('not_found', described)).toBe('status 404');
    expect(causeOfSourceError('not_found', 'HTTP 404')).toBe('HTTP 404');
    expect(causeOfSourceError('blocked_address', 'an internal address')).toBe('an internal address');
  });
});
