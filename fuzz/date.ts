import { parseDate } from '../src/feeds/dates.ts';

/** Seed inputs. */
export const seeds: readonly string[] = [
  'Sun, 15 Nov 2026 08:30:00 GMT',
  'Sun Nov 15 08:30:00 JST 2026',
  'Nov. 15th, 2026 8:30 p.m.',
  '2026-11-15T08:30:00.123+09:00',
  '20261115T083000Z',
  '11/15/2026 8:30 PM',
  '2026年11月15日（日）午後3時5分',
  '令和8年11月15日 20:05',
  'R8.11.15',
  '1794731400',
];

/** Any text is a plausible date or none, and parsing it twice gives the same. */
export function target(data: Uint8Array | string): void {
  const text = typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
  const time = parseDate(text);
  if (time === null) return;
  if (!Number.isSafeInteger(time)) throw new Error('a time that is no whole number');
  if (time < Date.UTC(1971, 0, 1) - 86_400_000 || time > Date.UTC(2200, 0, 2))
    throw new Error('a time out of all bounds');
  if (parseDate(text) !== time) throw new Error('another time the second time');
  if (parseDate(new Date(time).toISOString()) !== time) throw new Error('its ISO form is read otherwise');
}
