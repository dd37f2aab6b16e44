import { languageOf, webAddress } from './text.tsx';

/** An address ends before the punctuation of the sentence around it, and before a closing bracket that it did not open. */
const ADDRESS = /https?:\/\/[^\s<>"'「」『』（）、。]+/gu;
const TRAILING = /[.,:;!?]+$/u;

const MAX_LENGTH = 2000;

/** Text of a person; its web addresses are links. */
export function LinkedText({ text: whole }: { readonly text: string }) {
  const text = whole.length > MAX_LENGTH ? `${whole.slice(0, MAX_LENGTH).toWellFormed()}…` : whole;
  return (
    <bdi lang={languageOf(text)} class="foreign linked">
      {partsOf(text).map((part, index) =>
        part.href === null ? (
          part.text
        ) : (
          <a key={index} href={part.href} target="_blank" rel="noopener noreferrer ugc">
            {part.text}
          </a>
        ),
      )}
    </bdi>
  );
}

interface Part {
  readonly text: string;
  readonly href: string | null;
}

export function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutTrailing(match[0]);
    const href = webAddress(address);
    if (href === null) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), href: null });
    parts.push({ text: address, href });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}

function withoutTrailing(address: string): string {
  let cut = address.replace(TRAILING, '');
  while (cut.endsWith(')') && cut.split('(').length < cut.split(')').length)
    cut = cut.slice(0, -1).replace(TRAILING, '');
  return cut;
}
