import type { Ask, Reply } from '../net/exchange.ts';
import { json, noContent } from '../net/reply.ts';
import { readForm } from './body.ts';
import {
  emptyMessage,
  foreignMessage,
  invalidForm,
  invalidJson,
  methodNotAllowed,
  missingAccess,
  missingPermissions,
  notATextChannel,
  notFound,
  unknownChannel,
  unknownMessage,
} from './errors.ts';
import { checkForm, checkThreadName, type MessageForm } from './form.ts';
import { type Channel, type Guild, type Message, userOf } from './guild.ts';
import { isSnowflake } from './snowflake.ts';

export interface BotContext {
  readonly botId: string;
  readonly guildId: string;
  readonly nonceMs: number;
}

/** `/channels/{id}` with its messages and threads, for a bot with a valid token. */
export async function botRoute(
  ask: Ask,
  steps: readonly string[],
  guild: Guild,
  context: BotContext,
): Promise<Reply> {
  const [kind, id = '', below, messageId] = steps;
  if (kind === 'guilds') return activeThreads(ask, steps, guild, context);
  if (kind !== 'channels') return notFound();
  if (!isSnowflake(id)) {
    return invalidForm([
      { at: 'channel_id', code: 'NUMBER_TYPE_COERCE', message: `Value "${id}" is not snowflake.` },
    ]);
  }
  const channel = guild.channels.get(id);
  if (!channel) return unknownChannel();
  if (channel.bot === 'nothing') return missingAccess();
  if (below === undefined)
    return ask.method === 'GET' ? json(describe(channel, guild, context)) : methodNotAllowed();
  // Threads of the simulator are never archived.
  if (below === 'threads' && messageId === 'archived' && ask.method === 'GET')
    return json({ threads: [], members: [], has_more: false });
  if (below === 'threads' && ask.method === 'POST') return startThread(ask, channel, guild, context);
  if (below !== 'messages') return notFound();
  if (messageId !== undefined) return one(ask, channel, guild, messageId, context);
  if (ask.method === 'GET') return list(ask, channel, guild);
  return ask.method === 'POST' ? create(ask, channel, guild, context) : methodNotAllowed();
}

function describe({ id, type, name, parentId }: Channel, guild: Guild, context: BotContext): object {
  const messages = guild.inChannel(id);
  const common = {
    id,
    type,
    name,
    flags: 0,
    guild_id: context.guildId,
    parent_id: parentId ?? null,
    rate_limit_per_user: 0,
    last_message_id: messages.at(-1)?.id ?? null,
  };
  if (type !== 11) return { ...common, position: 0, permission_overwrites: [], topic: null, nsfw: false };
  return {
    ...common,
    owner_id: context.botId,
    // The first message of a post is not counted.
    message_count: Math.max(0, messages.length - 1),
    total_message_sent: Math.max(0, messages.length - 1),
    member_count: 1,
    thread_metadata: {
      archived: false,
      archive_timestamp: messages[0]?.timestamp ?? null,
      auto_archive_duration: 4320,
      locked: false,
    },
  };
}

/** `/guilds/{id}/threads/active`: those that the bot may see, whatever channel they are in. */
function activeThreads(ask: Ask, steps: readonly string[], guild: Guild, context: BotContext): Reply {
  const [, id, below, last] = steps;
  if (id !== context.guildId || below !== 'threads' || last !== 'active') return notFound();
  if (ask.method !== 'GET') return methodNotAllowed();
  const seen = guild.threadsIn().filter(({ bot }) => bot !== 'nothing');
  return json({ threads: seen.map((thread) => describe(thread, guild, context)).reverse(), members: [] });
}

async function create(ask: Ask, channel: Channel, guild: Guild, context: BotContext): Promise<Reply> {
  if (channel.bot === 'read') return missingPermissions();
  if (channel.type === 15) return notATextChannel();
  const form = await checked(ask);
  if ('status' in form) return form;
  const earlier = form.enforce_nonce ? sameNonce(form, guild, context, ask.now) : undefined;
  return json(earlier ?? guild.post(channel, form, author(context), ask.now));
}

/** The form of a new message, or what is wrong with it. */
async function checked(ask: Ask): Promise<MessageForm | Reply> {
  const form = await readForm(ask);
  if (!form) return invalidJson();
  const problems = checkForm(form);
  if (problems.length > 0) return invalidForm(problems);
  return form.content || form.embeds?.length ? form : emptyMessage();
}

/** With `enforce_nonce`, a message of the same author and nonce of the last minutes is the answer. */
function sameNonce(form: MessageForm, guild: Guild, context: BotContext, now: number): Message | undefined {
  if (form.nonce === undefined) return undefined;
  return guild.messages.find(
    (message) =>
      message.author.id === context.botId &&
      message.nonce !== undefined &&
      String(message.nonce) === String(form.nonce) &&
      Date.parse(message.timestamp) > now - context.nonceMs,
  );
}

function author({ botId }: BotContext): Message['author'] {
  return { ...userOf(botId, 'kawaraban'), bot: true };
}

/** Newest first; `before`, `after` and `around` are exclusive of each other. */
function list(ask: Ask, channel: Channel, guild: Guild): Reply {
  const limit = Number(ask.query.get('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    const code = limit > 100 ? 'NUMBER_TYPE_MAX' : 'NUMBER_TYPE_MIN';
    const message = `int value should be ${limit > 100 ? 'less than or equal to 100' : 'greater than or equal to 1'}.`;
    return invalidForm([{ at: 'limit', code, message }]);
  }
  const before = idOf(ask.query.get('before'));
  const after = idOf(ask.query.get('after'));
  const found = guild
    .inChannel(channel.id)
    .filter(({ id }) => (before === null || BigInt(id) < before) && (after === null || BigInt(id) > after))
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  const page = after !== null && before === null ? found.slice(0, limit) : found.slice(-limit);
  return json(page.reverse().map(withoutNonce));
}

function idOf(text: string | null): bigint | null {
  return text !== null && /^\d{1,20}$/.test(text) ? BigInt(text) : null;
}

/** Discord returns the nonce to the creator of the message, not to later readers. */
function withoutNonce(message: Message): Omit<Message, 'nonce'> {
  const { nonce: _, ...rest } = message;
  return rest;
}

async function one(
  ask: Ask,
  channel: Channel,
  guild: Guild,
  id: string,
  context: BotContext,
): Promise<Reply> {
  const message = guild.find(channel.id, id);
  if (!message) return unknownMessage();
  if (ask.method === 'GET') return json(withoutNonce(message));
  if (ask.method === 'DELETE') {
    guild.remove(message);
    return noContent();
  }
  if (ask.method !== 'PATCH') return methodNotAllowed();
  if (message.author.id !== context.botId) return foreignMessage();
  const form = await readForm(ask);
  if (!form) return invalidJson();
  const problems = checkForm(form);
  return problems.length > 0 ? invalidForm(problems) : json(withoutNonce(guild.edit(message, form, ask.now)));
}

/** A post in a forum: a thread and its first message. */
async function startThread(ask: Ask, channel: Channel, guild: Guild, context: BotContext): Promise<Reply> {
  if (channel.bot === 'read') return missingPermissions();
  let asked: { name?: string; message?: MessageForm };
  try {
    asked = JSON.parse(ask.body.toString('utf8')) as typeof asked;
  } catch {
    return invalidJson();
  }
  if (!asked.name)
    return invalidForm([{ at: 'name', code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }]);
  if (channel.type === 15 && !asked.message) {
    return invalidForm([{ at: 'message', code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }]);
  }
  const problems = [
    ...checkThreadName('name', asked.name),
    ...checkForm(asked.message ?? {}).map((p) => ({ ...p, at: `message.${p.at}` })),
  ];
  if (problems.length > 0) return invalidForm(problems);
  if (asked.message && !asked.message.content && !asked.message.embeds?.length) return emptyMessage();
  const thread = guild.startThread(channel, asked.name, ask.now);
  const message = asked.message && guild.post(thread, asked.message, author(context), ask.now);
  return json({ ...describe(thread, guild, context), ...(message ? { message } : {}) }, 201);
}
