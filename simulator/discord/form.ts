import type { FormProblem } from './errors.ts';

/** A message as a client sends it. Unknown fields are ignored, as Discord does. */
export interface MessageForm {
  readonly content?: string;
  readonly embeds?: readonly Embed[];
  readonly username?: string;
  readonly avatar_url?: string;
  readonly tts?: boolean;
  readonly nonce?: string | number;
  readonly enforce_nonce?: boolean;
  readonly thread_name?: string;
  readonly flags?: number;
  readonly allowed_mentions?: AllowedMentions;
}

export interface AllowedMentions {
  readonly parse?: readonly string[];
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
}

export interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly url?: string;
  readonly color?: number;
  readonly timestamp?: string;
  readonly footer?: { readonly text?: string; readonly icon_url?: string };
  readonly author?: { readonly name?: string; readonly url?: string };
  readonly image?: { readonly url?: string };
  readonly thumbnail?: { readonly url?: string };
  readonly fields?: readonly { readonly name?: string; readonly value?: string; readonly inline?: boolean }[];
}

const LARGEST_COLOUR = 0xffffff;
const MAX_EMBEDS_LENGTH = 6000;

/** Everything that Discord would reject in the form. */
export function checkForm(form: MessageForm): FormProblem[] {
  const check = new Check();
  check.text('content', form.content, 2000);
  check.text('nonce', form.nonce === undefined ? undefined : String(form.nonce), 25);
  if (form.username !== undefined) check.username(form.username);
  if (form.thread_name !== undefined)
    check.problems.push(...checkThreadName('thread_name', form.thread_name));
  if (form.tts !== undefined && typeof form.tts !== 'boolean')
    check.add('tts', 'BOOLEAN_TYPE_CONVERT', 'Must be either true or false.');
  if (form.flags !== undefined) check.integer('flags', form.flags);
  const embeds = form.embeds ?? [];
  if (!Array.isArray(embeds)) {
    check.add('embeds', 'BASE_TYPE_BAD_TYPE', 'Only iterables may be used in a ListType.');
    return check.problems;
  }
  if (embeds.length > 10) check.add('embeds', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  for (const [i, embed] of embeds.entries()) checkEmbed(check, `embeds.${i}`, embed as Embed);
  if (check.problems.length === 0 && embedSize(embeds) > MAX_EMBEDS_LENGTH) {
    check.add('embeds', 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${MAX_EMBEDS_LENGTH}`);
  }
  checkMentions(check, form.allowed_mentions);
  return check.problems;
}

/** Discord's own: 1 to 100 characters. */
export function checkThreadName(at: string, name: unknown): FormProblem[] {
  const length = typeof name === 'string' ? lengthOf(name) : 0;
  if (length >= 1 && length <= 100) return [];
  return [{ at, code: 'BASE_TYPE_BAD_LENGTH', message: 'Must be between 1 and 100 in length.' }];
}

function checkEmbed(check: Check, at: string, embed: Embed): void {
  if (typeof embed !== 'object' || embed === null || Array.isArray(embed)) {
    check.add(at, 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a ModelType');
    return;
  }
  check.text(`${at}.title`, embed.title, 256);
  check.text(`${at}.description`, embed.description, 4096);
  check.url(`${at}.url`, embed.url);
  check.url(`${at}.image.url`, embed.image?.url);
  check.url(`${at}.thumbnail.url`, embed.thumbnail?.url);
  if (embed.footer) check.required(`${at}.footer.text`, embed.footer.text, 2048);
  if (embed.author) check.required(`${at}.author.name`, embed.author.name, 256);
  if (embed.color !== undefined) check.colour(`${at}.color`, embed.color);
  if (embed.timestamp !== undefined && Number.isNaN(Date.parse(embed.timestamp))) {
    check.add(
      `${at}.timestamp`,
      'DATE_TIME_TYPE_PARSE',
      `Could not parse ${embed.timestamp}. Should be ISO8601.`,
    );
  }
  const fields = embed.fields ?? [];
  if (!Array.isArray(fields)) {
    check.add(`${at}.fields`, 'BASE_TYPE_BAD_TYPE', 'Only iterables may be used in a ListType.');
    return;
  }
  if (fields.length > 25) check.add(`${at}.fields`, 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
  for (const [i, field] of fields.entries()) {
    check.required(`${at}.fields.${i}.name`, field.name, 256);
    check.required(`${at}.fields.${i}.value`, field.value, 1024);
  }
}

function checkMentions(check: Check, allowed: AllowedMentions | undefined): void {
  for (const [i, kind] of (allowed?.parse ?? []).entries())
    if (!['roles', 'users', 'everyone'].includes(kind))
      check.add(
        `allowed_mentions.parse.${i}`,
        'BASE_TYPE_CHOICES',
        "Value must be one of ('roles', 'users', 'everyone').",
      );
  for (const kind of ['users', 'roles'] as const)
    for (const [i, id] of (allowed?.[kind] ?? []).entries())
      if (!/^\d{1,20}$/.test(String(id)))
        check.add(`allowed_mentions.${kind}.${i}`, 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`);
  for (const kind of ['users', 'roles'] as const) {
    if (allowed?.parse?.includes(kind) && (allowed[kind]?.length ?? 0) > 0) {
      const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
      check.add('allowed_mentions', 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', message);
    }
  }
}

function embedSize(embeds: readonly Embed[]): number {
  let size = 0;
  for (const embed of embeds) {
    const parts = [embed.title, embed.description, embed.footer?.text, embed.author?.name];
    for (const field of embed.fields ?? []) parts.push(field.name, field.value);
    for (const part of parts) size += lengthOf(part ?? '');
  }
  return size;
}

/** Discord counts code points. */
function lengthOf(text: string): number {
  return [...text].length;
}

class Check {
  readonly problems: FormProblem[] = [];

  add(at: string, code: string, message: string): void {
    this.problems.push({ at, code, message });
  }

  text(at: string, value: unknown, longest: number): void {
    if (value === undefined || value === null) return;
    if (typeof value !== 'string')
      this.add(at, 'STRING_TYPE_CONVERT', `Could not interpret "${JSON.stringify(value)}" as string.`);
    else if (lengthOf(value) > longest) {
      this.add(at, 'BASE_TYPE_MAX_LENGTH', `Must be ${longest} or fewer in length.`);
    }
  }

  required(at: string, value: unknown, longest: number): void {
    if (value === undefined || value === null || value === '') {
      this.add(at, 'BASE_TYPE_REQUIRED', 'This field is required');
    } else this.text(at, value, longest);
  }

  url(at: string, value: unknown): void {
    if (value === undefined || value === null) return;
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(String(value))?.[1]?.toLowerCase();
    if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
      this.add(at, 'URL_TYPE_INVALID_SCHEME', `"${scheme}": Scheme must be one of ('http', 'https').`);
    } else if (!URL.canParse(String(value))) this.add(at, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
  }

  integer(at: string, value: unknown): boolean {
    if (Number.isInteger(value)) return true;
    this.add(at, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`);
    return false;
  }

  colour(at: string, value: unknown): void {
    if (!this.integer(at, value)) return;
    if ((value as number) > LARGEST_COLOUR || (value as number) < 0) {
      this.add(at, 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${LARGEST_COLOUR}.`);
    }
  }

  username(value: unknown): void {
    const length = typeof value === 'string' ? lengthOf(value) : 0;
    if (length < 1 || length > 80) {
      this.add('username', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 80 in length.');
    } else if (/discord|clyde/i.test(String(value))) {
      const word = /clyde/i.test(String(value)) ? 'clyde' : 'discord';
      this.add('username', 'USERNAME_INVALID_CONTAINS', `Username cannot contain "${word}"`);
    }
  }
}
