const LINE_CHARS = { latin: 84, wide: 38 };
const LINES_A_PAGE = 42;

/** A small, valid PDF 1.4 with real text in it, of any script. */
export function pdf(title: string, paragraphs: readonly string[]): Buffer {
  const latin = [title, ...paragraphs].every(isLatin);
  const lines = [title, '', ...paragraphs.flatMap((text) => [...wrap(text, latin), ''])];
  const pages = chunk(lines, LINES_A_PAGE);
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const catalog = add('<< /Type /Catalog /Pages 2 0 R >>');
  add('');
  const font = latin ? add(HELVETICA) : addWideFont(add, [...new Set(lines.join(''))]);
  const kids = pages.map((page) => {
    const content = add(stream(pageContent(page, latin)));
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 ${font} 0 R >> >> /Contents ${content} 0 R >>`,
    );
  });
  objects[1] = `<< /Type /Pages /Kids [${kids.map((id) => `${id} 0 R`).join(' ')}] /Count ${kids.length} >>`;
  const info = add(`<< /Title <${utf16('\ufeff', title)}> /Producer (simulator) >>`);
  return assemble(objects, catalog, info);
}

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

function isLatin(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function wrap(text: string, latin: boolean): string[] {
  if (!latin) return chunk([...text], LINE_CHARS.wide).map((part) => part.join(''));
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length >= LINE_CHARS.latin) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** Codes are UTF-16 units; the ToUnicode map declares it for text extraction. */
function addWideFont(add: (body: string) => number, characters: readonly string[]): number {
  const units = [...new Set(characters.join('').split(''))].map((unit) => unit.charCodeAt(0));
  const pairs = units.map((unit) => `<${hex4(unit)}> <${hex4(unit)}>`);
  const blocks = chunk(pairs, 100).map((part) => `${part.length} beginbfchar\n${part.join('\n')}\nendbfchar`);
  const toUnicode = add(
    stream(
      `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Units def /CMapType 2 def\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n${blocks.join('\n')}\nendcmap CMapName currentdict /CMap defineresource pop end end`,
    ),
  );
  const descriptor = add(
    '<< /Type /FontDescriptor /FontName /Plain /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>',
  );
  const descendant = add(
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Plain /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} 0 R /DW 1000 >>`,
  );
  return add(
    `<< /Type /Font /Subtype /Type0 /BaseFont /Plain /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${toUnicode} 0 R >>`,
  );
}

function pageContent(lines: readonly string[], latin: boolean): string {
  const shown = lines.map((line) =>
    latin ? `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*` : `<${utf16('', line)}> Tj T*`,
  );
  return `BT /F1 12 Tf 17 TL 60 780 Td\n${shown.join('\n')}\nET`;
}

function assemble(objects: readonly string[], catalog: number, info: number): Buffer {
  let out = '%PDF-1.4\n';
  const offsets = objects.map((body, i) => {
    const at = out.length;
    out += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const xref = out.length;
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  out += offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  out += `trailer\n<< /Size ${objects.length + 1} /Root ${catalog} 0 R /Info ${info} 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(out, 'latin1');
}

function stream(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

function utf16(prefix: string, text: string): string {
  return (prefix + text)
    .split('')
    .map((unit) => hex4(unit.charCodeAt(0)))
    .join('');
}

function hex4(unit: number): string {
  return unit.toString(16).toUpperCase().padStart(4, '0');
}

function chunk<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
}
