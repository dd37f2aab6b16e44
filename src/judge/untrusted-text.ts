import { randomBytes } from 'node:crypto';

/** Control, bidi, invisible and tag characters, which hide text from a reader. */
const INVISIBLE_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffc]|[\ufe00-\ufe0f]|\u034f|[\u17b4\u17b5]|[\u180b-\u180d\u180f]|[\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/gu;

/** Removes what a reader cannot see. Line ends stay. */
export function visibleText(text: string): string {
  return text.normalize('NFC').replace(INVISIBLE_CHARACTERS, '');
}

const IMAGE_OR_LINK = /!?\[([^\]\n]{0,300})\]\s?\([^)\n]{0,2000}\)/g;
const REFERENCE_LINK = /!?\[([^\]\n]{0,300})\]\s?\[[^\]\n]{0,300}\]/g;
const ANGLE_BRACKETS = /<[^<>\n]{1,2000}>/g;
/**
 * Schemes without slashes are words of usual texts too ("Research data: …", "JavaScript: …", "Hotel: …"): an address begins with
 * the scheme and goes on without a space, and one of data has a media type, a parameter or the comma.
 */
const URL_PATTERN =
  /(?:[a-z0-9+.-]{0,20}:\/\/|www\.|(?<![a-z0-9+.-])(?:(?:javascript|vbscript|mailto|tel|discord):(?=[\w/%+(?#&'"*$~-])|data:(?=[\w.+-]{1,100}\/[a-z0-9]|[;,]\S)))[^\s、。，．「」『』（）()<>"']*/giu;
/** example.com, example.com/path, discord.gg/x: shown as a link by many programs even without a scheme. */
const BARE_DOMAIN =
  /(?<![a-z0-9])(?!asp\.net\b)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?[.．]){1,6}(?:com|net|org|io|gg|co|jp|dev|app|xyz|info|biz|me|ly|to|tv|cc|ru|cn|uk|de|fr|eu|us|ai|link|click|site|online|top|shop|zip|mov|example|test|invalid|onion)(?![a-z0-9-])(?:[/:?#][^\s、。「」『』（）()]*)?/giu;
const FEDERATED_MENTION = /[@＠﹫][\p{L}\p{N}_.-]{1,100}[@＠﹫][\p{L}\p{N}.-]{1,200}/gu;
const MENTION = /[@＠﹫#＃](?=[\p{L}\p{N}_])/gu;
const MARKUP = /[`*_~|\\]{1,3}|^\s{0,3}(?:#{1,6}|>{1,3}|[-+])\s+/gm;

const MAX_ROUNDS = 16;

/**
 * Sanitises a model's text for publication: no links, no mentions, no markup, nothing invisible.
 * Links and names in what we publish come from the ledger, never from a model (X6).
 */
export function sanitiseModelText(text: string): string {
  let words = visibleText(text).replace(/[\r\n\t\u2028\u2029]+/g, ' ');
  // A removal can join the halves of another match, so this repeats until nothing changes.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = words;
    words = words
      .replace(IMAGE_OR_LINK, '$1')
      .replace(REFERENCE_LINK, '$1')
      .replace(ANGLE_BRACKETS, '')
      .replace(FEDERATED_MENTION, '')
      .replace(URL_PATTERN, '')
      .replace(BARE_DOMAIN, '')
      .replace(MENTION, '')
      .replace(MARKUP, '');
    if (words === before) words = tidy(words);
    if (words === before) break;
  }
  return tidy(words);
}

function tidy(words: string): string {
  return words
    .replace(/[<>@＠﹫]/g, '')
    .replace(/\(\s*\)|（\s*）|\[\s*\]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/\s+([、。,.!?！？])/g, '$1')
    .trim();
}

/** Creates unguessable names. */
export type FenceNames = () => string;

export const randomFenceName: FenceNames = () => randomBytes(12).toString('hex');

/**
 * Puts text from outside between two lines that it cannot contain: the fence has a new random name for every question, so an article
 * cannot close it and add instructions (X6). Invisible characters are removed.
 */
export interface Fence {
  readonly name: string;
  enclose(sections: readonly { readonly label: string; readonly text: string }[]): string;
}

export function createFence(texts: readonly string[], names: FenceNames = randomFenceName): Fence {
  let name = names();
  for (let tries = 0; tries < 20 && texts.some((text) => text.includes(name)); tries++) name = names();
  return {
    name,
    enclose(sections) {
      return sections
        .map(({ label, text }) => {
          const body = visibleText(text).split(name).join('');
          return `<<<${label} ${name}>>>\n${body}\n<<<END ${label} ${name}>>>`;
        })
        .join('\n\n');
    },
  };
}
