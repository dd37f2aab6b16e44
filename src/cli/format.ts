import { graphemesOf, shorten } from '../item/shorten.ts';
import { formatDuration } from '../time/duration.ts';

/** Characters that a terminal draws over two columns: East Asian wide and full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

const ZERO_WIDTH = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u;

/** How many columns a text takes on a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const segment of graphemesOf(text)) width += segmentWidth(segment);
  return width;
}

function segmentWidth(segment: string): number {
  if (ZERO_WIDTH.test(segment)) return 0;
  return WIDE.test(segment) ? 2 : 1;
}

/** The beginning of a text that fits, with … where something was left out. */
export function truncate(text: string, columns: number): string {
  return shorten(text, columns, segmentWidth);
}

export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const gap = ' '.repeat(Math.max(0, columns - displayWidth(text)));
  return side === 'left' ? text + gap : gap + text;
}

/**
 * A text from outside on one line, without anything that could move the cursor or change colours: a title must not
 * be able to speak to the terminal.
 */
export function sanitise(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
}

/** A moment as people write it, in the machine's own time zone: `2026-11-15 20:31:07`. */
export function formatMoment(ms: number): string {
  const date = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `3 min ago`, `in 2 h`, `now`; `–` where there is none. */
export function formatRelativeTime(ms: number | null, now: number): string {
  if (ms === null) return '–';
  const distance = ms - now;
  if (Math.abs(distance) < 1000) return 'now';
  return distance < 0 ? `${formatDuration(-distance)} ago` : `in ${formatDuration(distance)}`;
}

export function formatCount(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** `low_relevance` → `low relevance`. */
export function formatName(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Millionths of a US dollar as people write them: `$0.0512`, `$12.00`. */
export function formatDollars(microUsd: number): string {
  const dollars = microUsd / 1e6;
  return `$${dollars.toFixed(dollars > 0 && dollars < 1 ? 4 : 2)}`;
}

/** A JSON body with line breaks, anything else as it is, without what could speak to the terminal. */
export function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body.replaceAll(/[\p{Cc}--\n]/gv, '');
  }
}

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
const MIN_COLUMN_WIDTH = 8;

/** Rows in aligned columns that fit the terminal. East Asian characters count as the two columns they take. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  styleTitle: (text: string) => string = (text) => text,
): string {
  const cells = rows.map((row) => columns.map((column) => sanitise(column.value(row))));
  const widths = fitWidths(
    columns.map((column, n) =>
      Math.max(displayWidth(column.title), ...cells.map((row) => displayWidth(row[n] ?? ''))),
    ),
    columns,
    width,
  );
  const line = (values: readonly string[], style: (cell: string, n: number) => string): string =>
    values
      .map((value, n) =>
        style(
          pad(
            truncate(value, widths[n] ?? 0),
            widths[n] ?? 0,
            columns[n]?.align === 'right' ? 'right' : 'left',
          ),
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
function fitWidths(
  widths: readonly number[],
  columns: readonly { readonly shrinks?: boolean }[],
  room: number,
): number[] {
  const result = [...widths];
  let over = result.reduce((sum, width) => sum + width, 0) + GAP.length * (columns.length - 1) - room;
  while (over > 0) {
    const able = result
      .map((width, n) => ({ width, n }))
      .filter(({ width, n }) => columns[n]?.shrinks === true && width > MIN_COLUMN_WIDTH)
      .sort((a, b) => b.width - a.width);
    const [widest, second] = able;
    if (widest === undefined) return result;
    const step = Math.min(
      over,
      Math.max(1, widest.width - Math.max(second?.width ?? MIN_COLUMN_WIDTH, MIN_COLUMN_WIDTH)),
    );
    result[widest.n] = widest.width - step;
    over -= step;
  }
  return result;
}
