/**
 * How a message at a destination compares to ours: `same`, by its key or all of its content; `alike`, with the same links in
 * other words, which may be ours only if the destination has changed it; or another message.
 */
export type Likeness = 'same' | 'alike' | 'other';

/** Whether two texts say the same, whatever a service did to white space and invisible characters. */
export function saysTheSame(a: string, b: string): boolean {
  return visible(a) === visible(b);
}

function visible(text: string): string {
  return text.normalize('NFC').replace(/[\s\p{Cf}]+/gu, '');
}
