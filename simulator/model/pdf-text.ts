/** The text of the simulator's own PDFs, which are not compressed; `null` when the bytes are no PDF with pages. */
export function pdfText(bytes: Buffer): string | null {
  const source = bytes.toString('latin1');
  if (!source.startsWith('%PDF-') || !/\/Type\s*\/Page\b/.test(source)) return null;
  const shown = [...source.matchAll(/\(((?:[^()\\]|\\.)*)\) Tj|<([0-9A-Fa-f]+)> Tj/g)];
  return shown
    .map(([, latin, hex]) => (hex === undefined ? unescaped(latin ?? '') : fromHex(hex)))
    .join('\n');
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

function fromHex(hex: string): string {
  return (hex.match(/.{4}/g) ?? []).map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join('');
}
