import type { Config } from '../config/config.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { DailyCap } from '../outbox/daily-cap.ts';
import type { RevisionStore } from '../outbox/publishing-stores.ts';
import { pluginPublisher } from '../plugins/plugin-publisher.ts';
import { atomPublisher } from '../publishers/atom/atom.ts';
import { discordBot } from '../publishers/discord/bot.ts';
import { discordWebhook } from '../publishers/discord/webhook.ts';
import { mastodonPublisher } from '../publishers/mastodon/mastodon.ts';
import type { Publisher } from '../publishers/publisher.ts';
import type { RateLimits } from '../publishers/service-response.ts';
import { parseTemplate, type Template } from '../publishers/template.ts';
import { dropPublisher } from '../publishers/timeline/timeline.ts';
import { webhookPublisher } from '../publishers/webhook/webhook.ts';
import type { SocialStore, User } from '../social/social-store.ts';
import { type AuthorAccounts, findOrCreateAuthor } from '../social/user-accounts.ts';
import { OperationalError } from '../telemetry/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { Engine } from './engine.ts';

export interface PublisherDependencies {
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly social: SocialStore;
  readonly authors: AuthorAccounts;
  readonly clock: Clock;
  readonly log: Logger;
  /** Rate limits that services reported; one instance for the whole program. */
  readonly rateLimits: RateLimits;
}

/** The destinations of one pipeline. A drop's author is the pipeline itself unless the configuration names another. */
export async function buildPublishers(pipelineId: string, deps: PublisherDependencies): Promise<Publisher[]> {
  const pipeline = deps.config.pipelines[pipelineId];
  return Promise.all((pipeline?.publish ?? []).map((id) => buildPublisher(id, pipelineId, deps)));
}

/** One destination of a pipeline. It edits messages only if `updateEdited` is configured. */
export async function buildPublisher(
  id: string,
  pipelineId: string,
  deps: PublisherDependencies,
): Promise<Publisher> {
  const publisher = await createPublisher(id, pipelineId, deps);
  const settings = deps.config.publishers[id];
  if (settings !== undefined && 'updateEdited' in settings && settings.updateEdited) return publisher;
  const { revise: _, edit: __, ...withoutEditing } = publisher;
  return withoutEditing;
}

async function createPublisher(
  id: string,
  pipelineId: string,
  deps: PublisherDependencies,
): Promise<Publisher> {
  const { config, fetcher, social, authors, clock, rateLimits } = deps;
  const settings = config.publishers[id];
  const { contact } = config.network;
  switch (settings?.kind) {
    case 'discord-webhook': {
      const { url, thread, forum, username, colour } = settings;
      const template = templateOf(id, settings.template);
      return discordWebhook({
        id,
        url: () => url.reveal(),
        colour,
        template,
        forum,
        fetcher,
        clock,
        rateLimits,
        ...(contact !== undefined && { contact }),
        ...(thread !== undefined && { threadId: thread }),
        ...(username !== undefined && { username }),
      });
    }
    case 'mastodon': {
      const { instance, token, visibility, language, sensitive, contentWarning } = settings;
      const template = templateOf(id, settings.template);
      return mastodonPublisher({
        id,
        instance,
        token: () => token.reveal(),
        visibility,
        template,
        fetcher,
        clock,
        rateLimits,
        sensitive,
        ...(language !== undefined && { language }),
        ...(contentWarning !== undefined && { contentWarning: templateOf(id, contentWarning) }),
        ...(settings.images && { imageDescription: templateOf(id, settings.imageDescription) }),
      });
    }
    case 'timeline': {
      const author = settings.author ?? pipelineId;
      const name = config.pipelines[author]?.name ?? author;
      // A configured name may be that of a person: that is the owner's decision.
      const kinds = settings.author === undefined ? undefined : CONFIGURED_ACCOUNTS;
      const { id: authorId } = await findOrCreateAuthor(author, name, authors, kinds);
      return dropPublisher({ id, social, authorId, visibility: settings.visibility });
    }
    case 'discord-bot': {
      const { token, channel, forum, baseUrl, colour } = settings;
      const template = templateOf(id, settings.template);
      return discordBot({
        id,
        token: () => token.reveal(),
        channel,
        forum,
        colour,
        template,
        fetcher,
        clock,
        rateLimits,
        ...(contact !== undefined && { contact }),
        ...(baseUrl !== undefined && { baseUrl }),
      });
    }
    case 'atom':
      return atomPublisher(id);
    case 'webhook': {
      const { url, secret, authorization, timeout } = settings;
      return webhookPublisher({
        id,
        url: () => (typeof url === 'string' ? url : url.reveal()),
        timeoutMs: timeout,
        fetcher,
        ...(secret !== undefined && { secret: () => secret.reveal() }),
        ...(authorization !== undefined && { authorization: () => authorization.reveal() }),
      });
    }
    case 'plugin':
      return pluginPublisher({ id, pipeline: pipelineId, timeoutMs: settings.timeout }, deps);
    case undefined:
      throw new PublisherSettingError(id, 'there is no such publisher');
  }
}

function templateOf(publisher: string, source: string): Template {
  const parsed = parseTemplate(source, { plain: true });
  if (!parsed.ok) throw new PublisherSettingError(publisher, parsed.problem);
  return parsed.template;
}

const CONFIGURED_ACCOUNTS: readonly User['kind'][] = ['pipeline', 'person'];

export class PublisherSettingError extends OperationalError {
  readonly kind = 'bad_config';
  override readonly name = 'PublisherSettingError';
  readonly publisher: string;
  constructor(publisher: string, problem: string) {
    super(`publishers.${publisher}: ${problem}`);
    this.publisher = publisher;
  }
}

export interface DestinationStateDependencies {
  readonly config: Config;
  readonly engine: Pick<Engine, 'publishingStores'>;
  readonly clock: Clock;
  readonly stack: AsyncDisposableStack;
}

export interface DestinationState {
  readonly caps: ReadonlyMap<string, DailyCap>;
  readonly revisions: RevisionStore | null;
}

/** State of the destinations that pipelines and replicas share. The stores are opened only if a destination needs them. */
export async function openDestinationState({
  config,
  engine,
  clock,
  stack,
}: DestinationStateDependencies): Promise<DestinationState> {
  const limited = Object.entries(config.publishers).flatMap(([destination, settings]) =>
    'maxPerDay' in settings && settings.maxPerDay !== undefined
      ? [{ destination, max: settings.maxPerDay, timeZone: settings.timeZone }]
      : [],
  );
  const edits = Object.values(config.publishers).some((one) => 'updateEdited' in one && one.updateEdited);
  if (limited.length === 0 && !edits) return { caps: new Map(), revisions: null };
  const { counter, revisions } = stack.use(await engine.publishingStores());
  return {
    // A destination of several pipelines has one cap.
    caps: new Map(limited.map((one) => [one.destination, new DailyCap({ ...one, clock, counter })])),
    revisions: edits ? revisions : null,
  };
}
