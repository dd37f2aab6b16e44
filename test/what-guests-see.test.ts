import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentTelemetry } from '../src/app/telemetry.ts';
import { openApp } from '../src/app.ts';
import { parseConfig } from '../src/config/config.ts';
import type { ItemKey } from '../src/item/item.ts';
import { transition } from '../src/ledger/contract/subject.ts';

const FEED = 'https://example.org/feed.xml?token=canary-token';
const MOVED = 'https://example.org/b6e1f5a0c2d94e7f8a3b/feed.xml';
const KEY = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' as ItemKey;
const OUTPUT = 'canary-output of the processor';

it('X7 X25 guests and readers see neither the secrets of feed addresses nor what a processor printed', async () => {
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
    });
    const ledger = app.pipelines.get('videos')?.ledger;
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

    const session = async (link: string | undefined, name: string): Promise<Record<string, string>> => {
      const answer = await fetch(`${server.url}/api/v1/welcome`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link, name, password: 'a long enough password' }),
      });
      return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
    };
    const owner = await session((await app.signing.accounts.ownerLink())?.token, 'hana');
    const reader = await session((await app.signing.accounts.invite()).token, 'ben');
    const item = `item?pipeline=videos&key=${encodeURIComponent(KEY)}`;
    const read = async (path: string, headers: Record<string, string>): Promise<string> => {
      const answer = await fetch(`${server.url}/api/v1/${path}`, { headers });
      expect(answer.status, path).toBe(200);
      return answer.text();
    };
    for (const headers of [{}, reader]) {
      for (const path of ['sources', 'pipelines', 'items?pipeline=videos', 'search?q=talk', item, 'users']) {
        const answer = await read(path, headers);
        expect(answer, path).not.toContain('canary');
        expect(answer, path).not.toContain('b6e1f5a0c2d94e7f8a3b');
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
    }
    expect(await read('sources', owner)).toContain(FEED);
    for (const path of ['items?pipeline=videos', 'search?q=talk', item])
      expect(await read(path, owner), path).toContain(OUTPUT);
  } finally {
    await server[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
});
