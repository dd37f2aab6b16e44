/** Where the operator named no address of its own. */
const NO_ADDRESS = 'https://kawaraban.example';
/** As in `package.json`; a test compares. */
const VERSION = '0.2.0';

/** Discord asks every client for `DiscordBot (url, version)`, and may block those that call themselves otherwise. */
export function discordUserAgent(contact: string | undefined): string {
  const url = /^https?:\/\/[\x21-\x7e]+$/.test(contact ?? '')
    ? contact?.replace(/[(),]/g, encodeURIComponent)
    : NO_ADDRESS;
  return `DiscordBot (${url}, ${VERSION})`;
}
