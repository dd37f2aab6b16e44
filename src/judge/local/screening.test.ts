import { describe, expect, it } from 'vitest';
import type { Document } from '../judge.ts';
import { screenPage } from './screening.ts';

const page = (title: string, text: string) => ({ url: 'https://example.jp/', title, text });
const pdf = (text?: string, bytes?: Uint8Array): Document => ({
  url: 'https://example.jp/a.pdf',
  name: '資料',
  mediaType: 'application/pdf',
  ...(text === undefined ? {} : { text }),
  ...(bytes === undefined ? {} : { bytes }),
});

describe('screening by page signals', () => {
  it('B16 a page that only announces its materials is not ready, with what it announced', () => {
    const { decision, reason } = screenPage(page('第3回検討会', '日時：2月3日\n資料は後日掲載します。'), []);
    expect(decision).toBe('not_ready');
    expect(reason).toContain('資料は後日掲載します');
  });

  it('B16 the same page with its documents is worth it', () => {
    const text = '日時：2月3日\n議事録は後日掲載します。';
    expect(screenPage(page('第3回検討会', text), [pdf('あ'.repeat(200))]).decision).toBe('worth_it');
    expect(screenPage(page('第3回検討会', text), [pdf(undefined, new Uint8Array([1]))]).decision).toBe(
      'worth_it',
    );
  });

  it('B16 an empty document is no material', () => {
    expect(screenPage(page('第3回検討会', '資料は後日掲載します。'), [pdf('  ')]).decision).toBe('not_ready');
  });

  it('B16 a whole article that promises more is complete', () => {
    const text =
      '県は新しい計画をまとめた。費用はおよそ38億円である。対象は1万4千人にのぼり、来年度に始まる。' +
      '知事は会見で、人口の減少を止める柱になると述べた。市町村の担当者からは人手を心配する声も出ている。結果は後日公表する。';
    expect(screenPage(page('県の新しい計画', text), []).decision).toBe('worth_it');
  });

  it('B16 boilerplate alone is not valuable', () => {
    expect(screenPage(page('Home', 'Home\nContact us\nPrivacy policy\n© 2026'), []).decision).toBe(
      'not_valuable',
    );
  });
});
