import { Cron } from 'croner';
import { z } from 'zod';
import { shorten } from '../../item/shorten.ts';
import { parseDuration } from '../../time/duration.ts';
import { suggestion } from '../problems.ts';
import { LITERAL_SECRET, Secret } from '../secrets.ts';
import { parseSize } from '../size.ts';
import { choice, isGroup, section } from './section.ts';

/** Message for a value that is not `what`: what to write, and the present value. */
function expectedMessage(what: string): z.core.$ZodErrorMap {
  return (issue) =>
    issue.input === undefined
      ? `is missing: write ${what}`
      : `must be ${what}, not ${displayValue(issue.input)}`;
}

/** A value as shown in a message: short, and in words where YAML parsed it to another type than meant. */
export function displayValue(value: unknown): string {
  if (value === undefined || value === null) return 'empty';
  if (typeof value === 'string') return `"${shorten(value, 61)}"`;
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `the switch ${value}`;
  return Array.isArray(value) ? 'a list' : 'a group of keys';
}

/** A text; `what` describes it, as in "the name of a model, such as gemma3". */
export function text(what: string, least = 1, most = 500) {
  return z
    .string({ error: textMessage(what) })
    .trim()
    .refine((value) => within([...value].length, least, most), {
      error: (issue) => `must be ${what} (${least} to ${most} characters), not ${displayValue(issue.input)}`,
    });
}

/** YAML parses `2024` and `yes` to other types than text: advise quotes. */
function textMessage(what: string): z.core.$ZodErrorMap {
  return (issue) => {
    const plain = typeof issue.input === 'number' || typeof issue.input === 'boolean';
    const cure = plain ? `: put it in quotes, "${String(issue.input)}"` : '';
    return issue.input === undefined
      ? `is missing: write ${what}`
      : `must be ${what}, not ${displayValue(issue.input)}${cure}`;
  };
}

export function whole(least: number, most: number) {
  const what = `a whole number from ${least} to ${most}`;
  return z
    .int({ error: expectedMessage(what) })
    .min(least, { error: expectedMessage(what) })
    .max(most, { error: expectedMessage(what) });
}

export function amount(what: string, least = 0) {
  const words = `${what}, a number of at least ${least}`;
  return z.number({ error: expectedMessage(words) }).min(least, { error: expectedMessage(words) });
}

export function toggle() {
  return z.boolean({ error: expectedMessage('true or false') });
}

/** One of a few words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, {
    error: (issue) => {
      const list = words.join(', ');
      if (issue.input === undefined) return `is missing: write one of ${list}`;
      if (typeof issue.input !== 'string') return `must be one of ${list}, not ${displayValue(issue.input)}`;
      return `must be one of ${list}, not ${displayValue(issue.input)}: ${suggestion(issue.input, words)}`;
    },
  });
}

/** A list without duplicates. */
export function list<Entry extends z.ZodType>(entry: Entry, what: string, least = 0, most = 10_000) {
  const words = `a list of ${what}`;
  return z
    .array(entry, { error: expectedMessage(words) })
    .min(least, { error: `is empty: name at least ${least} (${what})` })
    .max(most, { error: `has too many entries: at most ${most} (${what})` })
    .readonly();
}

/** A duration; in the program a number of milliseconds. */
export function duration(least = 0, most = Number.POSITIVE_INFINITY) {
  const what = 'a length of time such as 90s, 30m, 2.5h or 7d';
  return z.string({ error: expectedMessage(what) }).transform((written, context) => {
    const ms = parseDuration(written);
    if (ms !== null && within(ms, least, most)) return ms;
    const limits =
      ms === null
        ? ''
        : `, from ${shortDuration(least)}${Number.isFinite(most) ? ` to ${shortDuration(most)}` : ''}`;
    context.issues.push({
      code: 'custom',
      input: written,
      message: `must be ${what}${limits}, not ${displayValue(written)}`,
    });
    return z.NEVER;
  });
}

function shortDuration(ms: number): string {
  for (const [unit, name] of [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'm'],
    [1000, 's'],
  ] as const)
    if (ms >= unit && ms % unit === 0) return `${ms / unit}${name}`;
  return `${ms}ms`;
}

/** A retention time; `keep` (for ever) is `null` in the program. */
export function keepTime() {
  const what = 'a length of time such as 90d, or `keep` for ever';
  return z.string({ error: expectedMessage(what) }).transform((written, context) => {
    if (written.trim() === 'keep') return null;
    const ms = parseDuration(written);
    if (ms !== null && ms >= 86_400_000) return ms;
    const message = `must be ${what} (at least 1d), not ${displayValue(written)}`;
    context.issues.push({ code: 'custom', input: written, message });
    return z.NEVER;
  });
}

/** A number of bytes, written with its unit. */
export function size(least = 0, most = 1024 ** 4) {
  const what = 'a size such as 512KB or 10MB';
  return z.string({ error: expectedMessage(what) }).transform((written, context) => {
    const bytes = parseSize(written);
    if (bytes !== null && within(bytes, least, most)) return bytes;
    context.issues.push({
      code: 'custom',
      input: written,
      message: `must be ${what}, not ${displayValue(written)}`,
    });
    return z.NEVER;
  });
}

/** A cron expression of five fields, optionally with seconds as the first of six. */
export function cron() {
  const what = 'a cron expression in quotes, such as "0 9 * * *" (every day at 09:00)';
  return z
    .string({ error: expectedMessage(what) })
    .trim()
    .refine(isCron, { error: expectedMessage(what) });
}

function isCron(written: string): boolean {
  try {
    return new Cron(written, { paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
}

export function timeZone() {
  const what = 'a time zone such as Asia/Tokyo, Europe/Berlin or UTC';
  return z
    .string({ error: expectedMessage(what) })
    .trim()
    .refine(isTimeZone, { error: expectedMessage(what) });
}

/** Those that were valid: a check takes milliseconds, and most pipelines name the same one. */
const validTimeZones = new Set<string>();

function isTimeZone(written: string): boolean {
  if (written === '') return false;
  if (validTimeZones.has(written)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: written });
  } catch {
    return false;
  }
  validTimeZones.add(written);
  return true;
}

/** A BCP 47 language tag. */
export function language() {
  const what = 'a language such as en, ja or pt-BR';
  return z
    .string({ error: expectedMessage(what) })
    .trim()
    .refine(isLanguage, { error: expectedMessage(what) });
}

function isLanguage(written: string): boolean {
  try {
    return Intl.getCanonicalLocales(written).length === 1;
  } catch {
    return false;
  }
}

function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** An http(s) URL without a password. `what` describes it, as in "the address of the feed". */
export function address(what: string) {
  return z
    .string({
      error: (issue) =>
        issue.input === undefined
          ? `is missing: write ${what}, such as https://example.com/feed.xml`
          : `must be ${what}, not ${displayValue(issue.input)}`,
    })
    .trim()
    .transform((written, context) => {
      const problem = addressProblem(written);
      if (problem === null) return written;
      context.issues.push({
        code: 'custom',
        input: null,
        message: `${problem}: write ${what}, with https:// in front`,
      });
      return z.NEVER;
    });
}

/** Why this URL is not allowed in the file, without repeating a password in it. */
function addressProblem(written: string): string | null {
  const url = URL.parse(written);
  if (url === null || !/^https?:\/\//i.test(written))
    return `${mayHideSecret(written) ? 'this' : displayValue(written)} is not a web address`;
  if (url.username !== '' || url.password !== '')
    return 'a user name or password in an address is a secret and may not stand here';
  if (isDiscordWebhook(url))
    return 'a Discord webhook address is a secret and may not stand here; write { env: NAME } or { file: path }';
  return null;
}

/** Even a part of a URL can contain a whole secret. */
function mayHideSecret(written: string): boolean {
  return /[@?=&#]|webhook|token|key/i.test(written);
}

function isDiscordWebhook(url: URL): boolean {
  return /(^|\.)discord(app)?\.com$/.test(url.hostname) && url.pathname.includes('/webhooks/');
}

/** `host:port` of a service. */
export function hostAndPort(what: string) {
  const message = `must be ${what} as host:port, such as localhost:6379`;
  return z
    .string({
      error: (issue) => (issue.input === undefined ? `is missing: write ${what} as host:port` : message),
    })
    .trim()
    .regex(/^(\[[0-9a-f:.]+\]|[^\s:/@]+):\d{1,5}$/i, { error: message });
}

/** Reference to a secret, never its value. Messages of this schema do not repeat the text of the file. */
export function secret(what: string) {
  return choice(
    {
      env: section({
        env: z
          .string({ error: 'must be the name of an environment variable, such as MY_TOKEN' })
          .regex(/^[A-Z_][A-Z0-9_]{0,99}$/, {
            error:
              'must be the name of an environment variable in capital letters, such as MY_TOKEN, not the secret itself',
          })
          .describe('Name of the environment variable that contains the secret.'),
      }),
      file: section({
        file: z
          .string({ error: 'must be the path of a file that holds nothing but the secret' })
          .min(1, { error: 'must be the path of a file that holds nothing but the secret' })
          .describe('Path of a file that contains nothing but the secret, relative to this one.'),
      }),
    },
    (value) => {
      if (value === undefined)
        return { message: `is missing: write ${what} as \`{ env: NAME }\` or \`{ file: path }\`` };
      if (!isGroup(value)) return { message: LITERAL_SECRET };
      if ('env' in value === 'file' in value)
        return { message: `write ${what} as either \`{ env: NAME }\` or \`{ file: path }\`` };
      return 'env' in value ? 'env' : 'file';
    },
  ).transform((place) => new Secret(place));
}

/** Path of a PEM file. `what` describes its content, as in "the certificate". */
export function pemFile(what: string) {
  return text(`the path of a PEM file with ${what}`);
}

/** TLS of outgoing connections: whether, or with which certificates. `other` names the other side, as in "Redis". */
export function clientTls(other: string) {
  return choice(
    {
      toggle: toggle(),
      group: section({
        ca: pemFile('certificates of authorities')
          .exactOptional()
          .describe(
            `PEM file with the authorities that sign the certificate of ${other}; those of the system when absent. Read again when it changes.`,
          ),
        certificate: pemFile('the certificate')
          .exactOptional()
          .describe(`PEM file with the certificate that this program presents to ${other} (mTLS).`),
        key: pemFile('the private key').exactOptional().describe('PEM file with its private key.'),
        server_name: text('a host name', 1, 253)
          .exactOptional()
          .describe(`Name in the certificate of ${other}, if it differs from the host in its address.`),
      }),
    },
    (value) => (isGroup(value) ? 'group' : 'toggle'),
  );
}

/** A URL, or a reference to a secret one (a private webhook). */
export function openOrSecretAddress(what: string) {
  return choice({ open: address(what), secret: secret(what) }, (value) =>
    isGroup(value) ? 'secret' : 'open',
  );
}
