import { describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import type { ItemKey } from '../../../item/item.ts';
import { admitContract } from '../../../ledger/contract/admit.ts';
import { hostileInputContract } from '../../../ledger/contract/hostile-input.ts';
import { listContract } from '../../../ledger/contract/list.ts';
import {
  keyOf,
  LEASE_MS,
  type MakePipelineStores,
  present,
  sighting,
} from '../../../ledger/contract/subject.ts';
import { sweepContract } from '../../../ledger/contract/sweep.ts';
import { transferContract } from '../../../ledger/contract/transfer.ts';
import { outboxContract } from '../../../outbox/contract/outbox.ts';
import { DAY, MINUTE } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { accepted, digest, judge, messageTo, openCurator, sender } from '../curator.fixture.ts';
import { articleIds } from '../ledger/article-layout.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('the curator’s store on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  const open = (project: string, clock: ManualClock) => openCurator(project, clock, emulator.host);
  const make: MakePipelineStores = ({ clock }) => {
    const curator = open(freshProject(), clock as ManualClock);
    return { ...curator, [Symbol.asyncDispose]: curator.close };
  };

  describe('within one process', () => {
    admitContract(make);
    listContract(make, { claims: false });
    sweepContract(make);
    outboxContract(make);
    hostileInputContract(make);
    transferContract(make);
    describe(
      'claiming, recording, repeating, handing over',
      { skip: true, meta: { skipReason: 'the curator has no claims: its run holds a lease' } },
      () => it('does not apply to articles', () => {}),
    );
  });

  const article = (url: string) => sighting('x', { key: url as ItemKey, url });
  const low = { type: 'reject', reason: 'low_relevance' } as const;

  it('A7 A8 A9 the documents have the fields and the IDs of the contract', async () => {
    const clock = new ManualClock();
    const curator = open(freshProject(), clock);
    const [good, bad] = ['https://dev.to/example/post', 'https://dev.to/example/other'] as ItemKey[];
    await curator.store.admit([article(present(good)), article(present(bad))], {});
    await judge(curator, present(bad), clock, low, 35);
    const candidate = await accepted(curator, present(good), clock, 95);
    const created = await curator.store.createDigest({
      articles: [candidate],
      messages: digest([present(good)]),
      sender: sender('discord'),
    });
    const [held] = created.held;
    await curator.outbox.finish(present(held), { state: 'sent', remoteId: '1234567890123456789' });
    const notified = await curator.connection.get(['notified_articles', 'https:--dev.to-example-post']);
    expect(notified.data()).toMatchObject({
      article_url: good,
      article_title: 'About x',
      discord_message_id: '1234567890123456789',
      relevance_score: 95,
    });
    expect(notified.get('notified_at').toMillis()).toBe(clock.now());
    const rejected = await curator.connection.get(['rejected_articles', 'https:--dev.to-example-other']);
    expect(rejected.data()).toMatchObject({ article_url: bad, reason: 'low_relevance', relevance_score: 35 });
    expect(rejected.get('evaluated_at').toMillis()).toBe(clock.now());
    await curator.close();
  });

  it('A10 two URLs with one ID are two articles, and so are over-long and reserved ones', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const long = `https://a.example/${'x'.repeat(2000)}`;
    const urls = ['https://a.example/a/b', 'https://a.example/a-b', long, `${long}y`, '__a__', '..', '.'];
    const first = open(project, clock);
    expect(await first.store.admit(urls.map(article), {})).toEqual(urls.map(() => 'new'));
    for (const [index, url] of urls.entries()) await judge(first, url as ItemKey, clock, low, index);
    await first.close();
    const next = open(project, clock);
    expect(await next.store.admit(urls.map(article), {})).toEqual(urls.map(() => 'known'));
    expect(await next.store.admit([article('https://a-example/a/b'), article(`${long}z`)], {})).toEqual([
      'new',
      'new',
    ]);
    for (const [index, url] of urls.entries())
      expect((await next.store.find(url as ItemKey))?.verdict?.score).toBe(index);
    const second = await next.connection.get(['rejected_articles', present(articleIds(present(urls[1]))[1])]);
    expect(second.get('article_url')).toBe(urls[1]);
    expect(second.id).toMatch(/^https:--a\.example-a-b~[0-9a-f]{16}$/);
    await next.close();
  });

  it('A10 two URLs with one ID that one message publishes are two articles', async () => {
    const clock = new ManualClock();
    const curator = open(freshProject(), clock);
    const urls = ['https://a.example/a/b', 'https://a.example/a-b'] as ItemKey[];
    await curator.store.admit(urls.map(article), {});
    const articles = [];
    for (const url of urls) articles.push(await accepted(curator, url, clock, 95));
    const { held } = await curator.store.createDigest({
      articles,
      messages: digest(urls),
      sender: sender('discord'),
    });
    await curator.outbox.finish(present(held[0]), { state: 'sent', remoteId: '1234567890123456789' });
    for (const url of urls) expect(await curator.store.find(url)).toMatchObject({ url, state: 'published' });
    await curator.close();
  });

  it('A11 A19 200 articles are 400 reads in one call, one write for each verdict and n + 1 for n messages', async () => {
    const clock = new ManualClock();
    const curator = open(freshProject(), clock);
    const all = Array.from({ length: 200 }, (_, index) => sighting(`n${index}`));
    await curator.store.admit(all, {});
    const reads = (of: string) => curator.counted[of]?.firestore_reads_total ?? 0;
    expect(reads('notified_articles') + reads('rejected_articles')).toBe(400);
    // The result of a poll is one document.
    expect(curator.connection.used.writes).toBe(1);
    const keys = all.map(({ key }) => key);
    const [good, bad] = [keys.slice(0, 5), keys.slice(5)];
    const pending = await curator.store.pending(1_000, clock.now());
    expect(pending.map(({ item }) => item.key)).toEqual(keys);
    expect(reads('notified_articles') + reads('rejected_articles')).toBe(400);
    for (const key of bad) await curator.save(present(pending.find(({ item }) => item.key === key)), low, 10);
    const chosen = [];
    for (const key of good) {
      const one = present(pending.find(({ item }) => item.key === key));
      const saved = await curator.save(one, { type: 'accept' }, 90);
      if (saved.outcome === 'kept') chosen.push(saved.article);
    }
    const messages = [messageTo('discord', good), ...good.map((key) => messageTo('timeline', [key]))];
    const { held } = await curator.store.createDigest({
      articles: chosen,
      messages,
      sender: sender('discord', 'timeline'),
    });
    expect(held.map(({ delivery }) => delivery.destination)).toEqual(['discord', 'timeline']);
    for (const first of held)
      for (let next: typeof first | null = first; next !== null; ) {
        expect(next.marked).toBe(true);
        const sent = { state: 'sent', remoteId: '1234567890123456789' } as const;
        next = (await curator.outbox.finishAndClaimNext(next, sent, LEASE_MS)).next;
      }
    await curator.store.updatePending({ judged: keys, postponed: [] });
    const writes = Object.fromEntries(
      Object.entries(curator.counted).map(([of, counts]) => [of, counts.firestore_writes_total ?? 0]),
    );
    expect(writes).toMatchObject({ notified_articles: 5, rejected_articles: 195, articles_outbox: 7 });
    expect(curator.connection.used).toMatchObject({ writes: 1 + 200 + 7, deletes: 1 });
    expect((await curator.store.counts()).byState).toMatchObject({ published: 5, rejected: 195, waiting: 0 });
    await curator.close();
  });

  it('A19 a feed that shows recorded articles again costs no more reads of them', async () => {
    const clock = new ManualClock();
    const curator = open(freshProject(), clock);
    await curator.store.admit([sighting('a')], {});
    await judge(curator, keyOf('a'), clock, low, 1);
    await curator.store.admit([sighting('a')], {});
    const before = curator.connection.used.reads;
    expect(await curator.store.admit([sighting('a')], {})).toEqual(['known']);
    expect(curator.connection.used.reads).toBe(before);
    await curator.close();
  });

  it('A19 every replica reports the usage of today, including that of replicas that ended', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const first = open(project, clock);
    await first.store.admit([sighting('a')], {});
    await judge(first, keyOf('a'), clock, low, 1);
    await first.close();
    const next = open(project, clock);
    const { reads, writes } = await next.connection.usageToday();
    expect(reads).toBeGreaterThanOrEqual(2);
    expect(writes).toBeGreaterThanOrEqual(2);
    clock.jump(2 * DAY);
    expect((await next.connection.usageToday()).writes).toBeLessThanOrEqual(1);
    await next.close();
  });

  it('A5 waiting articles and candidates that were not chosen are stored for other processes, with their verdicts', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const first = open(project, clock);
    await first.store.admit([sighting('a'), sighting('b'), sighting('c')], {});
    await judge(first, keyOf('a'), clock, { type: 'accept' }, 80);
    // The process ends here, and the feed no longer has any of them.
    const next = open(project, clock);
    expect(await next.store.candidates()).toMatchObject([
      { item: { key: keyOf('a'), verdict: { score: 80 } } },
    ]);
    expect((await next.store.pending(9, clock.now())).map(({ item }) => item.key)).toEqual([
      keyOf('b'),
      keyOf('c'),
    ]);
    await next.close();
    await first.close();
  });

  it('A5 an article that got its verdict from a run that died is not judged again', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const dead = open(project, clock);
    await dead.store.admit([sighting('a'), sighting('b'), sighting('c'), sighting('d')], {});
    const pending = await dead.store.pending(9, clock.now());
    const [a, b, c] = pending;
    await dead.save(present(a), low, 5);
    const good = await dead.save(present(b), { type: 'accept' }, 80);
    const chosen = await dead.save(present(c), { type: 'accept' }, 90);
    if (good.outcome !== 'kept' || chosen.outcome !== 'kept')
      throw new Error('They are kept until the choice.');
    await dead.store.saveCandidates([good.article]);
    await dead.store.createDigest({
      articles: [chosen.article],
      messages: digest([keyOf('c')]),
      sender: sender(),
    });
    await clock.advance(MINUTE);
    const next = open(project, clock);
    expect((await next.store.pending(9, clock.now())).map(({ item }) => item.key)).toEqual([keyOf('d')]);
    expect((await next.store.candidates()).map(({ item }) => item.key)).toEqual([keyOf('b')]);
    expect(await next.store.openDigests()).toMatchObject([{ articles: [{ key: keyOf('c') }] }]);
    // It no longer counts as waiting either.
    expect((await next.store.counts()).byState).toMatchObject({ waiting: 1, rejected: 1 });
    for (const curator of [dead, next]) await curator.close();
  });

  it('X2 X3 a URL in another form than the key names no second item', async () => {
    const clock = new ManualClock();
    const curator = open(freshProject(), clock);
    const slashed = `${keyOf('a')}/` as ItemKey;
    await curator.store.admit([sighting('a', { url: slashed })], {});
    await judge(curator, keyOf('a'), clock, low, 1);
    const { relevance_score, reason, evaluated_at } = present(
      (await curator.connection.get(['rejected_articles', 'https:--news.example-a-'])).data(),
    );
    const original = { relevance_score, reason, evaluated_at };
    const at = ['rejected_articles', 'https:--news.example-b-'] as const;
    await curator.connection.commit([{ do: 'set', at, data: original }]);
    expect(await curator.store.find(keyOf('a'))).toMatchObject({ key: keyOf('a'), url: slashed });
    expect(await curator.store.find(slashed)).toBeNull();
    expect(await curator.store.find(`${keyOf('b')}/` as ItemKey)).toBeNull();
    expect(await curator.store.find('https:--news.example-b-' as ItemKey)).toMatchObject({
      state: 'rejected',
    });
    await curator.close();
  });

  it('A12 recognises articles that another program recorded under the same contract', async () => {
    const clock = new ManualClock();
    const curator = open(freshProject(), clock);
    const data = {
      notified_at: new Date(),
      discord_message_id: '1',
      article_title: 'Old',
      relevance_score: 71,
    };
    const at = ['notified_articles', 'https:--news.example-a'] as const;
    await curator.connection.commit([{ do: 'set', at, data }]);
    expect(await curator.store.admit([sighting('a'), sighting('b')], {})).toEqual(['known', 'new']);
    expect(await curator.store.find(keyOf('a'))).toMatchObject({ state: 'published', title: 'Old' });
    await curator.close();
  });
});
