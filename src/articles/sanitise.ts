import sanitizeHtml, { type Attributes, type IOptions, type Tag, type Transformer } from 'sanitize-html';
import { plainText } from '../feeds/plain-text.ts';
import { textToHtml } from '../feeds/text-html.ts';
import { MAX_ENTRY_TEXT_BYTES } from '../reader/entry-store.ts';
import { cutHtml } from './cut-html.ts';
import { embeddedVideo, fileLabel, webLink } from './links.ts';
import { pictureAttributes } from './pictures.ts';

export interface SanitiseOptions {
  /** Where the HTML came from, to resolve relative addresses; a `base` element in it counts more. */
  readonly baseUrl: string;
}

/** Longer input is cut before it is parsed. */
const MAX_INPUT_LENGTH = 1_500_000;
/** Elements that are nested deeper in the result lose their tags. */
const MAX_NESTING = 60;
/** The time to parse grows with the square of the nesting; no article comes near this. */
const MAX_INPUT_NESTING = 1_000;
/** Tags and references of one article. */
const MAX_MARKS = 100_000;

const KEPT = (
  'p div h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code figure figcaption hr br wbr a img ' +
  'table caption thead tbody tfoot tr th td details summary ' +
  'b strong i em u s del ins mark small sub sup q cite abbr dfn kbd samp var ruby rt rp bdi bdo'
).split(' ');
const RENAMED: Readonly<Record<string, string>> = {
  h1: 'h2',
  section: 'div',
  article: 'div',
  main: 'div',
  header: 'div',
  footer: 'div',
  aside: 'div',
  address: 'div',
  center: 'div',
  hgroup: 'div',
  fieldset: 'div',
  tt: 'code',
  strike: 's',
  listing: 'pre',
};
/** Removed with what they contain. */
const REMOVED = (
  'script style noscript template svg math object applet embed canvas iframe amp-iframe frame frameset noframes noembed ' +
  'textarea option select button input dialog xmp plaintext title link meta portal marquee'
).split(' ');
const POLICY: IOptions = {
  allowedTags: KEPT,
  allowedAttributes: {
    '*': ['lang', 'dir'],
    a: ['href', 'title', 'rel', 'target'],
    img: ['src', 'srcset', 'alt', 'title', 'width', 'height', 'loading', 'decoding'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    ol: ['start', 'reversed', 'type'],
    li: ['value'],
    abbr: ['title'],
    code: ['class'],
    pre: ['class'],
    details: ['open'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  nonTextTags: REMOVED,
  nestingLimit: MAX_NESTING,
  parseStyleAttributes: false,
};

/**
 * HTML of a feed or a page as the reader shows it (R10): headings, paragraphs, lists, quotes, code, tables, figures, links
 * and pictures stay, all addresses are absolute. Nothing remains that runs, styles, submits, frames or counts readers.
 * Embedded videos and audio become links. At most `MAX_ENTRY_TEXT_BYTES`.
 */
export function sanitiseArticle(html: string, { baseUrl }: SanitiseOptions): string {
  // A frame has an end tag in HTML; written as in XML it would swallow the rest.
  const input = html.slice(0, MAX_INPUT_LENGTH).replace(/<iframe([^<>]*)\/>/gi, '<iframe$1></iframe>');
  if (!isParseable(input))
    return cutHtml(textToHtml(plainText(input, MAX_INPUT_LENGTH)), MAX_ENTRY_TEXT_BYTES);
  return cutHtml(withoutEmptyBlocks(new ArticleSanitiser(baseUrl).run(input)).trim(), MAX_ENTRY_TEXT_BYTES);
}

/** One run: what it has to know of the elements around the current one. */
class ArticleSanitiser {
  #base: string;
  /** Open audio and video elements: only a link to the first file remains of them. */
  #media: { linked: boolean }[] = [];
  /** `srcset` of the first source of the open picture element. */
  #pictureSource: string | undefined;
  /** The next text is a label of our own. */
  #labelled = false;

  constructor(base: string) {
    this.#base = base;
  }

  run(html: string): string {
    return sanitizeHtml(html, {
      ...POLICY,
      transformTags: this.#transforms(),
      onOpenTag: (name) => {
        if (isMedia(name)) this.#media.push({ linked: false });
        else if (name === 'picture') this.#pictureSource = undefined;
      },
      onCloseTag: (name) => {
        if (isMedia(name)) this.#media.pop();
        else if (name === 'picture') this.#pictureSource = undefined;
      },
      textFilter: (text) => {
        if (this.#media.length > 0 && !this.#labelled) return '';
        this.#labelled = false;
        return text;
      },
    });
  }

  /** A tag that is not kept must not be renamed: the library would close the next one by the wrong name. */
  #transforms(): Record<string, Transformer> {
    const transforms: Record<string, Transformer> = {};
    for (const name of KEPT)
      transforms[name] = (tagName, given) => ({ tagName, attribs: keptAttributes(name, given) });
    for (const [name, tagName] of Object.entries(RENAMED))
      transforms[name] = (_, given) => ({ tagName, attribs: keptAttributes(tagName, given) });
    for (const name of ['img', 'image', 'amp-img']) transforms[name] = (_, given) => this.#picture(given);
    for (const name of [...MEDIA, 'source'])
      transforms[name] = (tagName, given) => this.#file(tagName, given);
    for (const name of ['iframe', 'amp-iframe'])
      transforms[name] = (tagName, given) => this.#frame(tagName, given);
    transforms.a = (_, given) => this.#link(given);
    transforms.base = (tagName, given) => {
      this.#base = webLink(given.href, this.#base) ?? this.#base;
      return { tagName, attribs: {} };
    };
    return transforms;
  }

  #link(given: Attributes): Tag {
    const mail = /^\s*mailto:[^\s"'<>]{1,300}$/i.test(given.href ?? '') ? given.href?.trim() : undefined;
    const href = mail ?? webLink(given.href, this.#base);
    if (href === null || this.#media.length > 0) return { tagName: 'a', attribs: {} };
    return { tagName: 'a', attribs: { ...keptAttributes('abbr', given), ...linkAttributes(href) } };
  }

  /** One without attributes is removed at the end. */
  #picture(given: Attributes): Tag {
    const shown = this.#media.length > 0 ? null : pictureAttributes(given, this.#base, this.#pictureSource);
    return { tagName: 'img', attribs: shown ?? {} };
  }

  #file(tagName: string, given: Attributes): Tag {
    const media = this.#media.at(-1);
    if (media === undefined) {
      this.#pictureSource ??= given.srcset ?? given['data-srcset'];
      return { tagName, attribs: {} };
    }
    const url = webLink(given.src || given['data-src'], this.#base);
    if (media.linked || url === null) return { tagName, attribs: {} };
    media.linked = true;
    return this.#labelledLink(url, fileLabel(url));
  }

  #frame(tagName: string, given: Attributes): Tag {
    const video = embeddedVideo(webLink(given.src || given['data-src'], this.#base));
    if (video === null) return { tagName, attribs: {} };
    return this.#labelledLink(video.url, given.title?.trim().slice(0, 300) || video.site);
  }

  #labelledLink(url: string, text: string): Tag {
    this.#labelled = true;
    return { tagName: 'a', attribs: linkAttributes(url), text };
  }
}

const MEDIA: readonly string[] = ['video', 'audio', 'amp-video', 'amp-audio'];

function isMedia(name: string): boolean {
  return MEDIA.includes(name);
}

function linkAttributes(href: string): Attributes {
  return { href, rel: 'noopener noreferrer nofollow', target: '_blank' };
}

const VALID_ATTRIBUTE: Readonly<Record<string, RegExp>> = {
  lang: /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/i,
  dir: /^(?:ltr|rtl|auto)$/i,
  colspan: /^[1-9]\d{0,2}$/,
  rowspan: /^[1-9]\d{0,2}$/,
  scope: /^(?:row|col|rowgroup|colgroup)$/i,
  start: /^-?\d{1,6}$/,
  value: /^-?\d{1,6}$/,
  reversed: /^(?:reversed)?$/i,
  open: /^(?:open)?$/i,
  type: /^[1aAiI]$/,
  title: /^.{1,2000}$/s,
};
const CODE_LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|brush:)[-:\s]\s?([\w+#.-]{1,30})(?:\s|;|$)/i;

/** Only what the policy names, and only with values that mean something. */
function keptAttributes(name: string, attributes: Attributes): Attributes {
  const kept: Record<string, string> = {};
  for (const allowed of [...listed('*'), ...listed(name)]) {
    const value = attributes[allowed];
    if (value === undefined) continue;
    if (allowed === 'class') {
      const language = CODE_LANGUAGE.exec(value.slice(0, 300))?.[1];
      if (language !== undefined) kept.class = `language-${language.toLowerCase()}`;
    } else if (VALID_ATTRIBUTE[allowed]?.test(value)) kept[allowed] = value;
  }
  return kept;
}

function listed(name: string): readonly string[] {
  const attributes = POLICY.allowedAttributes === false ? undefined : POLICY.allowedAttributes?.[name];
  return (attributes ?? []).filter((attribute) => typeof attribute === 'string');
}

/** Tags that HTML closes by itself, which a long page may leave open by the thousand. */
const SELF_CLOSING =
  /^(?:p|li|d[dt]|t[drh]|thead|tbody|tfoot|colgroup|option|optgroup|r[btp]|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;

/** Counts tags without parsing: what is nested without end, or is nothing but markup, is hostile. */
function isParseable(html: string): boolean {
  let depth = 0;
  let marks = 0;
  for (const [mark, slash, name] of html.matchAll(/[<&](?:(\/?)([a-z][a-z0-9-]{0,30}))?/gi)) {
    if (++marks > MAX_MARKS) return false;
    if (mark.startsWith('&') || name === undefined || SELF_CLOSING.test(name.toLowerCase())) continue;
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1;
    if (depth > MAX_INPUT_NESTING) return false;
  }
  return true;
}

/** What is left of a tracker, an advertisement or a removed form. Nested ones go from the inside to the outside. */
function withoutEmptyBlocks(html: string): string {
  let result = html.replaceAll('<img />', '');
  for (let round = 0; round < 4; round++) {
    const next = result.replace(
      /<(p|div|figure|figcaption|blockquote|pre|code|li|ul|ol|h[2-6]|a|b|strong|i|em)(?:\s[^<>]*)?>\s*<\/\1>/g,
      '',
    );
    if (next.length === result.length) break;
    result = next;
  }
  return result;
}
