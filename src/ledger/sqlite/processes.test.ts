import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../time/clock.ts';
import { keyOf, POLICY, present, sighting, transition } from '../contract/subject.ts';
import { openSqliteLedger, type SqliteMemory } from './open.ts';

const WORKER = join(import.meta.dirname, 'testdata', 'worker.ts');

describe('several processes on one file', () => {
  let folder: string;
  let file: string;
  let memory: SqliteMemory;
  const children = new Set<ChildProcessWithoutNullStreams>();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-processes-'));
    file = join(folder, 'l.db');
    memory = openSqliteLedger(file, { clock: systemClock, policy: POLICY, patienceMs: 60_000 });
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    await memory[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('B14 8 processes that claim 10,000 items get 10,000 distinct claims', { timeout: 180_000 }, async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
    await memory.ledger.admit(
      names.map((name) => sighting(name)),
      {},
    );
    const workers = Array.from({ length: 8 }, (_, index) => start(`worker-${index}`, 'all'));
    const taken = await Promise.all(workers.map((worker) => worker.ended()));
    const keys = taken.flatMap((said) => JSON.parse(said) as string[]);
    expect(keys).toHaveLength(10_000);
    expect(new Set(keys).size).toBe(10_000);
    expect(taken.filter((said) => said !== '[]').length).toBeGreaterThan(1);
    expect(await memory.ledger.counts()).toMatchObject({ leased: 10_000, byState: { waiting: 10_000 } });
  });

  it('X21 a worker stopped past its lease and woken can neither overwrite, settle nor publish', async () => {
    await memory.ledger.admit([sighting('a')], {});
    const intent = { key: 'k', itemKeys: [keyOf('a')], destination: 'discord', body: 'b' };
    await memory.outbox.intend([intent]);
    const sleeper = start('sleeper', 'hold');
    await sleeper.said('held');
    sleeper.child.kill('SIGSTOP');
    const claim = await sooner(() => memory.ledger.claimNext({ owner: 'awake', leaseMs: 60_000 }));
    const held = await sooner(() => memory.outbox.take('discord', 'awake', 60_000));
    await memory.outbox.markSending(held);

    sleeper.child.kill('SIGCONT');
    sleeper.child.stdin.write('go on\n');
    const outcomes = JSON.parse((await sleeper.ended()).replace('held\n', '')) as unknown;
    expect(outcomes).toEqual({ record: 'lost', renew: null, mark: 'lost', settle: 'lost' });

    expect(await memory.outbox.settle(held, { state: 'sent', remoteId: '1' })).toBe('settled');
    const publish = transition(claim.item, { type: 'publish' }, systemClock.now());
    expect(await memory.ledger.record(claim, publish)).toBe('recorded');
    const deliveries = await memory.outbox.ofItem(keyOf('a'));
    expect(deliveries).toMatchObject([{ key: 'k', state: 'sent', remoteId: '1', attempts: 1 }]);
    const lines = await memory.ledger.history(keyOf('a'));
    expect(lines.map(({ event, who }) => [event, who])).toEqual([
      ['admit', 'feed-1'],
      ['claim', 'awake'],
      ['deliver', 'awake'],
      ['publish', 'awake'],
    ]);
  });

  it('X2 a process killed at any instant loses nothing of what it was told is stored, and leaves nothing half', async () => {
    for (const rounds of [1, 7, 60]) {
      const worker = start(`killed-${rounds}`, 'work');
      await worker.said(`published ${rounds}\n`);
      worker.child.kill('SIGKILL');
      await once(worker.child, 'close');
      const told = worker.out();
      const last = (event: string): number =>
        Number(
          told
            .match(new RegExp(`${event} (\\d+)`, 'g'))
            ?.at(-1)
            ?.split(' ')[1],
        );
      for (let n = 0; n <= last('admitted'); n++) {
        const item = present(await memory.ledger.find(keyOf(String(n))));
        const messages = await memory.outbox.ofItem(item.key);
        if (n <= last('published')) expect(item.state).toBe('published');
        expect(messages).toHaveLength(item.state === 'published' ? 1 : 0);
      }
      expect(memory.connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      await memory[Symbol.asyncDispose]();
      rmSync(file);
      memory = openSqliteLedger(file, { clock: systemClock, policy: POLICY, patienceMs: 60_000 });
    }
  });

  it('B14 what a killed process held is free again when its lease is over', async () => {
    await memory.ledger.admit([sighting('a')], {});
    await memory.outbox.intend([{ key: 'k', itemKeys: [keyOf('a')], destination: 'discord', body: 'b' }]);
    const worker = start('killed', 'hold');
    await worker.said('held');
    worker.child.kill('SIGKILL');
    const claim = await sooner(() => memory.ledger.claimNext({ owner: 'next', leaseMs: 1000 }));
    expect(claim.item).toMatchObject({ key: keyOf('a'), state: 'waiting', attempts: 0 });
    expect(claim.token).toBe(2);
  });

  /** Leases of real processes end in real time. */
  async function sooner<T>(look: () => Promise<T | null>): Promise<T> {
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      await setTimeout(20);
    }
  }

  function start(owner: string, mode: 'all' | 'hold' | 'work') {
    const child = spawn(process.execPath, [WORKER, file, owner, mode]);
    children.add(child);
    let out = '';
    let heard = Promise.withResolvers<void>();
    const closed = once(child, 'close');
    let err = '';
    child.stdout.on('data', (data) => {
      out += String(data);
      heard.resolve();
      heard = Promise.withResolvers<void>();
    });
    child.stderr.on('data', (data) => {
      err += String(data);
    });
    return {
      child,
      out: () => out,
      async said(text: string): Promise<void> {
        while (!out.includes(text)) {
          if (child.exitCode !== null) throw new Error(err);
          await Promise.race([heard.promise, closed]);
        }
      },
      async ended(): Promise<string> {
        if (child.exitCode === null) await once(child, 'close');
        if (child.exitCode !== 0) throw new Error(err);
        return out;
      },
    };
  }
});
