import { formatDuration } from '../time/duration.ts';

/** A moment as people write it, in the machine's own time zone: `2026-11-15 20:31:07`. */
export function momentWords(ms: number): string {
  const date = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `3 min ago`, `in 2 h`, `now`; `–` where there is none. */
export function distanceWords(ms: number | null, now: number): string {
  if (ms === null) return '–';
  const distance = ms - now;
  if (Math.abs(distance) < 1000) return 'now';
  return distance < 0 ? `${formatDuration(-distance)} ago` : `in ${formatDuration(distance)}`;
}

export function countWords(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** `low_relevance` → `low relevance`. */
export function plainWords(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Millionths of a US dollar as people write them: `$0.0512`, `$12.00`. */
export function dollarWords(microUsd: number): string {
  const dollars = microUsd / 1e6;
  return `$${dollars.toFixed(dollars > 0 && dollars < 1 ? 4 : 2)}`;
}
