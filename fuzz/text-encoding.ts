import { decodeText } from '../src/fetch/text-encoding.ts';

/** Seed inputs. */
export const seeds: readonly string[] = [
  '<?xml version="1.0" encoding="Shift_JIS"?><rss/>',
  '<meta charset="euc-jp">',
  '<meta http-equiv="Content-Type" content="text/html; charset=utf-16">',
  '\u001b$B$"\u001b(B',
  '図書館',
];

/** Any bytes under any label become text, without throwing and with bounded growth. */
export function target(data: Uint8Array | string): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  const label = Buffer.from(bytes.subarray(0, 24)).toString('latin1');
  for (const contentType of [undefined, `text/html; charset=${label}`, 'text/html; charset=shift_jis'])
    for (const kind of [{ xml: true }, { html: true }, {}]) {
      const { text } = decodeText(bytes, contentType, kind);
      if (text.length > bytes.length + 8) throw new Error('the text is longer than its bytes');
    }
}
