import type { Ask, Reply } from '../net/exchange.ts';
import { json, noContent } from '../net/reply.ts';
import { readForm } from './body.ts';
import {
  emptyMessage,
  invalidForm,
  invalidJson,
  invalidWebhookToken,
  methodNotAllowed,
  needsThread,
  noForum,
  notFound,
  oneThreadOnly,
  unknownChannel,
  unknownMessage,
  unknownWebhook,
} from './errors.ts';
import { checkForm, type MessageForm } from './form.ts';
import { type Channel, type Guild, type Message, userOf, type Webhook } from './guild.ts';
import { isSnowflake } from './snowflake.ts';

/** `/webhooks/{id}/{token}` and its messages. */
export async function webhookRoute(ask: Ask, steps: readonly string[], guild: Guild): Promise<Reply> {
  const [, id = '', token, below, messageId] = steps;
  if (!isSnowflake(id)) {
    return invalidForm([
      { at: 'webhook_id', code: 'NUMBER_TYPE_COERCE', message: `Value "${id}" is not snowflake.` },
    ]);
  }
  const webhook = guild.webhooks.get(id);
  if (!webhook) return unknownWebhook();
  if (token !== webhook.token) return invalidWebhookToken();
  if (below === undefined) {
    if (ask.method === 'GET') return json(describe(webhook));
    return ask.method === 'POST' ? execute(ask, webhook, guild) : methodNotAllowed();
  }
  if (below !== 'messages' || messageId === undefined) return notFound();
  return one(ask, webhook, guild, messageId);
}

function describe({ id, token, channelId, name }: Webhook): unknown {
  return {
    application_id: null,
    avatar: null,
    channel_id: channelId,
    guild_id: null,
    id,
    name,
    type: 1,
    token,
  };
}

async function execute(ask: Ask, webhook: Webhook, guild: Guild): Promise<Reply> {
  const form = await readForm(ask);
  if (!form) return invalidJson();
  const problems = checkForm(form);
  if (problems.length > 0) return invalidForm(problems);
  if (!form.content && !form.embeds?.length) return emptyMessage();
  const place = placeOf(ask, form, webhook, guild);
  if ('status' in place) return place;
  const message = guild.post(place, form, authorOf(webhook, form), ask.now, webhook.id);
  return ask.query.get('wait') === 'true' ? json(message) : noContent();
}

/** The channel or thread of the message, or the reason why there is none. */
function placeOf(ask: Ask, form: MessageForm, webhook: Webhook, guild: Guild): Channel | Reply {
  const channel = guild.channels.get(webhook.channelId);
  if (!channel) return unknownChannel();
  const threadId = ask.query.get('thread_id');
  if (threadId !== null) {
    if (form.thread_name !== undefined) return oneThreadOnly();
    const thread = guild.channels.get(threadId);
    return thread?.parentId === channel.id ? thread : unknownChannel();
  }
  if (form.thread_name !== undefined) {
    return channel.type === 15 ? guild.startThread(channel, form.thread_name, ask.now) : noForum();
  }
  return channel.type === 15 ? needsThread() : channel;
}

function authorOf(webhook: Webhook, form: MessageForm): Message['author'] {
  return { ...userOf(webhook.id, form.username ?? webhook.name, '0000'), bot: true };
}

async function one(ask: Ask, webhook: Webhook, guild: Guild, messageId: string): Promise<Reply> {
  const place = ask.query.get('thread_id') ?? webhook.channelId;
  const message = guild.find(place, messageId);
  if (message?.webhook_id !== webhook.id) return unknownMessage();
  if (ask.method === 'GET') return json(message);
  if (ask.method === 'DELETE') {
    guild.remove(message);
    return noContent();
  }
  if (ask.method !== 'PATCH') return methodNotAllowed();
  const form = await readForm(ask);
  if (!form) return invalidJson();
  const problems = checkForm(form);
  return problems.length > 0 ? invalidForm(problems) : json(guild.edit(message, form, ask.now));
}
