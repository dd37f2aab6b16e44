import { describe, expect, it } from 'vitest';
import { TermIndex } from './term-index.ts';
import { fold } from './text.ts';

const found = (term: string, text: string, exactCase = false): number =>
  new TermIndex([{ text: term, exactCase, meaning: term }]).find(fold(text)).length;

describe('finding terms', () => {
  it.each([
    ['container', 'Containers and a container.', 2],
    ['art', 'A start of an artist at the art fair', 1],
    ['machine learning', 'Machine-learning and machine  learning', 2],
    ['machine learning', 'a machine that is learning', 0],
    ['vulnerability', 'two vulnerabilities', 1],
    ['C++', 'C++ and C++17, not C', 2],
    ['.NET', 'the .NET runtime', 1],
    ['ＡＩ', 'AI and ai and said', 2],
    ['Node.js', 'node.js servers', 1],
  ])('English %s in “%s”', (term, text, times) => {
    expect(found(term, text)).toBe(times);
  });

  it.each([
    ['京都', '東京都の発表', 0],
    ['京都', '京都の秋、京都市内', 2],
    ['セキュリティ', 'サイバーセキュリティ対策', 1],
    ['ロシア', 'プロシアの歴史', 0],
    ['インド', 'インドネシアへ', 0],
    ['機械学習', '機械学習モデル', 1],
    ['生成AI', '対話型の生成ＡＩを', 1],
    ['半導体', '半導体製造装置', 1],
    ['漆', '漆を塗る', 1],
    ['暗号', '耐量子暗号へ', 1],
  ])('Japanese %s in “%s”', (term, text, times) => {
    expect(found(term, text)).toBe(times);
  });

  it('an abbreviation can insist on its letter case', () => {
    expect(found('IT', 'it is what it is', true)).toBe(0);
    expect(found('IT', 'IT budgets grow', true)).toBe(1);
  });
});
