import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Column, displayWidth, formatTable } from './format.ts';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly n: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'Title', value: ({ title }) => title, shrinks: true },
  { title: 'N', value: ({ n }) => String(n), align: 'right' },
];

describe('X12 tables', () => {
  it('X12 align, Japanese and English alike', () => {
    const rows = [
      { id: 'a', title: '瓦版', n: 5 },
      { id: 'bc', title: 'hello', n: 12 },
    ];
    expect(formatTable(rows, COLUMNS, 80)).toBe(
      ['ID  Title   N', 'a   瓦版    5', 'bc  hello  12'].join('\n'),
    );
  });

  it('X12 fit the terminal by shortening the column that may shrink', () => {
    const rows = [{ id: 'a', title: '見出しがとても長いのでこの行には入りきらない', n: 1 }];
    const lines = formatTable(rows, COLUMNS, 24).split('\n');
    expect(lines.every((line) => displayWidth(line) <= 24)).toBe(true);
    expect(lines[1]).toContain('…');
  });

  it('X12 never exceed the width as long as the fixed columns fit, whatever the words', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            id: fc.string({ maxLength: 5 }),
            title: fc.string({ unit: 'grapheme' }),
            n: fc.nat(999),
          }),
        ),
        fc.integer({ min: 40, max: 120 }),
        (rows, width) =>
          formatTable(rows, COLUMNS, width)
            .split('\n')
            .every((line) => displayWidth(line) <= width),
      ),
    );
  });
});
