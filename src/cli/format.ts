import { graphemesOf, shorten } from '../item/shorten.ts';
import { formatDuration } from '../time/duration.ts';

/** Characters two columns wide: East Asian wide and full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

const ZERO_WIDTH = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u;

/** Width of a text on a terminal, in columns. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const segment of graphemesOf(text)) width += segmentWidth(segment);
  return width;
}

function segmentWidth(segment: string): number {
  if (ZERO_WIDTH.test(segment)) return 0;
  return WIDE.test(segment) ? 2 : 1;
}

/** Cuts a text to the width, with … at the end if it was cut. */
export function truncate(text: string, columns: number): string {
  return shorten(text, columns, segmentWidth);
}

/** Breaks a text into lines of at most this width: between words, and inside a word that is longer or of a script without spaces. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  const add = (piece: string): void => {
    const needed = displayWidth(piece.trimEnd());
    if (width > 0 && width + needed > columns) {
      lines.push(line.trimEnd());
      line = '';
      width = 0;
    }
    line += piece;
    width += displayWidth(piece);
  };
  for (const word of text.split(/(?<=\s)/u)) {
    const isSplit = displayWidth(word.trimEnd()) > columns || WIDE.test(word);
    for (const piece of isSplit ? graphemesOf(word) : [word]) add(piece);
  }
  return [...lines, line.trimEnd()];
}

export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const gap = ' '.repeat(Math.max(0, columns - displayWidth(text)));
  return side === 'left' ? text + gap : gap + text;
}

/**
 * Outside text on one line, without control characters: a title must not be able to move the cursor or change
 * colours.
 */
export function sanitise(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
}

/** A timestamp in the local time zone: `2026-11-15 20:31:07`. */
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

/** Formats millionths of a US dollar: `$0.0512`, `$12.00`. */
export function formatDollars(microUsd: number): string {
  const dollars = microUsd / 1e6;
  return `$${dollars.toFixed(dollars > 0 && dollars < 1 ? 4 : 2)}`;
}

/** Formats a JSON body with line breaks, leaves other text as it is, and removes control characters. */
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
  /** May be narrowed when the terminal is too narrow. Set it for at least one column. */
  readonly shrinks?: boolean;
  /** Colours a finished cell; called with the padded text, so that alignment is kept. */
  readonly style?: (cell: string, row: Row) => string;
}

const GAP = '  ';
const MIN_COLUMN_WIDTH = 8;

/** Formats rows in aligned columns that fit the terminal. East Asian wide characters count as two columns. */
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

/** Narrows the widest shrinkable column until all fit or none can shrink further. */
function fitWidths(
  widths: readonly number[],
  columns: readonly { readonly shrinks?: boolean }[],
  available: number,
): number[] {
  const result = [...widths];
  let excess = result.reduce((sum, width) => sum + width, 0) + GAP.length * (columns.length - 1) - available;
  while (excess > 0) {
    const able = result
      .map((width, n) => ({ width, n }))
      .filter(({ width, n }) => columns[n]?.shrinks === true && width > MIN_COLUMN_WIDTH)
      .sort((a, b) => b.width - a.width);
    const [widest, second] = able;
    if (widest === undefined) return result;
    const step = Math.min(
      excess,
      Math.max(1, widest.width - Math.max(second?.width ?? MIN_COLUMN_WIDTH, MIN_COLUMN_WIDTH)),
    );
    result[widest.n] = widest.width - step;
    excess -= step;
  }
  return result;
}

/** An index of Firestore: `items (state, dueAt)`. */
export function formatIndex({
  collectionGroup,
  fields,
}: {
  readonly collectionGroup: string;
  readonly fields: readonly { readonly fieldPath: string }[];
}): string {
  return `${collectionGroup} (${fields.map(({ fieldPath }) => fieldPath).join(', ')})`;
}
