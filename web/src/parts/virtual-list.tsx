import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface WindowedProps<T> {
  /** Heights that were measured once are kept under this name, so that coming back finds the same place. */
  readonly name: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** One element for each row, without a margin above or below. */
  readonly render: (row: T, index: number) => VNode;
  /** The height that a row usually has, in pixels. */
  readonly usual: number;
  readonly list?: boolean;
  readonly class?: string;
}

/** So far above and below the screen rows are there, so that the next one can be reached by key and by wheel. */
const AHEAD = 1_200;

const kept = new Map<string, Map<string, number>>();

/**
 * A long list of which only the part around the screen is in the page. Two empty blocks stand for the rest; they lie
 * beside the list, not around it, so that the browser holds the reader's place when a height turns out otherwise.
 */
export function Windowed<T>(props: WindowedProps<T>) {
  const { rows, keyOf, render, usual } = props;
  const list = useRef<HTMLElement>(null);
  const before = useRef<HTMLDivElement>(null);
  const heights = heightsOf(props.name);
  const layout = useRef<Layout<T> | null>(null);
  const [range, setRange] = useState<Range>({ from: 0, to: Math.min(rows.length, 20) });

  if (layout.current?.rows !== rows) layout.current = layOut(rows, keyOf, heights, usual);

  const look = (): void => {
    const top = before.current?.getBoundingClientRect().top;
    if (top === undefined || !layout.current) return;
    const next = within(layout.current.offsets, -top - AHEAD, -top + innerHeight + AHEAD);
    setRange((now) => (now.from === next.from && now.to === next.to ? now : next));
  };

  useEffect(() => {
    let asked = 0;
    const soon = (): void => {
      asked ||= requestAnimationFrame(() => {
        asked = 0;
        look();
      });
    };
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(asked);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, []);

  useLayoutEffect(look, [rows]);

  useLayoutEffect(() => {
    const shown = [...(list.current?.children ?? [])];
    const keys = new Map(shown.map((row, index) => [row, rows[range.from + index]] as const));
    const measure = new ResizeObserver((entries) => {
      let changed = false;
      for (const { target, borderBoxSize } of entries) {
        const row = keys.get(target);
        const height = borderBoxSize[0]?.blockSize ?? 0;
        if (row === undefined || height === 0 || heights.get(keyOf(row)) === height) continue;
        heights.set(keyOf(row), height);
        changed = true;
      }
      if (!changed) return;
      layout.current = layOut(rows, keyOf, heights, usual);
      look();
    });
    for (const row of shown) measure.observe(row);
    return () => measure.disconnect();
  }, [rows, range.from, range.to]);

  const { offsets } = layout.current;
  const from = Math.min(range.from, rows.length);
  const to = Math.min(Math.max(range.to, from), rows.length);
  const shown = rows.slice(from, to).map((row, index) => render(row, from + index));
  const all = offsets[rows.length] ?? 0;
  return (
    <>
      <div ref={before} aria-hidden="true" style={{ height: `${offsets[from] ?? 0}px` }} />
      {props.list ? (
        <ul ref={list as preact.RefObject<HTMLUListElement>} class={props.class}>
          {shown}
        </ul>
      ) : (
        <div ref={list as preact.RefObject<HTMLDivElement>} class={props.class}>
          {shown}
        </div>
      )}
      <div aria-hidden="true" style={{ height: `${all - (offsets[to] ?? all)}px` }} />
    </>
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Layout<T> {
  readonly rows: readonly T[];
  /** Where each row begins; one more for the end. */
  readonly offsets: Float64Array;
}

function heightsOf(name: string): Map<string, number> {
  const known = kept.get(name) ?? new Map<string, number>();
  kept.set(name, known);
  return known;
}

function layOut<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  heights: ReadonlyMap<string, number>,
  usual: number,
): Layout<T> {
  const offsets = new Float64Array(rows.length + 1);
  let at = 0;
  for (const [index, row] of rows.entries()) {
    at += heights.get(keyOf(row)) ?? usual;
    offsets[index + 1] = at;
  }
  return { rows, offsets };
}

/** The rows that touch the stretch from `top` to `bottom`. */
export function within(offsets: Float64Array, top: number, bottom: number): Range {
  const count = offsets.length - 1;
  const from = Math.max(0, firstAfter(offsets, top) - 1);
  const to = Math.min(count, firstAfter(offsets, bottom));
  return { from: Math.min(from, count), to: Math.max(to, Math.min(from, count)) };
}

function firstAfter(offsets: Float64Array, at: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How far below the top of the list a row stands, though it may not be in the page yet. */
export function offsetOf<T>(
  name: string,
  rows: readonly T[],
  keyOf: (row: T) => string,
  usual: number,
  index: number,
): number {
  return layOut(rows, keyOf, heightsOf(name), usual).offsets[index] ?? 0;
}
