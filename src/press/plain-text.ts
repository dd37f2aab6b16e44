/**
 * Text from outside made safe to say: one line, no control or direction characters, and nothing in it that a service
 * could take for a mention.
 */
export function plainLine(text: string): string {
  return defuseMentions(text.replace(INVISIBLE, '').replace(/\s+/gu, ' ').trim());
}

/** Controls and format characters (direction, zero width, tags), except line breaks and the joiners that scripts and emoji need. */
const INVISIBLE = /[[\p{Cc}\p{Cf}]--[\n\r\t\u200C\u200D]]/gv;

/** A word joiner after the sign: it looks the same and addresses nobody. */
const JOINER = '\u2060';

export function defuseMentions(text: string): string {
  return text.replace(/[@＠](?=[\p{L}\p{N}_&!#])/gu, `$&${JOINER}`).replace(/<(?=[@#:/t])/gu, `<${JOINER}`);
}
