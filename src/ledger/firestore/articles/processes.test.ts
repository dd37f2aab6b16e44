import { expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import { DAY, MINUTE } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { keyOf, LEASE, present, sighting, transition } from '../../contract/subject.ts';
import { digest, judge, openArticles } from './articles.fixture.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('the ledger of articles in several processes', () => {
  const emulator = emulatorForThisFile('firestore');
  const open = (project: string, clock: ManualClock) => openArticles(project, clock, emulator.host);

  it('X2 a message that was being sent when its process died is found with its articles', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const dead = open(project, clock);
    await dead.ledger.admit([sighting('a')], {});
    await judge(dead, keyOf('a'), clock, { type: 'accept' }, 80);
    await dead.outbox.intend(digest([keyOf('a')]));
    await dead.outbox.markSending(present(await dead.outbox.take('discord', 'dead', LEASE)));
    await clock.advance(LEASE);
    const next = open(project, clock);
    const held = present(await next.outbox.take('discord', 'next', LEASE));
    expect(held.delivery).toMatchObject({ state: 'sending', attempts: 1 });
    expect(await next.ledger.admit([sighting('a')], {})).toEqual(['known']);
    expect(await next.outbox.settle(held, { state: 'sent', remoteId: '9' })).toBe('settled');
    await judge(next, keyOf('a'), clock, { type: 'publish' }, 80);
    await next.close();
    const third = open(project, clock);
    expect(await third.ledger.admit([sighting('a')], {})).toEqual(['known']);
    expect((await third.ledger.history(keyOf('a'))).map(({ event }) => event)).toContain('publish');
    await third.close();
    await dead.close();
  });

  it('X2 an article whose message was sent and whose process died before it was recorded is not news', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const dead = open(project, clock);
    await dead.ledger.admit([sighting('a')], {});
    await judge(dead, keyOf('a'), clock, { type: 'accept' }, 80);
    await dead.outbox.intend(digest([keyOf('a')]));
    const held = present(await dead.outbox.take('discord', 'dead', LEASE));
    await dead.outbox.markSending(held);
    await dead.outbox.settle(held, { state: 'sent', remoteId: '1234567890123456789' });
    const next = open(project, clock);
    expect(await next.ledger.admit([sighting('a')], {})).toEqual(['known']);
    expect(await next.outbox.intend([{ ...present(digest([keyOf('a')])[0]), key: 'digest-2' }])).toBe(
      'taken',
    );
    await judge(next, keyOf('a'), clock, { type: 'publish' }, 80);
    expect(
      (await next.connection.get(['notified_articles', 'https:--news.example-a'])).get('discord_message_id'),
    ).toBe('1234567890123456789');
    await next.close();
    await dead.close();
  });

  it('X21 a run that lost its lease says nothing: another one said it meanwhile', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const [slept, other] = [open(project, clock), open(project, clock)];
    for (const memory of [slept, other]) {
      await memory.ledger.admit([sighting('a')], {});
      await judge(memory, keyOf('a'), clock, { type: 'accept' }, 80);
    }
    await slept.outbox.intend([{ ...present(digest([keyOf('a')])[0]), key: 'digest-of-the-sleeper' }]);
    const sleeping = present(await slept.outbox.take('discord', 'slept', 60 * MINUTE));
    await other.outbox.intend(digest([keyOf('a')]));
    const held = present(await other.outbox.take('discord', 'other', LEASE));
    expect(await other.outbox.markSending(held)).toBe('marked');
    await other.outbox.settle(held, { state: 'sent', remoteId: '9' });
    await judge(other, keyOf('a'), clock, { type: 'publish' }, 80);
    expect(await slept.outbox.markSending(sleeping)).toBe('lost');
    await slept.close();
    await other.close();
  });

  it('X21 a process that slept while it was sending settles nothing that another has taken up', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const slept = open(project, clock);
    await slept.ledger.admit([sighting('a')], {});
    await judge(slept, keyOf('a'), clock, { type: 'accept' }, 80);
    await slept.outbox.intend(digest([keyOf('a')]));
    const sleeping = present(await slept.outbox.take('discord', 'slept', LEASE));
    expect(await slept.outbox.markSending(sleeping)).toBe('marked');
    await clock.advance(LEASE);
    const other = open(project, clock);
    const held = present(await other.outbox.take('discord', 'other', LEASE));
    expect(held).toMatchObject({ token: 2, delivery: { state: 'sending' } });
    expect(await other.outbox.markSending(held)).toBe('marked');
    expect(await slept.outbox.settle(sleeping, { state: 'refused', detail: 'late' })).toBe('lost');
    expect(await other.outbox.settle(held, { state: 'sent', remoteId: '9' })).toBe('settled');
    expect(await slept.outbox.settle(sleeping, { state: 'refused', detail: 'late' })).toBe('lost');
    const next = open(project, clock);
    expect(await next.outbox.ofItem(keyOf('a'))).toMatchObject([{ state: 'sent', remoteId: '9' }]);
    for (const memory of [slept, other, next]) await memory.close();
  });

  it('X21 a copy that stands by takes up what a dead one left, and leaves alone what a living one saw through', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const [one, by] = [open(project, clock), open(project, clock)];
    const line = ['discord'];
    expect(await by.outbox.nextDue(line)).toBeNull();
    const sending = async (name: string) => {
      await one.ledger.admit([sighting(name)], {});
      await judge(one, keyOf(name), clock, { type: 'accept' }, 80);
      await one.outbox.intend([{ ...present(digest([keyOf(name)])[0]), key: `digest-${name}` }]);
      const held = present(await one.outbox.take('discord', 'one', LEASE));
      expect(await one.outbox.markSending(held)).toBe('marked');
      return held;
    };
    await clock.advance(MINUTE);
    const first = await sending('a');
    // It sees the message in the other's hands and waits for the end of the hold.
    expect(await by.outbox.nextDue(line)).toBe(first.until);
    await one.outbox.settle(first, { state: 'sent', remoteId: '9' });
    await clock.advance(LEASE);
    // As far as it knows, nobody has seen it through. It asks before it believes that.
    expect(await by.outbox.nextDue(line)).toBe(first.until);
    expect(await by.outbox.take('discord', 'by', LEASE)).toBeNull();
    expect(await by.outbox.ofItem(keyOf('a'))).toMatchObject([{ state: 'sent', remoteId: '9' }]);
    expect(await by.outbox.nextDue(line)).toBeNull();
    const second = await sending('b');
    await clock.advance(MINUTE + LEASE);
    expect(await by.outbox.nextDue(line)).toBe(second.until);
    const taken = present(await by.outbox.take('discord', 'by', LEASE));
    expect(taken.delivery).toMatchObject({ key: 'digest-b', state: 'sending', attempts: 1 });
    for (const memory of [one, by]) await memory.close();
  });

  it('X21 what another process found out stays, whatever a late one believes', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const one = open(project, clock);
    await one.ledger.admit([sighting('a')], {});
    await judge(one, keyOf('a'), clock, { type: 'accept' }, 80);
    await one.outbox.intend(digest([keyOf('a')]));
    const sending = present(await one.outbox.take('discord', 'one', LEASE));
    expect(await one.outbox.markSending(sending)).toBe('marked');
    await clock.advance(LEASE);
    const by = open(project, clock);
    const late = present(await by.outbox.take('discord', 'by', LEASE));
    await one.outbox.settle(sending, { state: 'sent', remoteId: '9' });
    expect(await by.outbox.settle(late, { state: 'parked', detail: 'nobody knows' })).toBe('lost');
    const next = open(project, clock);
    expect(await next.outbox.ofItem(keyOf('a'))).toMatchObject([{ state: 'sent', remoteId: '9' }]);
    for (const memory of [one, by, next]) await memory.close();
  });

  it('X2 what a process was going to say elsewhere when it died is said by the next one', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const dead = open(project, clock);
    await dead.ledger.admit([sighting('a'), sighting('b')], {});
    for (const name of ['a', 'b']) await judge(dead, keyOf(name), clock, { type: 'accept' }, 80);
    const drops = ['a', 'b'].map((name) => ({
      key: `drop-${name}`,
      itemKeys: [keyOf(name)],
      destination: 'timeline',
      body: `drop ${name}`,
    }));
    await dead.outbox.intend([...digest([keyOf('a'), keyOf('b')]), ...drops]);
    const said = present(await dead.outbox.take('discord', 'dead', LEASE));
    await dead.outbox.markSending(said);
    await dead.outbox.settle(said, { state: 'sent', remoteId: '9' });
    const first = present(await dead.outbox.take('timeline', 'dead', LEASE));
    await dead.outbox.markSending(first);
    await dead.outbox.settle(first, { state: 'sent', remoteId: 'd1' });

    const next = open(project, clock);
    const left = present(await next.outbox.take('timeline', 'next', LEASE));
    expect(left.delivery).toMatchObject({ key: 'drop-b', state: 'intended', body: 'drop b' });
    expect(await next.ledger.find(keyOf('b'))).toMatchObject({ state: 'accepted', verdict: { score: 80 } });
    expect((await next.outbox.ofItem(keyOf('b'))).map(({ key, state }) => [key, state])).toEqual([
      ['digest-1', 'sent'],
      ['drop-b', 'intended'],
    ]);
    expect(await next.outbox.markSending(left)).toBe('marked');
    // A third one that saw the same finds it in another's hands.
    const third = open(project, clock);
    expect(await third.outbox.take('timeline', 'third', LEASE)).toBeNull();
    for (const memory of [dead, next, third]) await memory.close();
  });

  it('X2 of two that found the same message carried by another one says it, and the other leaves it alone', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const dead = open(project, clock);
    await dead.ledger.admit([sighting('a')], {});
    await judge(dead, keyOf('a'), clock, { type: 'accept' }, 80);
    const drop = { key: 'drop', itemKeys: [keyOf('a')], destination: 'timeline', body: 'drop' };
    await dead.outbox.intend([...digest([keyOf('a')]), drop]);
    const said = present(await dead.outbox.take('discord', 'dead', LEASE));
    await dead.outbox.markSending(said);
    await dead.outbox.settle(said, { state: 'sent', remoteId: '9' });

    const [one, two] = [open(project, clock), open(project, clock)];
    const ours = present(await one.outbox.take('timeline', 'one', LEASE));
    const theirs = present(await two.outbox.take('timeline', 'two', LEASE));
    expect(await one.outbox.markSending(ours)).toBe('marked');
    expect(await two.outbox.markSending(theirs)).toBe('lost');
    expect((await two.outbox.ofItem(keyOf('a'))).map(({ key, state }) => [key, state])).toEqual([
      ['digest-1', 'sent'],
      ['drop', 'sending'],
    ]);
    expect(await one.outbox.settle(ours, { state: 'sent', remoteId: 'd' })).toBe('settled');
    const next = open(project, clock);
    expect((await next.outbox.ofItem(keyOf('a'))).map(({ state }) => state)).toEqual(['sent', 'sent']);
    for (const memory of [dead, one, two, next]) await memory.close();
  });

  it('X2 a candidate that a dead process has said is not said again, however much was said since', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const dead = open(project, clock);
    await dead.ledger.admit([sighting('a')], {});
    await judge(dead, keyOf('a'), clock, { type: 'accept' }, 80);
    // Not chosen at first, so it is written and waits.
    expect(await dead.outbox.take('discord', 'dead', LEASE)).toBeNull();
    const say = async (key: string, name: string): Promise<void> => {
      await dead.outbox.intend([{ ...present(digest([keyOf(name)])[0]), key }]);
      const held = present(await dead.outbox.take('discord', 'dead', LEASE));
      expect(await dead.outbox.markSending(held)).toBe('marked');
      await dead.outbox.settle(held, { state: 'sent', remoteId: key });
    };
    await say('digest-of-the-dead', 'a');
    for (let n = 0; n < 70; n++) await say(`more-${n}`, `other-${n}`);

    const next = open(project, clock);
    expect(await next.outbox.ofItem(keyOf('a'))).toMatchObject([
      { key: 'digest-of-the-dead', state: 'sent' },
    ]);
    expect(await next.outbox.intend(digest([keyOf('a')]))).toBe('taken');
    for (const memory of [dead, next]) await memory.close();
  });

  it('X2 X21 what another message says already is not said, and those behind it do not wait', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const [stale, other] = [open(project, clock), open(project, clock)];
    for (const memory of [stale, other]) {
      await memory.ledger.admit([sighting('a'), sighting('b')], {});
      for (const name of ['a', 'b']) await judge(memory, keyOf(name), clock, { type: 'accept' }, 80);
    }
    const message = (key: string, ...names: string[]) => [
      { ...present(digest(names.map((name) => keyOf(name)))[0]), key },
    ];
    await stale.outbox.intend(message('stale-a', 'a'));
    await stale.outbox.intend(message('stale-b', 'b'));
    await other.outbox.intend(message('other-a', 'a'));
    const held = present(await other.outbox.take('discord', 'other', LEASE));
    // Being sent, and nothing of it recorded as published yet.
    expect(await other.outbox.markSending(held)).toBe('marked');

    const late = present(await stale.outbox.take('discord', 'stale', LEASE));
    expect(late.delivery.key).toBe('stale-a');
    expect(await stale.outbox.markSending(late)).toBe('lost');
    expect(await stale.outbox.ofItem(keyOf('a'))).toMatchObject([{ key: 'other-a', state: 'sending' }]);
    await other.outbox.settle(held, { state: 'sent', remoteId: '9' });
    await clock.advance(LEASE);
    const behind = present(await stale.outbox.take('discord', 'stale', LEASE));
    expect(behind.delivery.key).toBe('stale-b');
    expect(await stale.outbox.markSending(behind)).toBe('marked');
    for (const memory of [stale, other]) await memory.close();
  });

  /** One process says `a`; the digest of another, with `a` and `b`, gives way to it after its drop of `b` is on the timeline. */
  async function givenWay(clock: ManualClock, project: string) {
    const [late, other] = [open(project, clock), open(project, clock)];
    for (const memory of [late, other]) {
      await memory.ledger.admit([sighting('a'), sighting('b')], {});
      for (const name of ['a', 'b']) await judge(memory, keyOf(name), clock, { type: 'accept' }, 80);
    }
    const drop = { key: 'drop-b', itemKeys: [keyOf('b')], destination: 'timeline', body: 'drop b' };
    await late.outbox.intend([...digest([keyOf('a'), keyOf('b')]), drop]);
    await other.outbox.intend([{ ...present(digest([keyOf('a')])[0]), key: 'other' }]);
    const others = present(await other.outbox.take('discord', 'other', LEASE));
    expect(await other.outbox.markSending(others)).toBe('marked');
    const dropped = present(await late.outbox.take('timeline', 'late', LEASE));
    expect(await late.outbox.markSending(dropped)).toBe('marked');
    await late.outbox.settle(dropped, { state: 'sent', remoteId: 'd' });
    const held = present(await late.outbox.take('discord', 'late', LEASE));
    expect(await late.outbox.markSending(held)).toBe('lost');
    return { late, other, others };
  }

  it('X2 an article whose digest gave way has no message there, and whoever comes next finds it', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const { late, other } = await givenWay(clock, project);
    await late.close();
    const next = open(project, clock);
    for (const memory of [late, next])
      expect((await memory.outbox.ofItem(keyOf('b'))).map(({ key, state }) => [key, state])).toEqual([
        ['drop-b', 'sent'],
      ]);
    expect(await next.ledger.find(keyOf('b'))).toMatchObject({ state: 'accepted', verdict: { score: 80 } });
    expect(await next.outbox.intend([{ ...present(digest([keyOf('b')])[0]), key: 'rest' }])).toBe('written');
    await other.close();
    await next.close();
  });

  it('X2 a digest that gave way does not come back with the message that carried it', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const { late, other, others } = await givenWay(clock, project);
    await other.outbox.settle(others, { state: 'sent', remoteId: '9' });
    await judge(other, keyOf('a'), clock, { type: 'publish' }, 80);
    const next = open(project, clock);
    expect(await next.outbox.nextDue(['discord'])).toBeNull();
    expect(await next.outbox.take('discord', 'next', LEASE)).toBeNull();
    expect((await next.outbox.list({ states: ['dropped'], limit: 9 })).deliveries).toMatchObject([
      { key: 'digest-1', attempts: 0, detail: 'another message says one of its items' },
    ]);
    await late.ledger.catchUp?.();
    expect(await late.outbox.take('discord', 'late', LEASE)).toBeNull();
    for (const memory of [late, other, next]) await memory.close();
  });

  it('X2 what gave way can be meant again: also by the same name', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const { late, other, others } = await givenWay(clock, project);
    await other.outbox.settle(others, { state: 'refused', detail: 'no' });
    expect(await other.outbox.decide('other', 'drop', 'someone')).toBe(true);
    await other.close();
    await late.close();
    const next = open(project, clock);
    const again = digest([keyOf('a'), keyOf('b')]);
    expect(await next.outbox.intend(again)).toBe('written');
    await next.ledger.catchUp?.();
    expect(await next.outbox.intend(again)).toBe('written');
    const held = present(await next.outbox.take('discord', 'next', LEASE));
    expect(held.delivery).toMatchObject({ key: 'digest-1', state: 'intended' });
    expect(await next.outbox.markSending(held)).toBe('marked');
    expect(await next.outbox.settle(held, { state: 'sent', remoteId: '10' })).toBe('settled');
    const third = open(project, clock);
    expect((await third.outbox.ofItem(keyOf('b'))).map(({ key, state }) => [key, state])).toEqual([
      ['drop-b', 'sent'],
      ['digest-1', 'sent'],
    ]);
    for (const memory of [next, third]) await memory.close();
  });

  it('X2 a copy whose turn comes after another’s forgets what it only meant to say', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const [stale, other] = [open(project, clock), open(project, clock)];
    for (const memory of [stale, other]) {
      await memory.ledger.admit([sighting('a'), sighting('b'), sighting('c')], {});
      for (const name of ['a', 'b']) await judge(memory, keyOf(name), clock, { type: 'accept' }, 80);
    }
    await stale.outbox.intend(digest([keyOf('a'), keyOf('b')]));
    await other.outbox.intend([{ ...present(digest([keyOf('a')])[0]), key: 'other' }]);
    const held = present(await other.outbox.take('discord', 'other', LEASE));
    await other.outbox.markSending(held);
    await other.outbox.settle(held, { state: 'sent', remoteId: '9' });
    await judge(other, keyOf('a'), clock, { type: 'publish' }, 80);

    await stale.ledger.catchUp?.();
    expect(await stale.ledger.find(keyOf('a'))).toMatchObject({ state: 'published' });
    expect(await stale.ledger.find(keyOf('b'))).toMatchObject({ state: 'accepted' });
    expect(await stale.ledger.find(keyOf('c'))).toMatchObject({ state: 'waiting' });
    expect(await stale.outbox.ofItem(keyOf('b'))).toEqual([]);
    expect(await stale.outbox.intend([{ ...present(digest([keyOf('b')])[0]), key: 'b' }])).toBe('written');
    for (const memory of [stale, other]) await memory.close();
  });

  it('X21 a step on an article that another process decided on meanwhile is lost', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const [worker, web] = [open(project, clock), open(project, clock)];
    await worker.ledger.admit([sighting('a')], {});
    const defer = { type: 'defer', reason: 'not_ready' } as const;
    await judge(worker, keyOf('a'), clock, defer, 0);
    const ask = { owner: 'w', leaseMs: LEASE, early: true };
    const claim = present(await worker.ledger.claim(keyOf('a'), ask));
    await clock.advance(1);
    expect(
      await web.ledger.intervene(keyOf('a'), { type: 'park', reason: 'by_person' }, 'maria'),
    ).toMatchObject({ done: true });
    const accept = transition(claim.item, { type: 'publish' }, clock.now());
    expect(await worker.ledger.record(claim, accept)).toBe('lost');
    for (const memory of [worker, web])
      expect(await memory.ledger.find(keyOf('a'))).toMatchObject({ state: 'parked', reason: 'by_person' });
    for (const memory of [worker, web]) await memory.close();
  });

  it('X20 what another process swept is not news here', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const first = open(project, clock);
    await first.ledger.admit([sighting('a'), sighting('b')], { baseline: ({ key }) => key === keyOf('b') });
    await judge(first, keyOf('a'), clock, { type: 'publish' }, 80);
    await clock.advance(91 * DAY);
    const sweeper = open(project, clock);
    const plan = { keep: { published: 90 * DAY }, keepTombstones: 365 * DAY, dryRun: false };
    expect((await sweeper.ledger.sweep(plan)).swept).toEqual({ published: 1 });
    expect(await first.ledger.admit([sighting('a'), sighting('b')], {})).toEqual(['swept', 'known']);
    await sweeper.close();
    await first.close();
  });

  it('A13 X2 X13 what an earlier version recorded as notified though Discord refused it is sent by a retry, and listed once', async () => {
    const clock = new ManualClock();
    const project = freshProject();
    const first = open(project, clock);
    const slashed = sighting('a', { url: `${keyOf('a')}/` });
    await first.ledger.admit([slashed], {});
    await judge(first, keyOf('a'), clock, { type: 'accept' }, 80);
    await first.outbox.intend(digest([keyOf('a')]));
    const held = present(await first.outbox.take('discord', 'w', LEASE));
    await first.outbox.markSending(held);
    await first.outbox.settle(held, { state: 'refused', detail: '400' });
    await judge(first, keyOf('a'), clock, { type: 'publish' }, 80);
    await first.close();

    const web = open(project, clock);
    const worker = open(project, clock);
    const listed = async (memory: typeof web) =>
      (await memory.ledger.list({ limit: 9 })).items.map(({ key, state }) => [key, state]);
    expect(await listed(worker)).toEqual([[keyOf('a'), 'published']]);
    expect(await web.outbox.decide('digest-1', 'again', 'maria')).toBe(true);
    await clock.advance(2 * MINUTE);
    for (const memory of [web, worker]) expect(await listed(memory)).toEqual([[keyOf('a'), 'published']]);
    const again = present(await worker.outbox.take('discord', 'w', LEASE));
    expect(await worker.outbox.markSending(again)).toBe('marked');
    await worker.outbox.settle(again, { state: 'sent', remoteId: '1234567890123456789' });
    expect(await listed(worker)).toEqual([[keyOf('a'), 'published']]);
    const recorded = await worker.connection.get(['notified_articles', 'https:--news.example-a-']);
    expect(recorded.get('discord_message_id')).toBe('1234567890123456789');
    for (const memory of [web, worker]) await memory.close();
  });

  const ORIGINALS = 160;
  const swept = ['a', 'b', 'c', ...Array.from({ length: ORIGINALS }, (_, nth) => `old/${nth}`)];

  /** Two digests for two destinations, and more documents of the original program than one batch of a sweep takes. */
  async function writeOldArticles(project: string, clock: ManualClock): Promise<void> {
    const memory = open(project, clock);
    await memory.connection.commit(
      Array.from({ length: ORIGINALS }, (_, nth) => ({
        do: 'set' as const,
        at: ['notified_articles', `https:--news.example-old-${nth}`] as const,
        data: {
          notified_at: new Date(clock.now()),
          discord_message_id: '1234567890123456789',
          article_title: 'Old',
          relevance_score: 80,
        },
      })),
    );
    await memory.ledger.admit(
      ['a', 'b', 'c'].map((name) => sighting(name)),
      {},
    );
    for (const name of ['a', 'b', 'c']) await judge(memory, keyOf(name), clock, { type: 'accept' }, 80);
    const intents = ['discord', 'timeline'].flatMap((destination) => [
      { key: `${destination}-1`, itemKeys: [keyOf('a'), keyOf('b')], destination, body: '{}' },
      { key: `${destination}-2`, itemKeys: [keyOf('c')], destination, body: '{}' },
    ]);
    await memory.outbox.intend(intents);
    for (const destination of ['discord', 'timeline'])
      for (let held = await memory.outbox.take(destination, 'w', LEASE); held !== null; ) {
        await memory.outbox.markSending(held);
        await memory.outbox.settle(
          held,
          destination === 'discord'
            ? { state: 'refused', detail: 'no' }
            : { state: 'sent', remoteId: `drop-${held.delivery.key}` },
        );
        held = await memory.outbox.take(destination, 'w', LEASE);
      }
    for (const name of ['a', 'b', 'c']) {
      await judge(memory, keyOf(name), clock, { type: 'publish' }, 80);
      await clock.advance(MINUTE);
    }
    await memory.close();
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
        // First only one article of the first digest is old enough, then everything.
        await clock.advance(90 * DAY - 2 * MINUTE);
        const isKilled = (error: unknown): 'killed' => {
          expect(error).toMatchObject({ message: 'killed' });
          return 'killed';
        };
        let ended = await killed.ledger.sweep(plan).catch(isKilled);
        if (ended !== 'killed') {
          await expectNothingNew(project, clock);
          await clock.advance(DAY);
          ended = await killed.ledger.sweep(plan).catch(isKilled);
        }
        await expectNothingNew(project, clock);
        const next = open(project, clock);
        await clock.advance(DAY);
        expect(await next.ledger.sweep(plan)).toMatchObject({ complete: true });
        expect((await next.ledger.counts()).byState.published).toBe(0);
        await next.close();
        await expectNothingNew(project, clock);
        await killed.connection[Symbol.asyncDispose]();
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
    const outcomes = await next.ledger.admit(
      swept.map((name) => sighting(name)),
      {},
    );
    expect(swept.filter((_, nth) => outcomes[nth] === 'new')).toEqual([]);
    const { accepted, waiting, deferred } = (await next.ledger.counts()).byState;
    expect({ accepted, waiting, deferred }).toEqual({ accepted: 0, waiting: 0, deferred: 0 });
    expect(await next.outbox.nextDue(['discord', 'timeline'])).toBeNull();
    await next.connection[Symbol.asyncDispose]();
  }
});
