const VOID = new Set(['br', 'hr', 'img', 'wbr', 'col']);
const BLOCKS = new Set(
  'p div h2 h3 h4 h5 h6 ul ol li dl dd dt blockquote pre table tr figure figcaption details hr'.split(' '),
);

/**
 * Cuts sanitised HTML at the end of the last block that fits into `maxBytes` of UTF-8, and closes what is open. Text without
 * blocks is cut inside.
 */
export function cutHtml(html: string, maxBytes: number): string {
  if (html.length * 3 <= maxBytes || Buffer.byteLength(html) <= maxBytes) return html;
  const tags = /<(\/?)([a-z][a-z0-9]*)[^<>]*>/g;
  const open: string[] = [];
  let bytes = 0;
  let read = 0;
  let cut = { at: 0, open: '' };
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    const [whole, slash, name = ''] = tag;
    const text = html.slice(read, tag.index);
    const closing = closingTags(open);
    const used = bytes + Buffer.byteLength(text);
    if (used + Buffer.byteLength(whole) + closing.length + name.length + 3 > maxBytes) {
      if (cut.at > read / 2) break;
      const room = maxBytes - bytes - closing.length;
      return html.slice(0, read) + cutText(text, room) + closing;
    }
    bytes = used + Buffer.byteLength(whole);
    read = tags.lastIndex;
    if (slash === '/') open.pop();
    else if (!VOID.has(name)) open.push(name);
    if (BLOCKS.has(name) && (slash === '/' || VOID.has(name))) cut = { at: read, open: closingTags(open) };
  }
  if (cut.at > 0) return html.slice(0, cut.at) + cut.open;
  const closing = closingTags(open);
  return html.slice(0, read) + cutText(html.slice(read), maxBytes - bytes - closing.length) + closing;
}

function closingTags(open: readonly string[]): string {
  return open
    .toReversed()
    .map((name) => `</${name}>`)
    .join('');
}

/** The beginning of an escaped text, without half a character or half a reference at its end. */
function cutText(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return '';
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes)).replace(/\ufffd+$/, '');
  return cut.length < text.length ? cut.replace(/&[a-z0-9#]{0,10}$/i, '') : cut;
}
