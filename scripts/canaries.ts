import { randomBytes } from 'node:crypto';

/**
 * Secrets that exist only to be detected (X7). The whole test run has them in its environment under the names that
 * people use; if one of them appears in anything the run prints, something prints secrets.
 */
export function plantCanaries(): Readonly<Record<string, string>> {
  const chirp = (): string => `canary-${randomBytes(12).toString('hex')}`;
  return {
    KAWARABAN_CANARY: chirp(),
    GEMINI_API_KEY: chirp(),
    OPENAI_API_KEY: chirp(),
    YOUTUBE_API_KEY: chirp(),
    MASTODON_ACCESS_TOKEN: chirp(),
    DISCORD_BOT_TOKEN: chirp(),
    DISCORD_WEBHOOK_URL: `https://discord.com/api/webhooks/1/${chirp()}`,
  };
}

/** The names of the canaries in this text, also URL-encoded or in Base64. */
export function canariesIn(text: string, canaries: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(canaries)
    .filter(([, value]) => {
      const secret = value.slice(value.lastIndexOf('/') + 1);
      const forms = [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')];
      return forms.some((form) => text.includes(form));
    })
    .map(([name]) => name);
}
