/**
 * Text from outside made safe to publish: one line, no control or direction characters, and nothing in it that a service
 * could take for a mention.
 */
export function plainLine(text: string): string {
  return defuseMentions(text.replace(INVISIBLE_CHARACTERS, '').replace(/\s+/gu, ' ').trim());
}

/** Controls and format characters (direction, zero width, tags), except line breaks and the joiners that scripts and emoji need. */
const INVISIBLE_CHARACTERS = /[[\p{Cc}\p{Cf}]--[\n\r\t\u200C\u200D]]/gv;

/** A word joiner after the sign: it looks the same and mentions no one. */
const WORD_JOINER = '\u2060';

export function defuseMentions(text: string): string {
  return text
    .replace(/[@＠](?=[\p{L}\p{N}_&!#])/gu, `$&${WORD_JOINER}`)
    .replace(/<(?=[@#:/t])/gu, `<${WORD_JOINER}`);
}

/**
 * How a message at a destination compares to ours: `same`, by its key or all of its content; `alike`, with the same links in
 * other words, which may be ours only if the destination has changed it; or another message.
 */
export type Similarity = 'same' | 'alike' | 'other';

/** Whether two texts are equal apart from white space and invisible characters, which services change. */
export function isSameText(a: string, b: string): boolean {
  return visibleCharacters(a) === visibleCharacters(b);
}

function visibleCharacters(text: string): string {
  return text.normalize('NFC').replace(/[\s\p{Cf}]+/gu, '');
}
