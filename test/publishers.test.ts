import { describe, expect, it } from 'vitest';
import { MASTODON_TOKEN } from '../simulator/mastodon/mastodon.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { createFetcher } from '../src/fetch/create-fetcher.ts';
import type { Fetcher } from '../src/fetch/fetcher.ts';
import { type PublisherSubject, publisherContract } from '../src/publishers/contract/publisher.ts';
import { messageOf, sampleItem } from '../src/publishers/contract/sample-content.ts';
import { discordBot } from '../src/publishers/discord/bot.ts';
import { discordWebhook } from '../src/publishers/discord/webhook.ts';
import { mastodonPublisher } from '../src/publishers/mastodon/mastodon.ts';
import type { Publisher } from '../src/publishers/publisher.ts';
import { parseTemplate } from '../src/publishers/template.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { systemClock as clock } from '../src/time/clock.ts';

type Make = (simulator: Simulator, fetcher: Fetcher) => Publisher;

async function subjectOf(service: 'discord' | 'mastodon', make: Make): Promise<PublisherSubject> {
  const simulator = await startSimulator();
  const fetcher = createFetcher({ clock, log: silentLogger, allow: ['127.0.0.1'] });
  let isReachable = true;
  const unplug = async (): Promise<void> => {
    if (!isReachable) return;
    isReachable = false;
    await simulator[Symbol.asyncDispose]();
    // A keep-alive connection would still accept one more request.
    await fetcher.fetch({ url: simulator.urls[service], polite: false });
  };
  return {
    publisher: make(simulator, fetcher),
    posted: (text) => simulator[service].posted(text),
    injectFault(how) {
      if (how === 'revoke') simulator[service].revoke();
      else if (how === 'refuse')
        simulator.injectFault({ service, how: 'status', status: service === 'discord' ? 400 : 422 });
      else simulator.injectFault({ service, how });
    },
    async deleteMessage(remoteId) {
      const { discord, mastodon: account, urls } = simulator;
      const place = discord.messages().find(({ id }) => id === remoteId)?.channel_id;
      const [path, authorization] =
        service === 'discord'
          ? [`${discord.apiUrl}/channels/${place}/messages/${remoteId}`, `Bot ${discord.botToken}`]
          : [`${urls.mastodon}/api/v1/statuses/${remoteId}`, `Bearer ${account.token}`];
      const { status } = await fetch(path, { method: 'DELETE', headers: { authorization } });
      if (status >= 300) throw new Error(`the message was not deleted: ${status}`);
    },
    unplug,
    async [Symbol.asyncDispose]() {
      await unplug();
      await fetcher[Symbol.asyncDispose]();
    },
  };
}

describe('a Discord webhook', () => {
  publisherContract(() =>
    subjectOf('discord', ({ discord }, fetcher) =>
      discordWebhook({ id: 'discord', url: () => discord.webhookUrl, fetcher, clock }),
    ),
  );
});

describe('a Discord webhook of a forum', () => {
  publisherContract(() =>
    subjectOf('discord', ({ discord }, fetcher) =>
      discordWebhook({ id: 'forum', url: () => discord.forumWebhookUrl, forum: true, fetcher, clock }),
    ),
  );
});

describe('a Discord bot in a forum', () => {
  publisherContract(() =>
    subjectOf('discord', ({ discord, urls }, fetcher) =>
      discordBot({
        id: 'bot',
        token: () => discord.botToken,
        channel: discord.channels.forum,
        forum: true,
        baseUrl: urls.discord,
        fetcher,
        clock,
      }),
    ),
  );
});

const botOn: Make = ({ discord, urls }, fetcher) =>
  discordBot({
    id: 'bot',
    token: () => discord.botToken,
    channel: discord.channels.newsroom,
    baseUrl: urls.discord,
    fetcher,
    clock,
  });

describe('a Discord bot', () => {
  publisherContract(() => subjectOf('discord', botOn));
});

const mastodonWith =
  (template: string): Make =>
  ({ urls }, fetcher) => {
    const parsed = parseTemplate(template);
    if (!parsed.ok) throw new Error(parsed.problem);
    return mastodonPublisher({
      id: 'mastodon',
      instance: urls.mastodon,
      token: () => MASTODON_TOKEN,
      visibility: 'public',
      template: parsed.template,
      fetcher,
      clock,
    });
  };

const mastodonOn = mastodonWith('{title}\n\n{summary}\n\n{url}');

describe('a Mastodon account', () => {
  publisherContract(() => subjectOf('mastodon', mastodonOn));
});

describe('texts and URLs that would mention users', () => {
  const victim = '@victim@mastodon.social';
  const urls = [
    `https://x.example/a,${victim}`,
    `https://x.example/a-${victim}/b?c=.${victim}&${victim}#~${victim}`,
    `https://a.:b.@victim.example/c`,
    'https://x.example/@author/1?by=@author',
  ];
  for (const url of urls) {
    it(`B18 no user is mentioned by a status about ${url}, new or edited, and its link still works`, async () => {
      const simulator = await startSimulator();
      const fetcher = createFetcher({ clock, log: silentLogger, allow: ['127.0.0.1'] });
      try {
        const template = '{title} {summary} {source} {also} {author} {topics} {pipeline} {url} ({url})';
        const publisher = mastodonWith(template)(simulator, fetcher);
        const hostile = `${victim} .${victim} ＠victim`;
        const item = sampleItem({ url, title: hostile, author: hostile, sourceName: hostile });
        const message = messageOf(publisher, 'k', {
          pipeline: 'p',
          items: [{ item, summary: hostile, alsoSeenIn: [hostile] }],
        });
        const sent = await publisher.send(message);
        if (sent.outcome !== 'sent') throw new Error(JSON.stringify(sent));
        expect(simulator.mastodon.statuses()).toMatchObject([{ mentions: [] }]);
        expect(await publisher.readBack(message)).toMatchObject({
          outcome: 'found',
          remoteId: sent.remoteId,
        });
        const revised = publisher.revise?.(message.body, { url, title: `${victim} again` }) ?? '';
        expect(await publisher.edit?.(sent.remoteId, revised)).toEqual({ outcome: 'edited' });
        const [status] = simulator.mastodon.statuses();
        expect(status).toMatchObject({ mentions: [], text: expect.stringContaining('again') });
        const link = /https:\S+/.exec(status?.text ?? '')?.[0] ?? '';
        expect(decodeURIComponent(link)).toBe(url);
        expect(new URL(link).host).toBe(new URL(url).host);
      } finally {
        await fetcher[Symbol.asyncDispose]();
        await simulator[Symbol.asyncDispose]();
      }
    });
  }
});

describe('a newsroom whose clock is wrong', () => {
  const hours = [-3, 3].map((wrongBy) => wrongBy * 3_600_000);
  const publishers = {
    'a Discord bot': ['discord', botOn],
    'a Mastodon account': ['mastodon', mastodonOn],
  } as const;
  for (const [name, [service, make]] of Object.entries(publishers)) {
    it(`X2 finds what ${name} posted, whatever time its clock showed`, async () => {
      const subject = await subjectOf(service, make);
      try {
        const message = messageOf(subject.publisher, 'k');
        await subject.publisher.send(message);
        for (const wrongBy of hours) {
          const firstTriedAt = clock.now() + wrongBy;
          expect(await subject.publisher.readBack({ ...message, firstTriedAt })).toMatchObject({
            outcome: 'found',
          });
        }
      } finally {
        await subject[Symbol.asyncDispose]();
      }
    });
  }
});
