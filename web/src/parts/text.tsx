import type { DetailPart } from '../detail-text.ts';

/** No list shows more than this of one text, and laying out what nobody sees would hold the page up. */
const MOST = 700;

/** Words from outside: plain text, kept apart from the direction of the text around it. */
export function Foreign({ text, most = MOST }: { readonly text: string; readonly most?: number }) {
  const shown =
    text.length > most
      ? `${text
          .slice(0, most)
          .toWellFormed()
          .replace(/\uFFFD$/, '')}…`
      : text;
  return (
    <bdi lang={languageOf(text)} class="foreign">
      {shown}
    </bdi>
  );
}

/** Details of the server; what others said is marked as a quotation. */
export function Detail(props: { readonly parts: readonly DetailPart[]; readonly most?: number }) {
  return props.parts.map(({ text, isQuotation }, index) => (
    <span key={text}>
      {index > 0 && ' · '}
      {isQuotation ? (
        <q>
          <Foreign text={text} {...(props.most !== undefined && { most: props.most })} />
        </q>
      ) : (
        <bdi>{text}</bdi>
      )}
    </span>
  ));
}

/** Kana are Japanese; other text is left to the browser. Lets long titles break between phrases. */
export function languageOf(text: string): string | undefined {
  return /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text.slice(0, 500)) ? 'ja' : undefined;
}

/** Only addresses of the web become links, whatever is stored. */
export function webAddress(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? url : null;
}

export function hostOf(url: string | null): string | null {
  const safe = webAddress(url);
  return safe === null ? null : new URL(safe).host.replace(/^www\./, '');
}
