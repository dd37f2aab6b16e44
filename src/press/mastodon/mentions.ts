/**
 * Mastodon finds mentions in addresses, too: an `@` begins one unless a letter, a digit, `_`, `=` or `/` stands before it
 * (`Account::MENTION_RE`). So `/@user` in an address is harmless, and `,@user` is not.
 */
const NO_MENTION = '=/\\p{L}\\p{M}\\p{N}\\p{Pc}';
const MENTION_SIGN = new RegExp(`(?<![${NO_MENTION}])@`, 'gu');
const BEFORE_HOST = new RegExp(`([^${NO_MENTION}])@`, 'gu');
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The same address, percent-encoded where Mastodon would find a mention in it; servers read it as before. */
export function linkWithoutMention(url: string): string {
  const authority = AUTHORITY.exec(url)?.[0] ?? '';
  // The sign between a user and a host has to stay, so the character before it is encoded.
  const host = authority.replace(BEFORE_HOST, (_, before: string) => `${percent(before)}@`);
  return host + url.slice(authority.length).replace(MENTION_SIGN, '%40');
}

function percent(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  );
}
