import { expect, it } from 'vitest';
import { formatSize, parseSize } from './size.ts';

it('X11 parses sizes with their unit and nothing else', () => {
  expect(['10MB', '1.5 kb', '2GiB', '7b'].map(parseSize)).toEqual([10_485_760, 1536, 2_147_483_648, 7]);
  expect(['10', 'MB', '-1MB', '1TB', '1e3MB', ''].map(parseSize)).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
});

it('X12 formats sizes', () => {
  expect([12, 2048, 1_572_864, 5 * 1024 ** 3].map(formatSize)).toEqual(['12 B', '2 KB', '1.5 MB', '5 GB']);
});
