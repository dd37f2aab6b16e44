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
  readonly statuses: readonly { readonly created_at: string }[];
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
      description_limit: 1500,
      image_size_limit: 16_777_216,
      image_matrix_limit: 33_177_600,
      video_size_limit: 103_809_024,
      video_frame_rate_limit: 120,
      video_matrix_limit: 8_294_400,
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
    thumbnail: { url: `${described.base}/thumbnail.png` },
    icon: [],
    configuration: {
      ...configuration(described),
      urls: { streaming: streamingUrl(described) },
      vapid: { public_key: VAPID_KEY },
      translation: { enabled: false },
    },
    registrations: {
      enabled: false,
      approval_required: false,
      reason_required: false,
      message: null,
      url: null,
    },
    contact: { email: CONTACT, account: account(described.base, described.statuses) },
    api_versions: { mastodon: 6 },
    rules: [],
  };
}

export function instanceV1(described: Described): unknown {
  return {
    uri: new URL(described.base).host,
    title: 'A simulated instance',
    short_description: 'Nothing here is real.',
    description: 'Nothing here is real.',
    email: CONTACT,
    version: '4.4.2',
    urls: { streaming_api: streamingUrl(described) },
    stats: { user_count: 1, status_count: described.statuses.length, domain_count: 0 },
    thumbnail: `${described.base}/thumbnail.png`,
    languages: ['en', 'ja'],
    registrations: false,
    approval_required: false,
    invites_enabled: false,
    configuration: configuration(described),
    contact_account: account(described.base, described.statuses),
    rules: [],
  };
}

const CONTACT = 'staff@mastodon.invalid';
/** Not a key: nothing is pushed here. */
const VAPID_KEY = `B${'A'.repeat(86)}=`;

function streamingUrl({ base }: Described): string {
  return base.replace(/^http/, 'ws');
}

export function account(base: string, statuses: readonly { readonly created_at: string }[]) {
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
    avatar: `${base}/avatars/original/missing.png`,
    avatar_static: `${base}/avatars/original/missing.png`,
    header: `${base}/headers/original/missing.png`,
    header_static: `${base}/headers/original/missing.png`,
    group: false,
    discoverable: true,
    indexable: false,
    noindex: false,
    hide_collections: false,
    emojis: [],
    fields: [],
    last_status_at: statuses.at(-1)?.created_at.slice(0, 10) ?? null,
    statuses_count: statuses.length,
    followers_count: 0,
    following_count: 0,
  };
}
