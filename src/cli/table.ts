import { cut, harmless, pad, widthOf } from './width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** Gives way when the terminal is too narrow. At least one column should. */
  readonly shrinks?: boolean;
  /** Colours a finished cell; called with the padded text, so that alignment is kept. */
  readonly style?: (cell: string, row: Row) => string;
}

const GAP = '  ';
const NARROWEST = 8;

/** Rows in aligned columns that fit the terminal. East Asian characters count as the two columns they take. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  styleTitle: (text: string) => string = (text) => text,
): string {
  const cells = rows.map((row) => columns.map((column) => harmless(column.value(row))));
  const widths = fitted(
    columns.map((column, n) => Math.max(widthOf(column.title), ...cells.map((row) => widthOf(row[n] ?? '')))),
    columns,
    width,
  );
  const line = (values: readonly string[], style: (cell: string, n: number) => string): string =>
    values
      .map((value, n) =>
        style(
          pad(cut(value, widths[n] ?? 0), widths[n] ?? 0, columns[n]?.align === 'right' ? 'right' : 'left'),
          n,
        ),
      )
      .join(GAP)
      .trimEnd();
  return [
    line(
      columns.map((column) => column.title),
      (cell) => styleTitle(cell),
    ),
    ...rows.map((row, r) => line(cells[r] ?? [], (cell, n) => columns[n]?.style?.(cell, row) ?? cell)),
  ].join('\n');
}

/** Takes what is over from the widest column that may shrink, until all fit or none can give more. */
function fitted(
  widths: readonly number[],
  columns: readonly { readonly shrinks?: boolean }[],
  room: number,
): number[] {
  const result = [...widths];
  let over = result.reduce((sum, width) => sum + width, 0) + GAP.length * (columns.length - 1) - room;
  while (over > 0) {
    const able = result
      .map((width, n) => ({ width, n }))
      .filter(({ width, n }) => columns[n]?.shrinks === true && width > NARROWEST)
      .sort((a, b) => b.width - a.width);
    const [widest, second] = able;
    if (widest === undefined) return result;
    const step = Math.min(over, Math.max(1, widest.width - Math.max(second?.width ?? NARROWEST, NARROWEST)));
    result[widest.n] = widest.width - step;
    over -= step;
  }
  return result;
}
