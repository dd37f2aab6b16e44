import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loopback, plainFetcher } from '../../src/fetch/loopback.fixture.ts';
import { judgeContract } from '../../src/judge/contract/judge.ts';
import { interestsOf } from '../../src/judge/interests.ts';
import type { Judge } from '../../src/judge/judge.ts';
import { createLocalJudge } from '../../src/judge/local/local-judge.ts';
import { messageOf } from '../../src/publishers/contract/sample-content.ts';
import type { PollBatch } from '../../src/sources/admission.ts';
import { sourceStoreContract } from '../../src/sources/contract/source-store.ts';
import { Poller } from '../../src/sources/poller.ts';
import { MemorySourceStore } from '../../src/storage/memory/source-store.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { carefulJudge } from './kawaraban-plugin-sitemap/careful-judge.js';
import { filePublisher } from './kawaraban-plugin-sitemap/file-publisher.js';
import { FolderSourceStore } from './kawaraban-plugin-sitemap/folder-source-store.js';
import { sitemapSource } from './kawaraban-plugin-sitemap/sitemap-source.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-examples-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the example of a source', () => {
  it('reports each page once, requests only changes, and reports failures', async () => {
    let pages = ['/news/first-story', '/news/second-story?utm_source=map'];
    let status = 200;
    const asked: string[] = [];
    const server = await loopback((request, response) => {
      asked.push(request.headers['if-none-match'] ?? 'everything');
      const etag = `"${pages.length}"`;
      if (status !== 200) return void response.writeHead(status).end();
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
      const urls = pages.map(
        (page) => `<url><loc>https://site.example${page}</loc><lastmod>2026-11-15</lastmod></url>`,
      );
      response.writeHead(200, { etag }).end(`<urlset>${urls.join('')}</urlset>`);
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const clock = new ManualClock();
    const source = sitemapSource({
      id: 'site',
      name: 'A Site',
      url: `${server.url}/sitemap.xml`,
      fetcher: plainFetcher,
      clock,
    });
    const arrivals: PollBatch[] = [];
    const polled = { source, interval: { ms: 60_000, isFixed: true } };
    const poller = new Poller({
      sources: new Map([['site', polled]]),
      store: new MemorySourceStore(clock),
      clock,
      random: () => 0,
      owner: 'test',
      admission: {
        admit: async (arrival) => void arrivals.push(arrival),
        hasNewcomer: async () => false,
        takeAdmitted: () => 0,
      },
    });
    const round = async () => {
      const report = await poller.poll(polled, new AbortController().signal);
      await clock.advance(3_600_000);
      return report.outcome;
    };
    expect(await round()).toBe('read');
    expect(arrivals[0]?.sightings.map(({ title, key }) => [title, key])).toEqual([
      ['first story', 'https://site.example/news/first-story'],
      ['second story', 'https://site.example/news/second-story'],
    ]);
    expect(await round()).toBe('unchanged');
    pages = [...pages, '/news/third-story'];
    expect(await round()).toBe('read');
    status = 503;
    expect(await round()).toBe('failed');
    expect(asked).toEqual(['everything', '"2"', '"2"', '"3"']);
  });
});

judgeContract('the example', async () => ({
  judge: carefulJudge('careful', createLocalJudge(), createLocalJudge()),
  async [Symbol.asyncDispose]() {},
}));

describe('the example of a judge', () => {
  const article = {
    url: 'https://a.example/',
    title: 'Weaving',
    text: 'Weaving is slow. Our weaving group meets on Mondays.',
  };
  const interests = interestsOf([{ topic: 'weaving', priority: 'high' }]);
  const local = createLocalJudge();

  it('lets the stricter one decide', async () => {
    const strict: Judge = {
      ...local,
      evaluate: async (...asked) => {
        const answer = await local.evaluate(...asked);
        return answer.outcome === 'judged' ? { ...answer, value: { ...answer.value, score: 3 } } : answer;
      },
    };
    for (const judge of [carefulJudge('c', local, strict), carefulJudge('c', strict, local)])
      expect(await judge.evaluate(article, interests)).toMatchObject({
        value: { score: 3 },
        by: { judge: 'c' },
      });
  });

  it('X18 waits if one of them is unavailable', async () => {
    const away: Judge = {
      ...local,
      evaluate: async () => ({ outcome: 'later', why: 'unreachable', detail: 'away' }),
    };
    for (const judge of [carefulJudge('c', local, away), carefulJudge('c', away, local)])
      expect(await judge.evaluate(article, interests)).toMatchObject({ outcome: 'later' });
  });
});

describe('the example of a publisher', () => {
  it('X2 sends a message, reads it back, and reports one that was never sent', async () => {
    const path = join(folder, 'said.txt');
    const publisher = filePublisher('file', path);
    const message = messageOf(publisher, 'key-1');
    expect(await publisher.readBack(message)).toEqual({ outcome: 'absent' });
    expect(await publisher.send(message)).toEqual({ outcome: 'sent', remoteId: 'key-1' });
    expect(await publisher.readBack(message)).toEqual({ outcome: 'found', remoteId: 'key-1' });
    expect(await publisher.readBack(messageOf(publisher, 'key-2'))).toEqual({ outcome: 'absent' });
    expect(readFileSync(path, 'utf8')).toBe(`key-1 ${message.body}\n`);
  });

  it('X18 holds a message that cannot be sent yet, and reports an unknown outcome', async () => {
    const nowhere = filePublisher('file', join(folder, 'not', 'there.txt'));
    expect(await nowhere.send(messageOf(nowhere, 'key-1'))).toMatchObject({ outcome: 'held' });
    mkdirSync(join(folder, 'a-folder'));
    const noFile = filePublisher('file', join(folder, 'a-folder'));
    expect(await noFile.send(messageOf(noFile, 'key-1'))).toMatchObject({ outcome: 'unknown' });
    expect(await noFile.readBack(messageOf(noFile, 'key-1'))).toMatchObject({ outcome: 'cannot_tell' });
  });
});

sourceStoreContract('The example', async () => {
  const at = join(folder, 'sources');
  return {
    store: new FolderSourceStore(at),
    isShared: false,
    reopen: async () => new FolderSourceStore(at),
    dispose: async () => {},
  };
});
