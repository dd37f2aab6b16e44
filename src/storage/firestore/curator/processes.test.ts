import { expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import { keyOf, LEASE_MS, present, sighting, transition } from '../../../ledger/contract/subject.ts';
import type { ItemRecord } from '../../../ledger/item-record.ts';
import type { Delivery } from '../../../outbox/outbox.ts';
import { DAY, MINUTE } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import type { Write } from '../connection.ts';
import { accepted, digest, judge, messageTo, openCurator, sender } from '../curator.fixture.ts';
import { hashOf } from '../ledger/document.ts';
import type { FormerMessage } from './documents.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('the curator’s store on Firestore in several processes', () => {
  const emulator = emulatorForThisFile('firestore');
  const open = (project: string, clock: ManualClock) => openCurator(project, clock, emulator.host);
  const SENT = { state: 'sent', remoteId: '1234567890123456789' } as const;

  it('X2 X21 a message that was being sent when its process died is found with its articles', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const dead = open(project, clock);
    await dead.store.admit([sighting('a')], {});
    const articles = [await accepted(dead, keyOf('a'), clock)];
    const messages = digest([keyOf('a')]);
    await dead.store.createDigest({ articles, messages, sender: sender('discord') });
    const next = open(project, clock);
    expect(await next.outbox.claimNext('discord', 'next', LEASE_MS)).toBeNull();
    expect(await next.outbox.nextDue(['discord'])).toBe(clock.now() + LEASE_MS);
    await clock.advance(LEASE_MS);
    const held = present(await next.outbox.claimNext('discord', 'next', LEASE_MS));
    expect(held.delivery).toMatchObject({ state: 'sending', attempts: 1 });
    expect(await next.store.admit([sighting('a')], {})).toEqual(['known']);
    expect(await next.outbox.finish(held, SENT)).toBe('finished');
    // The write that finished the message also recorded the article.
    const third = open(project, clock);
    expect(await third.store.find(keyOf('a'))).toMatchObject({ state: 'published', verdict: { score: 80 } });
    expect((await third.store.history(keyOf('a'))).map(({ event }) => event)).toContain('publish');
    const notified = await third.connection.get(['notified_articles', 'https:--news.example-a']);
    expect(notified.get('discord_message_id')).toBe(SENT.remoteId);
    for (const curator of [dead, next, third]) await curator.close();
  });

  it('X2 of several processes that put one article into a digest exactly one succeeds', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const processes = [open(project, clock), open(project, clock), open(project, clock)];
    await present(processes[0]).store.admit([sighting('a'), sighting('b')], {});
    const outcomes = await Promise.all(
      processes.map(async (curator, nth) => {
        const articles = [await accepted(curator, keyOf('a'), clock)];
        const messages = [{ ...present(digest([keyOf('a')])[0]), key: `digest-${nth}` }];
        return (await curator.store.createDigest({ articles, messages, sender: sender('discord') })).outcome;
      }),
    );
    expect(outcomes.toSorted()).toEqual(['created', 'taken', 'taken']);
    expect(await present(processes[1]).outbox.ofItem(keyOf('a'))).toHaveLength(1);
    for (const curator of processes) await curator.close();
  });

  it('X2 X21 an article that another run published is in no second digest, and blocks no other', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const [late, other] = [open(project, clock), open(project, clock)];
    await late.store.admit([sighting('a'), sighting('b')], {});
    const lateArticles = [await accepted(late, keyOf('a'), clock), await accepted(late, keyOf('b'), clock)];
    const articles = [await accepted(other, keyOf('a'), clock)];
    const messages = digest([keyOf('a')]);
    const { held } = await other.store.createDigest({ articles, messages, sender: sender('discord') });
    await other.outbox.finish(present(held[0]), SENT);
    const both = [messageTo('timeline', [keyOf('a'), keyOf('b')])];
    const again = { articles: lateArticles, messages: both, sender: sender('timeline') };
    expect(await late.store.createDigest(again)).toEqual({ outcome: 'taken', held: [] });
    await late.store.saveCandidates(lateArticles);
    expect((await late.store.candidates()).map(({ item }) => item.key)).toEqual([keyOf('b')]);
    for (const curator of [late, other]) await curator.close();
  });

  it('X2 of several processes that admit one article exactly one admits it as new', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const processes = [open(project, clock), open(project, clock), open(project, clock)];
    for (const names of [
      ['a', 'b'],
      ['b', 'c'],
    ]) {
      const all = names.map((name) => sighting(name));
      const outcomes = await Promise.all(processes.map(({ store }) => store.admit(all, {})));
      for (const [nth, { key }] of all.entries())
        expect(outcomes.filter((some) => some[nth] === 'new')).toHaveLength(
          key === keyOf('b') && names[0] === 'b' ? 0 : 1,
        );
    }
    const [first] = processes;
    expect((await present(first).store.pending(9, 0)).map(({ item }) => item.key).toSorted()).toEqual(
      ['a', 'b', 'c'].map(keyOf),
    );
    for (const curator of processes) await curator.close();
  });

  it('X21 a verdict on an article that a person decided on meanwhile is lost', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const [worker, web] = [open(project, clock), open(project, clock)];
    await worker.store.admit([sighting('a'), sighting('b')], {});
    await judge(worker, keyOf('b'), clock, { type: 'accept' }, 80);
    const [waiting] = await worker.store.pending(1, clock.now());
    const candidate = present(await worker.store.article(keyOf('b')));
    await clock.advance(1);
    const park = { type: 'park', reason: 'by_person' } as const;
    for (const name of ['a', 'b'])
      expect(await web.store.intervene(keyOf(name), park, 'maria')).toMatchObject({ done: true });
    for (const article of [present(waiting), candidate]) {
      const reject = transition(article.item, { type: 'reject', reason: 'low_relevance' }, clock.now());
      const saved = await worker.store.saveVerdict(article, reject);
      expect(saved).toEqual({ outcome: 'lost' });
    }
    for (const name of ['a', 'b'])
      expect(await web.store.find(keyOf(name))).toMatchObject({ state: 'parked', reason: 'by_person' });
    for (const curator of [worker, web]) await curator.close();
  });

  it('X20 an article that another process swept is not admitted as new', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const first = open(project, clock);
    await first.store.admit([sighting('a'), sighting('b')], { baseline: ({ key }) => key === keyOf('b') });
    await judge(first, keyOf('a'), clock, { type: 'publish' }, 80);
    await clock.advance(91 * DAY);
    const sweeper = open(project, clock);
    const plan = { keep: { published: 90 * DAY }, keepTombstones: 365 * DAY, dryRun: false };
    expect((await sweeper.store.sweep(plan)).swept).toEqual({ published: 1 });
    expect(await first.store.admit([sighting('a'), sighting('b')], {})).toEqual(['swept', 'known']);
    for (const curator of [sweeper, first]) await curator.close();
  });

  const ORIGINALS = 160;
  const swept = ['a', 'b', 'c', ...Array.from({ length: ORIGINALS }, (_, nth) => `old/${nth}`)];

  /** Two digests for two destinations, and more documents of the original program than one batch of a sweep takes. */
  async function writeOldArticles(project: string, clock: ManualClock): Promise<void> {
    const curator = open(project, clock);
    await curator.connection.commit(
      Array.from({ length: ORIGINALS }, (_, nth) => ({
        do: 'set' as const,
        at: ['notified_articles', `https:--news.example-old-${nth}`] as const,
        data: {
          notified_at: new Date(clock.now()),
          discord_message_id: SENT.remoteId,
          article_title: 'Old',
          relevance_score: 80,
        },
      })),
    );
    const names = ['a', 'b', 'c'];
    await curator.store.admit(
      names.map((name) => sighting(name)),
      {},
    );
    for (const group of [['a', 'b'], ['c']]) {
      const keys = group.map(keyOf);
      const articles = [];
      for (const key of keys) articles.push(await accepted(curator, key, clock));
      const messages = [messageTo('discord', keys), messageTo('timeline', keys)];
      const { held } = await curator.store.createDigest({
        articles,
        messages,
        sender: sender('discord', 'timeline'),
      });
      for (const one of held) await curator.outbox.finish(one, SENT);
      await curator.store.updatePending({ judged: keys, postponed: [] });
      await clock.advance(MINUTE);
    }
    await curator.close();
  }

  it.each(['before', 'after'] as const)(
    'A14 X20 a sweep that is killed %s any of its writes never makes an article new again',
    async (moment) => {
      const plan = { keep: { published: 90 * DAY }, keepTombstones: 365 * DAY, dryRun: false };
      for (let at = 1; ; at++) {
        const clock = new ManualClock();
        const project = freshProject();
        await writeOldArticles(project, clock);
        const killed = open(project, clock);
        let writes = 0;
        const commit = killed.connection.commit.bind(killed.connection);
        killed.connection.commit = async (all) => {
          const isLast = ++writes === at;
          if (isLast && moment === 'before') throw new Error('killed');
          const done = await commit(all);
          if (isLast) throw new Error('killed');
          return done;
        };
        const isKilled = (error: unknown): 'killed' => {
          expect(error).toMatchObject({ message: 'killed' });
          return 'killed';
        };
        // First only the first digest is old enough, then everything.
        await clock.advance(90 * DAY - 2 * MINUTE + 1);
        let ended = await killed.store.sweep(plan).catch(isKilled);
        if (ended !== 'killed') {
          await expectNothingNew(project, clock);
          await clock.advance(DAY);
          ended = await killed.store.sweep(plan).catch(isKilled);
        }
        await expectNothingNew(project, clock);
        const next = open(project, clock);
        await clock.advance(DAY);
        expect(await next.store.sweep(plan)).toMatchObject({ complete: true });
        expect((await next.store.counts()).byState.published).toBe(0);
        await next.close();
        await expectNothingNew(project, clock);
        await killed.close();
        if (ended !== 'killed') {
          expect(at).toBeGreaterThan(3);
          return;
        }
      }
    },
  );

  /** As the next process finds it: every article is known or swept, and nothing waits to be sent. */
  async function expectNothingNew(project: string, clock: ManualClock): Promise<void> {
    const next = open(project, clock);
    const outcomes = await next.store.admit(
      swept.map((name) => sighting(name)),
      {},
    );
    expect(swept.filter((_, nth) => outcomes[nth] === 'new')).toEqual([]);
    const { accepted: candidates, waiting, deferred } = (await next.store.counts()).byState;
    expect({ candidates, waiting, deferred }).toEqual({ candidates: 0, waiting: 0, deferred: 0 });
    expect(await next.outbox.nextDue(['discord', 'timeline'])).toBeNull();
    await next.close();
  }

  /** A message of the previous version: a document of its own. */
  function former(message: FormerMessage): Write {
    const { delivery, nth } = message;
    const data = {
      key: delivery.key,
      destination: delivery.destination,
      state: delivery.state,
      open: ['intended', 'sending', 'unknown'].includes(delivery.state),
      nth,
      item_ids: delivery.itemKeys.map((key) => hashOf(key)),
      remote_id: delivery.remoteId,
      created_at: new Date(delivery.createdAt),
      updated_at: new Date(delivery.updatedAt),
      content: JSON.stringify(message),
    };
    return { do: 'set', at: ['articles_outbox', hashOf(delivery.key)], data };
  }

  /** The state in memory of a process of the previous version. */
  async function formerArticle(name: string, clock: ManualClock): Promise<ItemRecord> {
    const scratch = open(freshProject(), clock);
    await scratch.store.admit([sighting(name)], {});
    const { record } = await accepted(scratch, keyOf(name), clock);
    await scratch.close();
    return (record as { stored: ItemRecord }).stored;
  }

  function formerDelivery(key: string, names: readonly string[], more: Partial<Delivery>): Delivery {
    return {
      key,
      itemKeys: names.map(keyOf),
      destination: 'discord',
      body: '{}',
      state: 'intended',
      remoteId: null,
      remoteUrl: null,
      detail: null,
      attempts: 0,
      createdAt: 0,
      firstTriedAt: null,
      updatedAt: 0,
      dueAt: null,
      ...more,
    };
  }

  it('X22 X2 a digest that the previous version was sending when it died is continued, each message once', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const articles = [await formerArticle('a', clock), await formerArticle('b', clock)];
    const next = open(project, clock);
    const drop = (name: string, nth: number, more: Partial<Delivery> = {}): FormerMessage => ({
      delivery: formerDelivery(`drop-${name}`, [name], { destination: 'timeline', ...more }),
      nth,
      token: 1,
      marked: 1,
      held: null,
      articles: articles.filter(({ item }) => item.key === keyOf(name)),
    });
    await next.connection.commit([
      // The first drop is sent, the second was not written yet, and Discord’s message was being sent.
      former({ ...drop('a', 2, { state: 'sent', remoteId: 'd-a', attempts: 1 }), carried: [drop('b', 3)] }),
      former({
        delivery: formerDelivery('digest', ['a', 'b'], { state: 'sending', attempts: 1, firstTriedAt: 1 }),
        nth: 1,
        token: 1,
        marked: 1,
        held: { owner: 'dead', until: clock.now(), attempt: '' },
        articles,
        carried: [drop('b', 3)],
      }),
    ]);
    expect(await next.adopt()).toBe(2);
    expect(await next.adopt()).toBe(0);
    expect(await next.store.admit([sighting('a'), sighting('b')], {})).toEqual(['known', 'known']);
    expect(await next.store.openDigests()).toMatchObject([
      { articles: [{ key: keyOf('a'), state: 'accepted' }, { key: keyOf('b') }] },
    ]);
    const listed = async () =>
      (await next.outbox.list({ limit: 9 })).deliveries.map(({ key, state }) => [key, state]);
    expect((await listed()).toSorted()).toEqual([
      ['digest', 'sending'],
      ['drop-a', 'sent'],
      ['drop-b', 'intended'],
    ]);
    const found = present(await next.outbox.claimNext('discord', 'w', LEASE_MS));
    expect(found.delivery).toMatchObject({ key: 'digest', state: 'sending', attempts: 1 });
    await next.outbox.finish(found, SENT);
    expect(await next.store.find(keyOf('a'))).toMatchObject({ state: 'published' });
    expect(await next.store.find(keyOf('b'))).toMatchObject({ state: 'accepted' });
    const missing = present(await next.outbox.claimNext('timeline', 'w', LEASE_MS));
    expect(missing.delivery).toMatchObject({ key: 'drop-b', state: 'intended' });
    expect(await next.outbox.markSending(missing)).toBe('marked');
    await next.outbox.finish(missing, { state: 'sent', remoteId: 'd-b' });
    expect(await next.store.find(keyOf('b'))).toMatchObject({ state: 'published', verdict: { score: 80 } });
    expect(await next.outbox.nextDue(['discord', 'timeline'])).toBeNull();
    expect(await next.outbox.counts()).toMatchObject({ sent: 3, intended: 0 });
    await next.close();
  });

  it('X22 A13 X13 an article that an earlier version recorded as notified though Discord refused it is sent by a retry', async () => {
    const clock = new ManualClock();
    const curator = open(freshProject(), clock);
    const slashed = sighting('a', { url: `${keyOf('a')}/` });
    await curator.store.admit([slashed], {});
    await judge(curator, keyOf('a'), clock, { type: 'publish' }, 80);
    const refused = formerDelivery('digest-1', ['a'], { state: 'refused', detail: '400', attempts: 1 });
    await curator.connection.commit([former({ delivery: refused, nth: 1, token: 1, marked: 1, held: null })]);
    await curator.adopt();
    expect(await curator.outbox.decide('digest-1', 'again', 'maria')).toBe(true);
    const again = present(await curator.outbox.claimNext('discord', 'w', LEASE_MS));
    expect(await curator.outbox.markSending(again)).toBe('marked');
    await curator.outbox.finish(again, SENT);
    const recorded = await curator.connection.get(['notified_articles', 'https:--news.example-a-']);
    expect(recorded.get('discord_message_id')).toBe(SENT.remoteId);
    expect((await curator.store.list({ limit: 9 })).items).toMatchObject([
      { key: keyOf('a'), state: 'published' },
    ]);
    await curator.close();
  });

  it('X22 X2 a superseded message of the previous version is removed, and its article is sent where it is missing', async () => {
    const clock = new ManualClock();
    const curator = open(freshProject(), clock);
    await curator.store.admit([sighting('b')], {});
    await judge(curator, keyOf('b'), clock, { type: 'accept' }, 80);
    const sent = { nth: 1, token: 1, marked: 1, held: null };
    const drop = formerDelivery('drop-b', ['b'], { destination: 'timeline', state: 'sent', remoteId: 'd' });
    const superseded = formerDelivery('digest', ['b'], { state: 'dropped' });
    await curator.connection.commit([
      former({ ...sent, delivery: drop }),
      former({ ...sent, nth: 2, delivery: superseded, gaveWay: true }),
    ]);
    await curator.adopt();
    expect((await curator.outbox.ofItem(keyOf('b'))).map(({ key }) => key)).toEqual(['drop-b']);
    expect(await curator.store.candidates()).toEqual([]);
    const [open1] = await curator.store.openDigests();
    expect(open1).toMatchObject({ articles: [{ key: keyOf('b') }], messages: [{ key: 'drop-b' }] });
    await curator.store.updateDigest(present(open1).id, [messageTo('discord', [keyOf('b')])]);
    const held = present(await curator.outbox.claimNext('discord', 'w', LEASE_MS));
    await curator.outbox.markSending(held);
    await curator.outbox.finish(held, SENT);
    expect(await curator.store.find(keyOf('b'))).toMatchObject({
      state: 'published',
      detail: 'timeline, discord',
    });
    await curator.close();
  });
});
