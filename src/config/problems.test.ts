import { describe, expect, it } from 'vitest';
import { editDistance, nearest, suggestion } from './problems.ts';

describe('nearest', () => {
  it('X11 counts insertions, deletions, changes and swaps as one each', () => {
    expect(editDistance('sources', 'sources')).toBe(0);
    expect(editDistance('sorces', 'sources')).toBe(1);
    expect(editDistance('soruces', 'sources')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
  });

  it('X11 ignores case and the difference between - and _', () => {
    expect(nearest('minArticles', ['max_articles', 'min_articles'])).toBe('min_articles');
    expect(nearest('dev_blog', ['dev-blog', 'web-log'])).toBe('dev-blog');
  });

  it('X11 suggests nothing that is too different, but lists the known values', () => {
    expect(nearest('zebra', ['sources', 'judges'])).toBeNull();
    expect(suggestion('zebra', ['sources', 'judges'])).toBe('known here: sources, judges');
    expect(suggestion('zebra', ['local', 'local'])).toBe('known here: local');
  });
});
