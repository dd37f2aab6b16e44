import type { Config } from '../config/config.ts';
import { atomPublisher } from '../press/atom/publisher.ts';
import { discordBot } from '../press/discord/bot.ts';
import { discordWebhook } from '../press/discord/webhook.ts';
import { mastodon } from '../press/mastodon/mastodon.ts';
import type { Publisher } from '../press/publisher.ts';
import type { Rests } from '../press/rests.ts';
import { parseTemplate, type Template } from '../press/template.ts';
import { dropPublisher } from '../press/timeline/drops.ts';
import { webhook } from '../press/webhook/webhook.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import { UserError } from '../social/refusals.ts';
import type { SocialStore, User } from '../social/services.ts';
import { OperationalError } from '../telemetry/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Users } from './patient-users.ts';
import { nameBeside } from './user-name.ts';

export interface PublisherParts {
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly social: SocialStore;
  readonly authors: Users;
  readonly clock: Clock;
  /** What services said about their limits; one for the whole program. */
  readonly rests: Rests;
}

/** The destinations of one pipeline. A drop's author is the pipeline itself unless the configuration names another. */
export async function publishersOf(pipelineId: string, parts: PublisherParts): Promise<Publisher[]> {
  const pipeline = parts.config.pipelines[pipelineId];
  return Promise.all((pipeline?.publish ?? []).map((id) => publisherOf(id, pipelineId, parts)));
}

/** One destination, as this pipeline speaks through it. Only where the configuration says so can it edit. */
export async function publisherOf(id: string, pipelineId: string, parts: PublisherParts): Promise<Publisher> {
  const publisher = await wholePublisherOf(id, pipelineId, parts);
  const settings = parts.config.publishers[id];
  if (settings !== undefined && 'updateEdited' in settings && settings.updateEdited) return publisher;
  const { revise: _, edit: __, ...lean } = publisher;
  return lean;
}

async function wholePublisherOf(id: string, pipelineId: string, parts: PublisherParts): Promise<Publisher> {
  const { config, fetcher, social, authors, clock, rests } = parts;
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
        rests,
        ...(contact !== undefined && { contact }),
        ...(thread !== undefined && { threadId: thread }),
        ...(username !== undefined && { username }),
      });
    }
    case 'mastodon': {
      const { instance, token, visibility, language, sensitive, contentWarning } = settings;
      const template = templateOf(id, settings.template);
      return mastodon({
        id,
        instance,
        token: () => token.reveal(),
        visibility,
        template,
        fetcher,
        clock,
        rests,
        sensitive,
        ...(language !== undefined && { language }),
        ...(contentWarning !== undefined && { contentWarning: templateOf(id, contentWarning) }),
        ...(settings.images && { imageDescription: templateOf(id, settings.imageDescription) }),
      });
    }
    case 'timeline': {
      const author = settings.author ?? pipelineId;
      const name = config.pipelines[author]?.name ?? author;
      // A name that the configuration spells out may be a person's: that is the owner's decision.
      const kinds = settings.author === undefined ? OWN_ACCOUNT : CHOSEN_ACCOUNT;
      const { id: authorId } = await authorOf(author, name, authors, kinds);
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
        rests,
        ...(contact !== undefined && { contact }),
        ...(baseUrl !== undefined && { baseUrl }),
      });
    }
    case 'atom':
      return atomPublisher(id);
    case 'webhook': {
      const { url, secret, authorization, timeout } = settings;
      return webhook({
        id,
        url: () => (typeof url === 'string' ? url : url.reveal()),
        timeoutMs: timeout,
        fetcher,
        ...(secret !== undefined && { secret: () => secret.reveal() }),
        ...(authorization !== undefined && { authorization: () => authorization.reveal() }),
      });
    }
    case undefined:
      throw new PublisherSettingError(id, 'there is no such publisher');
  }
}

function templateOf(publisher: string, source: string): Template {
  const parsed = parseTemplate(source, { plain: true });
  if (!parsed.ok) throw new PublisherSettingError(publisher, parsed.problem);
  return parsed.template;
}

const OWN_ACCOUNT: readonly User['kind'][] = ['pipeline'];
const CHOSEN_ACCOUNT: readonly User['kind'][] = ['pipeline', 'person'];

/**
 * The account that a pipeline posts with, made when it is first needed; another replica may be making it at the same
 * time. A pipeline never posts as a source, nor as a person who has its name: it takes another name then.
 */
export async function authorOf(
  name: string,
  displayName: string,
  social: Users,
  kinds = OWN_ACCOUNT,
): Promise<{ readonly id: string }> {
  for (const candidate of [name, nameBeside('pipeline', name)]) {
    const there = (await social.findUser(candidate)) ?? (await addAuthor(candidate, displayName, social));
    if (kinds.includes(there.kind)) return there;
  }
  throw new UserError('taken', nameBeside('pipeline', name));
}

async function addAuthor(name: string, displayName: string, social: Users): Promise<User> {
  try {
    return await social.addUser({ name, displayName, kind: 'pipeline' });
  } catch (error) {
    const made = error instanceof UserError && error.problem === 'taken' ? await social.findUser(name) : null;
    if (made === null) throw error;
    return made;
  }
}

export class PublisherSettingError extends OperationalError {
  readonly kind = 'bad_config';
  override readonly name = 'PublisherSettingError';
  readonly publisher: string;
  constructor(publisher: string, problem: string) {
    super(`publishers.${publisher}: ${problem}`);
    this.publisher = publisher;
  }
}
