/** Encodings in which the simulated world publishes. */
export type Encoding = 'utf-8' | 'shift_jis' | 'euc-jp';

/** Text in bytes of the encoding; what it cannot represent becomes a numeric character reference, as publishers do. */
export function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const table = tableOf(encoding);
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const known = code < 0x80 ? [code] : table.get(character);
    bytes.push(...(known ?? Buffer.from(`&#${code};`, 'latin1')));
  }
  return Buffer.from(bytes);
}

const tables = new Map<Encoding, Map<string, readonly number[]>>();

/** Node only decodes these. Decoding every possible pair of bytes once gives the inverse. */
function tableOf(encoding: 'shift_jis' | 'euc-jp'): Map<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known) return known;
  const table = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(encoding);
  const learn = (bytes: readonly number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes);
  };
  if (encoding === 'shift_jis') for (let byte = 0xa1; byte <= 0xdf; byte++) learn([byte]);
  else for (let byte = 0xa1; byte <= 0xdf; byte++) learn([0x8e, byte]);
  const leads = encoding === 'shift_jis' ? [...range(0x81, 0x9f), ...range(0xe0, 0xfc)] : range(0xa1, 0xfe);
  const trails = encoding === 'shift_jis' ? range(0x40, 0xfc) : range(0xa1, 0xfe);
  for (const lead of leads) for (const trail of trails) learn([lead, trail]);
  tables.set(encoding, table);
  return table;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
