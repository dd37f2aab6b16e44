/**
 * Masks secrets in all output (X7), in two ways, since neither is complete: values registered when they were read, in
 * every encoding in which they are sent; and patterns that only secrets match.
 */

export const MASK = '[masked]';

/** Shorter values are words like "test": masking them would make lines unreadable and protect nothing. */
const MIN_SECRET_LENGTH = 6;

const registered = new Map<string, number>();
let known: RegExp | null = null;

/** Masks this value in all output from now on, until disposed (for tests). */
export function registerSecret(value: string): Disposable {
  const forms = formsOf(value);
  for (const form of forms) registered.set(form, (registered.get(form) ?? 0) + 1);
  known = null;
  return {
    [Symbol.dispose]() {
      for (const form of forms.splice(0)) {
        const count = (registered.get(form) ?? 0) - 1;
        if (count > 0) registered.set(form, count);
        else registered.delete(form);
      }
      known = null;
    },
  };
}

/** Replaces everything that is, or looks like, a secret. JSON stays valid. */
export function maskSecrets(text: string): string {
  let masked = text;
  if (registered.size > 0) {
    // Longest first, so that no part of a longer secret remains.
    known ??= new RegExp(
      [...registered.keys()]
        .toSorted((one, other) => other.length - one.length)
        .map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
        .join('|'),
      'g',
    );
    masked = masked.replace(known, MASK);
  }
  for (const [shape, replacement] of SHAPES) masked = masked.replace(shape, replacement);
  return masked;
}

/** Names of fields whose value is always masked. */
export const SECRET_FIELD =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|client_?secret|token|access_?token|refresh_?token|api_?key|x-api-key|x-goog-api-key|webhook(_?url)?)$/i;

const SHAPES: readonly (readonly [shape: RegExp, replacement: string])[] = [
  // A webhook's address is its password, on whatever host (a proxy, a test) it is called.
  [/(\/api\/(?:v\d+\/)?webhooks\/\d+\/)[\w-]{6,}/g, `$1${MASK}`],
  [/\b(Bearer|Bot|Basic|Token)\s+[\w~+/.=-]{8,}/g, `$1 ${MASK}`],
  [
    /([?&;\s"'(]|^)((?:api[_-]?|access[_-]?|client[_-]?|auth[_-]?)?(?:key|token|secret|password|passwd|signature|sig))=(?!\[masked\])[^\s&"'\\<>)]+/gi,
    `$1$2=${MASK}`,
  ],
  [/(\bhttps?:\/\/)[^\s/@"'\\:]+(?::[^\s/@"'\\]*)?@/gi, `$1${MASK}@`],
  // Keys of Google and of OpenAI-compatible services, and JSON Web Tokens.
  [/\bAIza[\w-]{30,}/g, MASK],
  [/\bsk-[\w-]{16,}/g, MASK],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, MASK],
];

function formsOf(value: string): string[] {
  const trimmed = value.trim();
  if (trimmed.length < MIN_SECRET_LENGTH) return [];
  const base64 = Buffer.from(trimmed).toString('base64');
  return [
    ...new Set([
      trimmed,
      encodeURIComponent(trimmed.toWellFormed()),
      JSON.stringify(trimmed).slice(1, -1),
      base64.replace(/=+$/, ''),
      Buffer.from(trimmed).toString('base64url'),
    ]),
  ];
}
