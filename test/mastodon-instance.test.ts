import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MASTODON_TOKEN, type MastodonOptions } from '../simulator/mastodon/mastodon.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { createFetcher } from '../src/fetch/create-fetcher.ts';
import type { Fetcher } from '../src/fetch/fetcher.ts';
import { noEntries } from '../src/pipelines/no-entries.fixture.ts';
import { composeMessages } from '../src/pipelines/publish.ts';
import { messageOf, sampleContent } from '../src/publishers/contract/sample-content.ts';
import { mastodonPublisher } from '../src/publishers/mastodon/mastodon.ts';
import type { Content, Publisher } from '../src/publishers/publisher.ts';
import { parseTemplate, type Template } from '../src/publishers/template.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { systemClock as clock } from '../src/time/clock.ts';

function words(source: string): Template {
  const parsed = parseTemplate(source, { plain: true });
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.template;
}

describe('a Mastodon instance with limits of its own', () => {
  let simulator: Simulator;
  let fetcher: Fetcher;
  afterEach(async () => {
    await fetcher[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
  });

  async function publisherOn(
    instance: MastodonOptions,
    more: Partial<Parameters<typeof mastodonPublisher>[0]> = {},
    source = '{title}\n\n{summary}\n\n{url}',
  ): Promise<Publisher> {
    simulator = await startSimulator({ mastodon: instance });
    fetcher = createFetcher({ clock, log: silentLogger, allow: ['127.0.0.1'] });
    const parsed = parseTemplate(source);
    if (!parsed.ok) throw new Error(parsed.problem);
    return mastodonPublisher({
      id: 'm',
      instance: simulator.urls.mastodon,
      token: () => MASTODON_TOKEN,
      visibility: 'unlisted',
      template: parsed.template,
      fetcher,
      clock,
      ...more,
    });
  }
  const long = sampleContent({ title: 'T '.repeat(400) });

  it.each([
    ['shorter', { maxCharacters: 120, charactersPerUrl: 40 }],
    ['longer', { maxCharacters: 5000 }],
    ['shorter, on a server without the newer address', { maxCharacters: 120, withoutV2: true }],
  ])('B18 a %s limit applies', async (_, instance) => {
    const publisher = await publisherOn(instance, { contentWarning: words('Politics') });
    const [composed] = await composeMessages(long.items, {
      pipeline: 'p',
      publishers: [publisher],
      entries: noEntries,
    });
    const message = { key: 'k', itemKeys: [], body: composed?.body ?? '', firstTriedAt: null };
    expect(await publisher.send(message)).toMatchObject({ outcome: 'sent' });
    const [status] = simulator.mastodon.statuses();
    const room = instance.maxCharacters === 120 ? [80, 140] : [800, 1000];
    expect(status?.text.length).toBeGreaterThan(room[0] ?? 0);
    expect(status?.text.length).toBeLessThan(room[1] ?? 0);
    expect(status?.text).toContain('https://example.org/articles/1');
  });

  it('B18 what is too long after all shortening is refused with the reason, and never sent', async () => {
    const publisher = await publisherOn({ maxCharacters: 60 }, {}, `${'fixed words '.repeat(9)}{url}`);
    expect(await publisher.send(messageOf(publisher, 'k'))).toEqual({
      outcome: 'refused',
      detail: expect.stringMatching(
        /^after all shortening the status is \d+ characters too long .* takes 60: shorten/,
      ),
    });
    expect(simulator.mastodon.statuses()).toEqual([]);
    expect(simulator.journal.entries('mastodon').filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('B18 visibility, language and content warning are sent explicitly', async () => {
    const publisher = await publisherOn(
      {},
      { language: 'ja', contentWarning: words('Politics'), sensitive: true },
    );
    await publisher.send(messageOf(publisher, 'k'));
    expect(simulator.mastodon.statuses()).toMatchObject([
      { visibility: 'unlisted', language: 'ja', spoiler_text: 'Politics', sensitive: true },
    ]);
  });

  it('X18 is rate limited when the last status of its limit is used, before a 429', async () => {
    const publisher = await publisherOn({ limits: { statuses: { requests: 1, perMs: 3_600_000 } } });
    expect(publisher.rateLimitedUntil?.()).toBe(0);
    expect(await publisher.send(messageOf(publisher, 'k'))).toMatchObject({ outcome: 'sent' });
    expect(publisher.rateLimitedUntil?.()).toBeGreaterThan(clock.now());
  });

  it('a content warning is filled in like the status', async () => {
    const publisher = await publisherOn({}, { contentWarning: words('About {topics}') });
    await publisher.send(messageOf(publisher, 'k'));
    expect(simulator.mastodon.statuses()).toMatchObject([{ spoiler_text: 'About databases' }]);
  });

  describe('with images', () => {
    const described = { imageDescription: words('{title}, a picture') };
    let site: Server;
    let answer: { status: number; type: string };
    beforeEach(async () => {
      answer = { status: 200, type: 'image/png' };
      site = createServer((_, response) => {
        response.writeHead(answer.status, { 'content-type': answer.type }).end('not really a picture');
      });
      await once(site.listen(0, '127.0.0.1'), 'listening');
    });
    afterEach(() => void site.close());
    const withImage = (): Content => {
      const address = site.address();
      const port = typeof address === 'object' ? address?.port : 0;
      return sampleContent({ imageUrl: `http://127.0.0.1:${port}/image.png` });
    };

    it('the image is sent with a text alternative, and remains after an edit', async () => {
      const publisher = await publisherOn({}, described);
      const message = messageOf(publisher, 'k', withImage());
      const sent = await publisher.send(message);
      const image = { type: 'image', description: 'An article about databases, a picture' };
      expect(simulator.mastodon.statuses()).toMatchObject([{ media_attachments: [image] }]);
      const { url } = sampleContent().items[0]?.item ?? { url: '' };
      const revised = publisher.revise?.(message.body, { url, title: 'Corrected' }) ?? '';
      expect(await publisher.edit?.('remoteId' in sent ? sent.remoteId : '', revised)).toEqual({
        outcome: 'edited',
      });
      expect(simulator.mastodon.statuses()).toMatchObject([
        { text: expect.stringContaining('Corrected'), media_attachments: [image] },
      ]);
    });

    it.each([
      ['cannot be fetched', { status: 404, type: 'image/png' }],
      ['is none', { status: 200, type: 'text/html' }],
    ])('an image that %s blocks nothing', async (_, bad) => {
      const publisher = await publisherOn({}, described);
      answer = bad;
      expect(await publisher.send(messageOf(publisher, 'k', withImage()))).toMatchObject({ outcome: 'sent' });
      expect(simulator.mastodon.statuses()).toMatchObject([{ media_attachments: [] }]);
    });

    it('an instance that accepts no images still gets the text', async () => {
      const publisher = await publisherOn({}, described);
      await publisher.prepare?.();
      simulator.injectFault({ service: 'mastodon', how: 'status', status: 422, times: 1 });
      expect(await publisher.send(messageOf(publisher, 'k', withImage()))).toMatchObject({ outcome: 'sent' });
      expect(simulator.mastodon.statuses()).toMatchObject([{ media_attachments: [] }]);
    });
  });
});
