import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import type { ItemKey } from '../src/item/item.ts';
import { transition } from '../src/ledger/contract/subject.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import { newMessage } from '../src/outbox/message-record.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';

const FEED = 'https://example.org/feed.xml?token=canary-token';
const MOVED = 'https://example.org/b6e1f5a0c2d94e7f8a3b/feed.xml';
const KEY = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' as ItemKey;
const OUTPUT = 'canary-output of the processor';
const ARTICLE = 'https://example.org/article' as ItemKey;
const JUDGE = 'The server answered 429: canary-judge, organisation org-123';
const PLACE = 'Discord answered 403: canary-destination';
const RUN = 'canary-run: project example-123 is not reachable';
const WORKER = 'canary-worker:42';

it('X7 X25 guests and readers see no secrets of feed addresses, and no output of processors and servers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-guests-'));
  const text = `
server: { port: 0 }
data: ${folder}
sources:
  private: { feed: "${FEED}" }
  plain: { feed: "https://example.org/plain/feed.xml" }
  talks: { youtube: '@talks' }
pipelines:
  morning: { kind: curate, sources: [private, plain], interests: [{ topic: databases }] }
  videos: { kind: process, sources: [talks], processor: { command: ['false'] } }
`;
  const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const app = await openApp(loaded.config, {
    telemetry: silentTelemetry,
    version: '0.0.0',
    passwordCost: { n: 2 ** 12, r: 8, p: 1 },
  });
  const server = await app.serve();
  try {
    const now = Date.now();
    await app.engine.sources.save({
      sourceId: 'private',
      memory: { configured: FEED, address: FEED },
      movedTo: MOVED,
      lastTriedAt: now,
      lastSuccessAt: null,
      lastTrouble: { why: 'not_found', detail: `nothing is there (HTTP 404 from ${FEED})`, at: now },
      failuresInARow: 1,
      nextAt: now,
      itemsSeen: 0,
      baselineTakenAt: null,
      reported: null,
    });
    const ledger = app.pipelines.get('videos')?.ledger as Ledger | undefined;
    const seen = {
      key: KEY,
      url: KEY,
      title: 'A talk',
      publishedAt: now,
      sourceId: 'talks',
      sourceName: 'Talks',
    };
    await ledger?.admit([seen], {});
    const claim = await ledger?.claim(KEY, { owner: 'worker', leaseMs: 60_000 });
    if (!ledger || !claim) throw new Error('there is no item to work on');
    const failed = { type: 'defer', reason: 'processor_failed', detail: `exit code 1: ${OUTPUT}` } as const;
    await ledger.record(claim, transition(claim.item, failed, now), { notes: { output: OUTPUT } });

    const morning = app.pipelines.get('morning');
    if (morning === undefined) throw new Error('the pipeline is missing');
    const article = { ...seen, key: ARTICLE, url: ARTICLE, title: 'A talk in writing', sourceId: 'plain' };
    await morning.ledger.admit([article], {});
    const steps = [
      { type: 'accept', detail: 'about databases' },
      { type: 'postpone', reason: 'over_limit', until: now, detail: JUDGE },
    ] as const;
    for (const event of steps) {
      const claims = morning.ledger as Ledger;
      const held = await claims.claim(ARTICLE, { owner: WORKER, leaseMs: 60_000, early: true });
      if (!held) throw new Error('the article is not open');
      await claims.record(held, transition(held.item, event, now));
    }
    const message = { key: 'm', itemKeys: [ARTICLE], destination: 'chat', body: '{}' };
    await morning.ledger.load([{ kind: 'delivery', delivery: newMessage(message, 0, now).delivery }]);
    const claimed = await morning.outbox.claimNext('chat', WORKER, 60_000);
    if (!claimed) throw new Error('there is no message to send');
    await morning.outbox.markSending(claimed);
    await morning.outbox.finish(claimed, { state: 'refused', detail: PLACE });
    const run = await app.engine.runs.begin('morning', WORKER, 60_000);
    if (!run) throw new Error('another run is under way');
    await app.engine.runs.end(run, { outcome: 'failed', summary: RUN, counts: {} });

    const session = async (link: string | undefined, name: string): Promise<Record<string, string>> => {
      const response = await fetch(`${server.url}/api/v1/welcome`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link, name, password: 'a long enough password' }),
      });
      return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
    };
    const owner = await session((await app.auth.accounts.ownerLink())?.token, 'hana');
    const reader = await session((await app.auth.accounts.invite()).token, 'ben');
    const item = `item?pipeline=videos&key=${encodeURIComponent(KEY)}`;
    const articlePath = `item?pipeline=morning&key=${encodeURIComponent(ARTICLE)}`;
    const read = async (path: string, headers: Record<string, string>): Promise<string> => {
      const response = await fetch(`${server.url}/api/v1/${path}`, { headers });
      expect(response.status, path).toBe(200);
      return response.text();
    };
    for (const headers of [{}, reader]) {
      const lists = ['items?pipeline=videos', 'items?pipeline=morning', 'search?q=talk'];
      const pipelines = ['pipelines', 'pipelines/morning'];
      for (const path of ['sources', ...pipelines, ...lists, item, articlePath, 'users']) {
        const response = await read(path, headers);
        expect(response, path).not.toContain('canary');
        expect(response, path).not.toContain('b6e1f5a0c2d94e7f8a3b');
      }
      const { sources } = JSON.parse(await read('sources', headers)) as { sources: unknown[] };
      expect(sources).toMatchObject([
        { id: 'private', url: 'https://example.org/', record: { movedTo: 'https://example.org/' } },
        { id: 'plain', url: 'https://example.org/plain/feed.xml' },
        { id: 'talks', url: null },
      ]);
      expect(JSON.parse(await read(item, headers))).toMatchObject({
        item: { reason: 'processor_failed' },
        history: [{ event: 'admit' }, {}],
      });
      expect(JSON.parse(await read(articlePath, headers))).toMatchObject({
        item: { reason: 'over_limit', detail: null },
        history: [{ event: 'admit' }, { detail: 'about databases' }, { reason: 'over_limit' }, {}],
        deliveries: [{ destination: 'chat', state: 'refused', detail: null }],
      });
    }
    expect(await read('sources', owner)).toContain(FEED);
    for (const path of ['items?pipeline=videos', 'search?q=talk', item])
      expect(await read(path, owner), path).toContain(OUTPUT);
    for (const path of ['items?pipeline=morning', 'search?q=talk', articlePath])
      expect(await read(path, owner), path).toContain(JUDGE);
    for (const words of [PLACE, WORKER]) expect(await read(articlePath, owner)).toContain(words);
    for (const path of ['pipelines', 'pipelines/morning'])
      expect(await read(path, owner), path).toContain(RUN);
  } finally {
    await server[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
});
