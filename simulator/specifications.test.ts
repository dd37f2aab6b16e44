import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.ts';

/**
 * Fields that the public specifications require in answers. Discord: `required` of the schemas in `specs/openapi.json` of
 * discord/discord-api-spec, and fields without `?` in the reference. Mastodon: attributes of the entities in the
 * documentation that are not marked as optional, as of 4.4.
 */
const DISCORD = {
  MessageResponse:
    'type content mentions mention_roles attachments embeds timestamp edited_timestamp flags components id channel_id author pinned mention_everyone tts',
  UserResponse: 'id username discriminator avatar global_name public_flags flags',
  ThreadResponse:
    'id type flags guild_id name parent_id owner_id message_count member_count total_message_sent thread_metadata rate_limit_per_user last_message_id',
  ThreadMetadataResponse: 'archived archive_timestamp auto_archive_duration locked',
  GuildChannelResponse: 'id type flags guild_id name position parent_id permission_overwrites',
  WebhookResponse: 'application_id avatar channel_id guild_id id name type token',
  EmbedField: 'name value inline',
  RateLimited: 'message retry_after global',
};
const MASTODON = {
  Status:
    'id uri created_at account content visibility sensitive spoiler_text media_attachments application mentions tags emojis reblogs_count favourites_count replies_count url in_reply_to_id in_reply_to_account_id reblog poll card language edited_at quote favourited reblogged muted bookmarked pinned filtered',
  Account:
    'id username acct url uri display_name note avatar avatar_static header header_static locked fields emojis bot group discoverable noindex created_at last_status_at statuses_count followers_count following_count',
  CredentialSource: 'note fields privacy sensitive language follow_requests_count',
  Role: 'id name permissions color highlighted',
  Mention: 'id username url acct',
  MediaAttachment: 'id type url preview_url remote_url meta description blurhash',
  Application: 'name website scopes redirect_uris',
  Instance:
    'domain title version source_url description usage thumbnail icon languages configuration registrations contact rules api_versions',
  Configuration: 'urls vapid accounts statuses media_attachments polls translation',
  V1Instance:
    'uri title short_description description email version urls stats thumbnail languages registrations approval_required invites_enabled configuration contact_account rules',
};

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape are read.
type Answer = { status: number; body: any };
let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ discord: { limits: false }, mastodon: { limits: false } });
});
afterEach(() => sim[Symbol.asyncDispose]());

async function call(url: string, method = 'GET', body?: unknown, headers = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: { ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json().catch(() => null) };
}

function expectFields(value: object | null | undefined, fields: string, what: string): void {
  expect(
    fields.split(' ').filter((field) => !Object.hasOwn(value ?? {}, field)),
    `${what} lacks these fields`,
  ).toEqual([]);
}

describe('the simulated Discord', () => {
  const bot = (path: string, method = 'GET', body?: unknown): Promise<Answer> =>
    call(`${sim.discord.apiUrl}${path}`, method, body, { authorization: `Bot ${sim.discord.botToken}` });
  const form = {
    content: 'hello <@123456789012345678>',
    embeds: [{ title: 't', fields: [{ name: 'n', value: 'v' }] }],
  };

  it('answers with every field that the specification requires', async () => {
    const { newsroom, forum } = sim.discord.channels;
    const messages = [
      (await call(`${sim.discord.webhookUrl}?wait=true`, 'POST', form)).body,
      (await bot(`/channels/${newsroom}/messages`, 'POST', form)).body,
      (await bot(`/channels/${newsroom}/messages`)).body[0],
    ];
    const [first] = messages;
    messages.push((await call(`${sim.discord.webhookUrl}/messages/${first.id}`, 'PATCH', form)).body);
    const thread = (await bot(`/channels/${forum}/threads`, 'POST', { name: 'a post', message: form })).body;
    messages.push(thread.message);
    for (const message of messages) {
      expectFields(message, DISCORD.MessageResponse, 'a message');
      expectFields(message.author, DISCORD.UserResponse, 'an author');
      expectFields(message.mentions[0], DISCORD.UserResponse, 'a mentioned user');
      expectFields(message.embeds[0].fields[0], DISCORD.EmbedField, 'a field of an embed');
    }
    expect(first.webhook_id).toBe(first.author.id);
    const listed = (await bot(`/guilds/${thread.guild_id}/threads/active`)).body.threads[0];
    for (const one of [thread, listed, (await bot(`/channels/${thread.id}`)).body]) {
      expectFields(one, DISCORD.ThreadResponse, 'a thread');
      expectFields(one.thread_metadata, DISCORD.ThreadMetadataResponse, 'the metadata of a thread');
    }
    for (const channel of [newsroom, forum])
      expectFields((await bot(`/channels/${channel}`)).body, DISCORD.GuildChannelResponse, 'a channel');
    expectFields((await call(sim.discord.webhookUrl)).body, DISCORD.WebhookResponse, 'a webhook');
    expectFields((await bot('/users/@me')).body, DISCORD.UserResponse, 'the bot');
    sim.injectFault({ service: 'discord', how: 'rate_limit' });
    expectFields((await bot('/users/@me')).body, DISCORD.RateLimited, 'a rate limit');
  });

  it.each([
    ['tts', { content: 'x', tts: 'yes' }],
    ['flags', { content: 'x', flags: 'many' }],
    ['embeds.0', { embeds: ['text'] }],
    ['embeds.0.fields', { embeds: [{ fields: 'text' }] }],
    ['allowed_mentions.parse.0', { content: 'x', allowed_mentions: { parse: ['all'] } }],
    ['allowed_mentions.users.0', { content: 'x', allowed_mentions: { users: ['somebody'] } }],
    ['thread_name', { content: 'x', thread_name: 'x'.repeat(101) }],
  ])('refuses a message with a wrong %s', async (at, wrong) => {
    const { status, body } = await call(`${sim.discord.webhookUrl}?wait=true`, 'POST', wrong);
    expect([status, body.code]).toEqual([400, 50035]);
    const found = at.split('.').reduce((node, step) => node?.[step], body.errors);
    expect(found?._errors).toHaveLength(1);
  });

  it('refuses a post in a forum with a wrong name or an empty message', async () => {
    const post = (body: unknown): Promise<Answer> =>
      bot(`/channels/${sim.discord.channels.forum}/threads`, 'POST', body);
    expect((await post({ name: 'x'.repeat(101), message: form })).body).toMatchObject({
      code: 50035,
      errors: { name: {} },
    });
    expect((await post({ name: 'x', message: {} })).body).toMatchObject({ code: 50006 });
  });
});

describe('the simulated Mastodon', () => {
  const api = (path: string, method = 'GET', body?: unknown): Promise<Answer> =>
    call(`${sim.urls.mastodon}${path}`, method, body, { authorization: `Bearer ${sim.mastodon.token}` });

  it('answers with every field that the specification requires', async () => {
    const upload = new FormData();
    upload.set('file', new File([new Uint8Array([1])], 'a.png', { type: 'image/png' }));
    const media = (await api('/api/v2/media', 'POST', upload)).body;
    const posted = (
      await api('/api/v1/statuses', 'POST', { status: 'hello @somebody', media_ids: [media.id] })
    ).body;
    const me = (await api('/api/v1/accounts/verify_credentials')).body;
    const statuses = [
      posted,
      (await api(`/api/v1/statuses/${posted.id}`)).body,
      (
        await api(`/api/v1/statuses/${posted.id}`, 'PUT', {
          status: 'again @somebody',
          media_ids: [media.id],
        })
      ).body,
      (await api(`/api/v1/accounts/${me.id}/statuses`)).body[0],
    ];
    for (const status of statuses) {
      expectFields(status, MASTODON.Status, 'a status');
      expectFields(status.account, MASTODON.Account, 'an author');
      expectFields(status.mentions[0], MASTODON.Mention, 'a mention');
      expectFields(status.media_attachments[0], MASTODON.MediaAttachment, 'an attachment');
    }
    expectFields(media, MASTODON.MediaAttachment, 'an upload');
    expectFields(me, MASTODON.Account, 'the account');
    expectFields(me.source, MASTODON.CredentialSource, 'the source of the account');
    expectFields(me.role, MASTODON.Role, 'the role of the account');
    expect(me.last_status_at).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const app = (await api('/api/v1/apps/verify_credentials')).body;
    expectFields(app, MASTODON.Application, 'the application');
    const v2 = (await api('/api/v2/instance')).body;
    expectFields(v2, MASTODON.Instance, 'the instance');
    expectFields(v2.configuration, MASTODON.Configuration, 'the configuration');
    expectFields(v2.contact.account, MASTODON.Account, 'the contact');
    const v1 = (await api('/api/v1/instance')).body;
    expectFields(v1, MASTODON.V1Instance, 'the instance (v1)');
    expectFields(v1.contact_account, MASTODON.Account, 'the contact (v1)');
  });

  it.each([
    ['a language that is none', { status: 'x', language: 'not a language' }, 422],
    ['too many attachments', { status: 'x', media_ids: ['1', '2', '3', '4', '5'] }, 422],
    ['attachments that are no list', { status: 'x', media_ids: '1' }, 422],
    ['an answer to nothing', { status: 'x', in_reply_to_id: '1' }, 404],
    ['words that are no text', { status: { text: 'x' } }, 422],
  ])('refuses %s', async (_, body, status) => {
    const answer = await api('/api/v1/statuses', 'POST', body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: expect.any(String) });
    expect(sim.mastodon.statuses()).toEqual([]);
  });
});
