/** Media type of a raster image by its first bytes, whatever the server declares; `null` for anything else. */
export function sniffImageType(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp';
  if (head.slice(4, 8) === 'ftyp' && /^avi[fs]/.test(head.slice(8, 12))) return 'image/avif';
  return null;
}

/** The same for icons, which may also be ICO or SVG. An SVG has to be served with a policy that lets nothing run or load. */
export function sniffIconType(bytes: Uint8Array): string | null {
  if (bytes.length > 6 && bytes[0] === 0 && bytes[1] === 0 && bytes[2] === 1 && bytes[3] === 0)
    return 'image/x-icon';
  return sniffImageType(bytes) ?? (isSvg(bytes) ? 'image/svg+xml' : null);
}

/** Declarations and comments may precede the root; a document type may define entities, so that one is refused. */
function isSvg(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) return false;
  let at = 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at += 1;
    const closing = text.startsWith('<!--', at) ? '-->' : text.startsWith('<?', at) ? '?>' : null;
    if (closing === null) return /^<svg[\s>]/.test(text.slice(at, at + 5));
    const end = text.indexOf(closing, at + 2);
    if (end < 0) return false;
    at = end + closing.length;
  }
}
