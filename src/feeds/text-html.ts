/** Longer texts are cut: nothing that a source describes itself with is longer. */
const MAX_TEXT_LENGTH = 300_000;
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u3000-\u3002\uff00-\uffef]{1,2000}/g;
/** Punctuation after an address belongs to the sentence. */
const AFTER_ADDRESS = /[.,:;!?)\]}'’”]+$/;

/** Plain text as HTML: blank lines separate paragraphs, line ends stay, addresses become links. */
export function textToHtml(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replace(/\r\n?/g, '\n')
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${withLinks(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('');
}

function withLinks(text: string): string {
  let html = '';
  let from = 0;
  for (const { index, 0: match } of text.matchAll(ADDRESS)) {
    const address = escapeHtml(match.replace(AFTER_ADDRESS, ''));
    html += `${escapeHtml(text.slice(from, index))}<a href="${address}">${address}</a>`;
    from = index + match.replace(AFTER_ADDRESS, '').length;
  }
  return html + escapeHtml(text.slice(from));
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
