import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { Reply } from '../net/exchange.ts';

/** How a site names its icon: in its feed, on its page as an icon for browsers, for phones or as a vector graphic, or not at all. */
export type IconKind = 'feed' | 'link' | 'touch' | 'svg' | 'none';

const CELLS = 5;

/** Type, size and content of an icon that a name always gets: a symmetric pattern on a colour. */
export function iconReply(name: string, format: 'png' | 'ico' | 'svg', edge = 64): Reply {
  const type = { png: 'image/png', ico: 'image/x-icon', svg: 'image/svg+xml' }[format];
  const body = { png: () => png(name, edge), ico: () => ico(png(name, 32)), svg: () => svg(name) }[format]();
  return { status: 200, headers: { 'content-type': type }, body };
}

interface Look {
  readonly colour: readonly [number, number, number];
  /** Whether a cell of the pattern is light. */
  isLight(column: number, row: number): boolean;
}

function lookOf(name: string): Look {
  const bytes = createHash('sha256').update(name).digest();
  const byte = (n: number): number => bytes[n % bytes.length] ?? 0;
  return {
    colour: [40 + (byte(0) % 150), 40 + (byte(1) % 150), 40 + (byte(2) % 150)],
    isLight: (column, row) => byte(3 + Math.min(column, CELLS - 1 - column) * CELLS + row) % 2 === 0,
  };
}

function svg(name: string): string {
  const { colour, isLight } = lookOf(name);
  const cells: string[] = [];
  for (let row = 0; row < CELLS; row++)
    for (let column = 0; column < CELLS; column++)
      if (isLight(column, row)) cells.push(`<rect x="${column + 1}" y="${row + 1}" width="1" height="1"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7"><rect width="7" height="7" fill="rgb(${colour.join(',')})"/><g fill="#fff">${cells.join('')}</g></svg>`;
}

function png(name: string, edge: number): Buffer {
  const { colour, isLight } = lookOf(name);
  const rows = Buffer.alloc((edge * 3 + 1) * edge);
  for (let y = 0; y < edge; y++)
    for (let x = 0; x < edge; x++) {
      const [column, row] = [x, y].map((at) => Math.floor((at * (CELLS + 2)) / edge) - 1) as [number, number];
      const isInside = [column, row].every((at) => at >= 0 && at < CELLS);
      const at = y * (edge * 3 + 1) + 1 + x * 3;
      rows.set(isInside && isLight(column, row) ? [255, 255, 255] : colour, at);
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  // 8 bits for each of red, green and blue.
  header.set([8, 2], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}

/** One picture of 32 pixels, as PNG. */
function ico(picture: Buffer): Buffer {
  const head = Buffer.alloc(22);
  head.set([0, 0, 1, 0, 1, 0, 32, 32], 0);
  head.set([1, 0, 24, 0], 10);
  head.writeUInt32LE(picture.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, picture]);
}
