import type { Embed, MessageForm } from './form.ts';
import { Snowflakes } from './snowflake.ts';

/** 0 text, 11 public thread, 15 forum: Discord's numbers. */
export type ChannelType = 0 | 11 | 15;

export interface Channel {
  readonly id: string;
  readonly type: ChannelType;
  readonly name: string;
  readonly parentId?: string;
  /** What the bot may do here. */
  readonly bot: 'all' | 'read' | 'nothing';
}

export interface Webhook {
  readonly id: string;
  readonly token: string;
  readonly channelId: string;
  readonly name: string;
}

export interface DiscordUser {
  readonly id: string;
  readonly username: string;
  readonly avatar: string | null;
  readonly discriminator: string;
  readonly global_name: string | null;
  readonly public_flags: number;
  readonly flags: number;
  readonly bot?: true;
}

/** A user with no settings of its own. */
export function userOf(id: string, username: string, discriminator = '0'): DiscordUser {
  return { id, username, avatar: null, discriminator, global_name: null, public_flags: 0, flags: 0 };
}

/** A message as Discord returns it. */
export interface Message {
  readonly id: string;
  readonly type: 0;
  readonly channel_id: string;
  readonly content: string;
  readonly embeds: readonly (Embed & { readonly type: 'rich' })[];
  readonly author: DiscordUser;
  readonly timestamp: string;
  readonly edited_timestamp: string | null;
  readonly mentions: readonly DiscordUser[];
  readonly mention_roles: readonly string[];
  readonly mention_everyone: boolean;
  readonly attachments: readonly unknown[];
  readonly components: readonly unknown[];
  readonly pinned: boolean;
  readonly tts: boolean;
  readonly flags: number;
  readonly webhook_id?: string;
  readonly nonce?: string | number;
}

/** One server with its channels: everything that was ever posted, in order. */
export class Guild {
  readonly channels = new Map<string, Channel>();
  readonly webhooks = new Map<string, Webhook>();
  #messages: Message[] = [];
  readonly #ids = new Snowflakes();

  get messages(): readonly Message[] {
    return this.#messages;
  }

  addChannel(channel: Channel): Channel {
    this.channels.set(channel.id, channel);
    return channel;
  }

  addWebhook(webhook: Webhook): Webhook {
    this.webhooks.set(webhook.id, webhook);
    return webhook;
  }

  startThread(parent: Channel, name: string, now: number): Channel {
    const id = this.#ids.next(now);
    return this.addChannel({ id, type: 11, name, parentId: parent.id, bot: parent.bot });
  }

  threadsIn(parentId?: string): Channel[] {
    return [...this.channels.values()].filter(
      (channel) => channel.type === 11 && (parentId === undefined || channel.parentId === parentId),
    );
  }

  inChannel(channelId: string): Message[] {
    return this.#messages.filter((message) => message.channel_id === channelId);
  }

  find(channelId: string, id: string): Message | undefined {
    return this.#messages.find((message) => message.id === id && message.channel_id === channelId);
  }

  post(
    channel: Channel,
    form: MessageForm,
    author: Message['author'],
    now: number,
    webhookId?: string,
  ): Message {
    // The first message of a post in a forum has the ID of its thread.
    const parent = channel.parentId === undefined ? undefined : this.channels.get(channel.parentId);
    const isFirst = parent?.type === 15 && this.inChannel(channel.id).length === 0;
    const message: Message = {
      id: isFirst ? channel.id : this.#ids.next(now),
      type: 0,
      channel_id: channel.id,
      ...contentOf(form),
      author,
      timestamp: isoTime(now),
      edited_timestamp: null,
      attachments: [],
      components: [],
      pinned: false,
      tts: form.tts ?? false,
      flags: form.flags ?? 0,
      ...(webhookId === undefined ? {} : { webhook_id: webhookId }),
      ...(form.nonce === undefined || webhookId !== undefined ? {} : { nonce: form.nonce }),
    };
    this.#messages.push(message);
    return message;
  }

  edit(message: Message, form: MessageForm, now: number): Message {
    const kept: MessageForm = { content: message.content, embeds: message.embeds };
    const edited = { ...message, ...contentOf({ ...kept, ...form }), edited_timestamp: isoTime(now) };
    this.#messages = this.#messages.map((other) => (other.id === message.id ? edited : other));
    return edited;
  }

  remove(message: Message): void {
    this.#messages = this.#messages.filter((other) => other.id !== message.id);
  }

  clear(): void {
    this.#messages = [];
    for (const { id } of this.threadsIn()) this.channels.delete(id);
  }

  /** Restores the saved state of an earlier run. */
  restore(messages: readonly Message[]): void {
    this.#messages = [...messages];
  }
}

/** Discord writes microseconds and an explicit offset. */
function isoTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000+00:00');
}

type RenderedContent = Pick<
  Message,
  'content' | 'embeds' | 'mentions' | 'mention_roles' | 'mention_everyone'
>;

/** The content and whom it mentions: without `allowed_mentions`, everyone it names. */
function contentOf(form: MessageForm): RenderedContent {
  const content = form.content ?? '';
  const allowed = form.allowed_mentions;
  const may = (kind: 'users' | 'roles', id: string): boolean =>
    !allowed || allowed.parse?.includes(kind) === true || allowed[kind]?.includes(id) === true;
  const everyone = !allowed || allowed.parse?.includes('everyone') === true;
  const named = (pattern: RegExp): string[] => [
    ...new Set([...content.matchAll(pattern)].map((m) => m[1] ?? '')),
  ];
  return {
    content,
    embeds: (form.embeds ?? []).map((embed) => ({
      ...embed,
      ...(embed.fields && { fields: embed.fields.map((field) => ({ inline: false, ...field })) }),
      type: 'rich' as const,
    })),
    mentions: named(/<@!?(\d+)>/g)
      .filter((id) => may('users', id))
      .map((id) => userOf(id, `user-${id}`)),
    mention_roles: named(/<@&(\d+)>/g).filter((id) => may('roles', id)),
    mention_everyone: everyone && /@(everyone|here)\b/.test(content),
  };
}
