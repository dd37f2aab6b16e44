import type { Config } from '../config/config.ts';
import type { SourceConfig } from '../config/schema/sources.ts';
import type { RuleSwitches } from '../item/identity.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import type { FirstContact } from '../sources/baseline.ts';
import type { FollowedSource } from '../sources/desk.ts';
import { feedSource } from '../sources/feed/feed-source.ts';
import type { Source } from '../sources/source.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';

/** Without a pace of its own a source is read whenever a pipeline asks, but not more often than this. */
const LEAST_PACE = MINUTE;
const USUAL_FIRST_CONTACT: FirstContact = { newest: 10 };

export interface SourceParts {
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
}

/** The sources that are switched on, by their IDs. */
export function followedSources(parts: SourceParts): ReadonlyMap<string, FollowedSource> {
  const on = Object.values(parts.config.sources).filter((source) => source.enabled);
  return new Map(
    on.map((settings) => [
      settings.id,
      {
        source: sourceOf(settings, parts),
        every: settings.every ?? LEAST_PACE,
        firstContact: settings.firstContact ?? USUAL_FIRST_CONTACT,
      },
    ]),
  );
}

function sourceOf(settings: SourceConfig, { config, fetcher, clock }: SourceParts): Source {
  const { id } = settings;
  const name = settings.name ?? id;
  switch (settings.kind) {
    case 'feed':
      return feedSource({
        id,
        name,
        url: settings.url,
        fetcher,
        clock,
        identity: settings.identity,
        identityRules: rulesOf(config),
        maxBytes: config.network.maxFeed,
        ...(settings.language !== undefined && { language: settings.language }),
      });
    default:
      throw new SourceKindError(id, settings.kind);
  }
}

/** The rules of identity in force (X3). */
function rulesOf({ identity }: Config): RuleSwitches {
  return Object.fromEntries(identity.off.map((rule) => [rule, false]));
}

export class SourceKindError extends Error {
  override readonly name = 'SourceKindError';
  readonly source: string;
  constructor(source: string, kind: string) {
    super(`sources.${source}: sources of the kind ${kind} are not there yet`);
    this.source = source;
  }
}
