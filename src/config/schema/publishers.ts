import { z } from 'zod';
import { byId, byKind, type OwnNames, pluginEntry, section } from './section.ts';
import {
  address,
  duration,
  language,
  oneOf,
  openOrSecretAddress,
  secret,
  text,
  timeZone,
  toggle,
  whole,
} from './values.ts';

const pace = {
  max_per_day: whole(1, 100_000)
    .exactOptional()
    .describe('Maximum number of messages a day; further ones wait for the next day.'),
  time_zone: timeZone()
    .prefault('Asia/Tokyo')
    .describe('Time zone in which a day of `max_per_day` begins at midnight.'),
};

const edits = {
  update_edited: toggle()
    .default(false)
    .describe('When the title of an item is edited at its source, the message is edited too, for a week.'),
};

const snowflake = (what: string) =>
  text(what, 5, 20).regex(/^\d{5,20}$/, {
    error: `must be ${what}, digits in quotes, such as "1100000000000000001"`,
  });

const discordAppearance = {
  colour: text('a colour')
    .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a colour in quotes, such as "#c73e2c"' })
    .prefault('#c73e2c')
    .describe('Colour of the bar beside each article.'),
  template: text('a template', 1, 1000)
    .prefault('{summary}')
    .describe(
      'The text below each title; {summary}, {source}, {author}, {date}, {also} and others are filled in. Discord’s own marks count.',
    ),
  ...edits,
  ...pace,
};

const discordWebhook = section({
  kind: z.literal('discord-webhook').describe('A channel’s webhook: quickest to set up.'),
  url: secret('the webhook’s address').describe(
    'The webhook’s address, which is a secret: it is all that is needed to post.',
  ),
  thread: snowflake('the ID of a thread').exactOptional().describe('Thread inside the channel.'),
  forum: toggle()
    .default(false)
    .describe('The channel is a forum: each message becomes a post with a title.'),
  username: text('a name', 1, 80).exactOptional().describe('Name shown above the message.'),
  ...discordAppearance,
});

const discordBot = section({
  kind: z.literal('discord-bot').describe('A bot: can read back a message whose reply was lost.'),
  token: secret('the bot’s token').describe('The bot’s token.'),
  channel: snowflake('the ID of a channel').describe('Channel, thread or forum to post to.'),
  base_url: address('the address of Discord’s API')
    .exactOptional()
    .describe('Base URL of another server with Discord’s API, for tests.'),
  forum: toggle()
    .default(false)
    .describe('The channel is a forum: each message becomes a post with a title.'),
  ...discordAppearance,
});

const mastodon = section({
  kind: z.literal('mastodon').describe('An account on a Mastodon instance.'),
  instance: address('the address of the instance').describe('Address of the instance.'),
  token: secret('the access token').describe(
    'Access token with the scopes read:accounts, read:statuses and write:statuses.',
  ),
  visibility: oneOf(['public', 'unlisted', 'private']).default('public').describe('Visibility of the posts.'),
  language: language().exactOptional().describe('Language of the posts.'),
  sensitive: toggle().default(false).describe('Hide the text behind `content_warning`.'),
  content_warning: text('a short warning', 1, 200)
    .exactOptional()
    .describe('Text shown in place of the hidden one; {topics}, {source} and others are filled in.'),
  images: toggle()
    .default(false)
    .describe('Attach the image of the item. The token then also needs the scope write:media.'),
  image_description: text('a template', 1, 1500)
    .prefault('{title}')
    .describe('Alternative text of the image; filled in like `template`.'),
  template: text('a template', 1, 2000)
    .prefault('{title}\n\n{summary}\n\n{url}')
    .describe(
      'The post; {title}, {summary}, {url}, {source}, {topics}, {score}, {date} and others are filled in.',
    ),
  ...edits,
  ...pace,
});

const webhook = section({
  kind: z.literal('webhook').describe('A POST with JSON to any address.'),
  url: openOrSecretAddress('the address to post to').describe('Address to post to.'),
  secret: secret('the key that signs requests')
    .exactOptional()
    .describe('Key that signs each request (HMAC-SHA256).'),
  authorization: secret('the Authorization header')
    .exactOptional()
    .describe('Value of the Authorization header.'),
  timeout: duration(1000, 600_000).prefault('20s').describe('Timeout of a request.'),
  ...pace,
});

const atom = section({
  kind: z.literal('atom').describe('A feed of your own, served at /feeds/<id>.atom.'),
  title: text('a title', 1, 200).exactOptional().describe('Title of the feed.'),
  entries: whole(1, 1000).default(50).describe('Maximum number of entries.'),
});

const timeline = section({
  kind: z.literal('timeline').describe('Drops on the timelines: the web page, the API and the streams.'),
  visibility: oneOf(['public', 'followers']).default('public').describe('Visibility of the drops.'),
  author: text('a name of letters, digits, - and _', 1, 64)
    .exactOptional()
    .describe('Name of the author; the pipeline itself when absent.'),
});

const builtIn = {
  'discord-webhook': discordWebhook,
  'discord-bot': discordBot,
  mastodon,
  webhook,
  atom,
  timeline,
};

const ofEveryPlugin = {
  // Less than the lease of a message: another replica must not send it meanwhile.
  timeout: duration(1000, 90_000).prefault('60s').describe('Timeout of a message.'),
  ...edits,
  ...pace,
};

export const OWN_PUBLISHER_NAMES: OwnNames = {
  kinds: Object.keys(builtIn),
  keys: Object.keys(ofEveryPlugin),
};

const ofPlugin = pluginEntry(
  ofEveryPlugin,
  'Kind of publisher, of a plugin. Keys that are not listed here are its settings.',
  OWN_PUBLISHER_NAMES.kinds,
);

export const publishers = byId(byKind({ ...builtIn, plugin: ofPlugin }, 'publisher'), 'publisher').describe(
  'Destinations of messages. A publisher with the ID `timeline` always exists.',
);

export type PublisherConfig = z.output<typeof publishers>[string];
