import { MINUTE, SECOND } from '../../src/time/duration.ts';
import { type Ask, header, type Reply, type Service } from '../net/exchange.ts';
import { json } from '../net/reply.ts';
import { botRoute } from './bot.ts';
import { discordError, notFound, unauthorized } from './errors.ts';
import { Guild, type Message, userOf } from './guild.ts';
import { type Limit, RateLimits } from './rate-limit.ts';
import { webhookRoute } from './webhook.ts';

export interface DiscordOptions {
  /** `false` switches them off; Discord's own by default. */
  readonly limits?: Partial<DiscordLimits> | false;
  /** For how long a nonce is stored. */
  readonly nonceMs?: number;
}

export interface DiscordLimits {
  readonly webhook: Limit;
  readonly channel: Limit;
  readonly global: Limit;
}

const LIMITS: DiscordLimits = {
  webhook: { requests: 5, perMs: 2 * SECOND },
  channel: { requests: 5, perMs: 5 * SECOND },
  global: { requests: 50, perMs: SECOND },
};

const IDS = {
  newsroom: '1100000000000000001',
  forum: '1100000000000000002',
  readOnly: '1100000000000000003',
  secret: '1100000000000000004',
  webhook: '1100000000000000101',
  forumWebhook: '1100000000000000102',
  bot: '1100000000000000201',
  guild: '1100000000000000301',
};

/** What the simulated Discord offers besides its API. None of the tokens is a secret. */
export const DISCORD_TOKENS = {
  webhook: 'simulated-webhook-token-for-the-newsroom-channel-of-the-simulator-001',
  bot: 'simulated.bot.token',
};

/** Discord: one server, its webhooks and one bot. */
export class Discord implements Service {
  readonly #guild = new Guild();
  readonly #base: string;
  readonly #rates: RateLimits;
  readonly #limits: DiscordLimits | null;
  readonly #nonceMs: number;
  #revoked = false;

  constructor(base: string, options: DiscordOptions = {}) {
    this.#base = base;
    this.#limits = options.limits === false ? null : { ...LIMITS, ...options.limits };
    this.#rates = new RateLimits(this.#limits?.global ?? null);
    this.#nonceMs = options.nonceMs ?? 5 * MINUTE;
    const guild = this.#guild;
    guild.addChannel({ id: IDS.newsroom, type: 0, name: 'newsroom', bot: 'all' });
    guild.addChannel({ id: IDS.forum, type: 15, name: 'forum', bot: 'all' });
    guild.addChannel({ id: IDS.readOnly, type: 0, name: 'read-only', bot: 'read' });
    guild.addChannel({ id: IDS.secret, type: 0, name: 'secret', bot: 'nothing' });
    const token = DISCORD_TOKENS.webhook;
    guild.addWebhook({ id: IDS.webhook, token, channelId: IDS.newsroom, name: 'Kawaraban' });
    guild.addWebhook({ id: IDS.forumWebhook, token, channelId: IDS.forum, name: 'Kawaraban' });
  }

  errorReply = discordError;

  /** Channel IDs by what they are for. */
  readonly channels = {
    newsroom: IDS.newsroom,
    forum: IDS.forum,
    readOnly: IDS.readOnly,
    secret: IDS.secret,
  } as const;

  readonly botToken: string = DISCORD_TOKENS.bot;

  /** The base address for the bot's calls. */
  get apiUrl(): string {
    return `${this.#base}/api/v10`;
  }

  /** The webhook of the newsroom channel. */
  get webhookUrl(): string {
    return `${this.#base}/api/webhooks/${IDS.webhook}/${DISCORD_TOKENS.webhook}`;
  }

  /** The webhook of the forum channel. */
  get forumWebhookUrl(): string {
    return `${this.#base}/api/webhooks/${IDS.forumWebhook}/${DISCORD_TOKENS.webhook}`;
  }

  /** Everything that is in the channels now, oldest first. */
  messages(channelId?: string): readonly Message[] {
    return channelId === undefined ? this.#guild.messages : this.#guild.inChannel(channelId);
  }

  /** How often this was posted: counts messages with the text in their content or in an embed. */
  posted(text: string): number {
    return this.#guild.messages.filter(({ content, embeds }) => says([content, embeds], text)).length;
  }

  channelName(id: string): string {
    return this.#guild.channels.get(id)?.name ?? id;
  }

  /** From now on the bot's token and the webhooks are invalid. */
  revoke(): void {
    this.#revoked = true;
    this.#guild.webhooks.clear();
  }

  clear(): void {
    this.#guild.clear();
  }

  restore(messages: readonly Message[]): void {
    this.#guild.restore(messages);
  }

  /** The `User-Agent` values of all clients. */
  readonly userAgents = new Set<string>();

  async answer(ask: Ask): Promise<Reply> {
    this.userAgents.add(header(ask, 'user-agent') ?? '');
    const path = /^\/api(?:\/v\d+)?(\/.*)$/.exec(ask.path)?.[1];
    if (path === undefined) return notFound();
    const steps = path.split('/').slice(1).map(decodeURIComponent);
    return steps[0] === 'webhooks' ? this.#webhook(ask, steps) : this.#bot(ask, steps);
  }

  async #webhook(ask: Ask, steps: readonly string[]): Promise<Reply> {
    const route = `${ask.method} /webhooks${steps.length > 3 ? '/messages' : ''}`;
    return this.#limited(route, `${steps[1]}`, this.#limits?.webhook ?? null, ask.now, () =>
      webhookRoute(ask, steps, this.#guild),
    );
  }

  async #bot(ask: Ask, steps: readonly string[]): Promise<Reply> {
    if (this.#revoked || header(ask, 'authorization') !== `Bot ${this.botToken}`) return unauthorized();
    if (steps[0] === 'users') {
      const me = { ...userOf(IDS.bot, 'kawaraban'), bot: true };
      return steps[1] === '@me' ? json(me) : notFound();
    }
    const route = `${ask.method} /${steps[0]}/${steps[2] ?? ''}${steps.length > 3 ? '/one' : ''}`;
    return this.#limited(route, `${steps[1]}`, this.#limits?.channel ?? null, ask.now, () =>
      botRoute(ask, steps, this.#guild, { botId: IDS.bot, guildId: IDS.guild, nonceMs: this.#nonceMs }),
    );
  }

  async #limited(
    route: string,
    resource: string,
    limit: Limit | null,
    now: number,
    work: () => Promise<Reply>,
  ): Promise<Reply> {
    const consumed = this.#rates.take(route, resource, limit, now);
    if (isReply(consumed)) return consumed;
    const reply = await work();
    return { ...reply, headers: { ...reply.headers, ...consumed } };
  }
}

function isReply(value: Reply | Record<string, string>): value is Reply {
  return typeof value.status === 'number';
}

/** Whether any string in it contains the text. */
function says(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  return (
    typeof value === 'object' && value !== null && Object.values(value).some((inner) => says(inner, text))
  );
}
