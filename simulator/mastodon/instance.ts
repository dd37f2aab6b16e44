import { CHARACTERS_PER_URL } from './count.ts';

export interface InstanceOptions {
  readonly maxCharacters?: number;
  readonly charactersPerUrl?: number;
  /** Servers that speak Mastodon's API often lack `/api/v2/instance`. */
  readonly withoutV2?: boolean;
}

interface Described {
  readonly base: string;
  readonly options: InstanceOptions;
}

function configuration({ options }: Described) {
  return {
    statuses: {
      max_characters: options.maxCharacters ?? 500,
      max_media_attachments: 4,
      characters_reserved_per_url: options.charactersPerUrl ?? CHARACTERS_PER_URL,
    },
    media_attachments: {
      supported_mime_types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
      image_size_limit: 16_777_216,
      description_limit: 1500,
    },
    accounts: { max_featured_tags: 10, max_pinned_statuses: 5 },
    polls: { max_options: 4, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 },
  };
}

export function instanceV2(described: Described): unknown {
  return {
    domain: new URL(described.base).host,
    title: 'A simulated instance',
    version: '4.4.2',
    source_url: 'https://github.com/mastodon/mastodon',
    description: 'Nothing here is real.',
    usage: { users: { active_month: 1 } },
    languages: ['en', 'ja'],
    configuration: configuration(described),
    registrations: { enabled: false, approval_required: false, message: null },
    api_versions: { mastodon: 6 },
    rules: [],
  };
}

export function instanceV1(described: Described): unknown {
  return {
    uri: new URL(described.base).host,
    title: 'A simulated instance',
    short_description: 'Nothing here is real.',
    version: '4.4.2',
    languages: ['en', 'ja'],
    registrations: false,
    configuration: configuration(described),
    rules: [],
  };
}

export function account(base: string, statuses: number) {
  return {
    id: '110000000000000001',
    username: 'kawaraban',
    acct: 'kawaraban',
    display_name: 'Kawaraban',
    locked: false,
    bot: true,
    created_at: '2026-01-01T00:00:00.000Z',
    note: '<p>News, read once.</p>',
    url: `${base}/@kawaraban`,
    uri: `${base}/users/kawaraban`,
    statuses_count: statuses,
    followers_count: 0,
    following_count: 0,
  };
}
