import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator.ts';
import type { FaultRule } from './fault.ts';

let sim: Simulator;

async function start(options: SimulatorOptions = {}): Promise<void> {
  sim = await startSimulator({ clock: new ManualClock(), ...options });
}

afterEach(async () => {
  await sim[Symbol.asyncDispose]();
});

function post(content: string, timeoutMs = 60_000): Promise<Response> {
  return fetch(`${sim.discord.webhookUrl}?wait=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
    signal: AbortSignal.timeout(timeoutMs),
  });
}

function bad(rule: Omit<FaultRule, 'service'>): void {
  sim.injectFault({ service: 'discord', ...rule });
}

describe('a host with injected faults', () => {
  it('resets the connection before anything happened', async () => {
    await start();
    bad({ how: 'reset' });
    await expect(post('one')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(sim.discord.posted('one')).toBe(0);
  });

  it('loses the reply after the effect', async () => {
    await start();
    bad({ how: 'lost_reply' });
    await expect(post('one')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(sim.discord.posted('one')).toBe(1);
  });

  it('stays silent, with or without the effect', async () => {
    await start();
    bad({ how: 'half_open' });
    bad({ how: 'half_open', applied: true });
    await expect(post('one', 100)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(sim.discord.posted('one')).toBe(0);
    await expect(post('two', 100)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(sim.discord.posted('two')).toBe(1);
  });

  it('cuts the answer short after the effect', async () => {
    await start();
    bad({ how: 'cut' });
    const answer = await post('one');
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect(sim.discord.posted('one')).toBe(1);
  });

  it('stalls in the middle of the answer', async () => {
    await start();
    bad({ how: 'stall' });
    const answer = await post('one');
    const enough = AbortSignal.timeout(150);
    const given = new Promise((_, reject) => enough.addEventListener('abort', () => reject(enough.reason)));
    await expect(Promise.race([answer.text(), given])).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('is slow, and drips', async () => {
    await start();
    bad({ how: 'slow', ms: 120 });
    let began = performance.now();
    expect(await (await post('one')).json()).toMatchObject({ content: 'one' });
    expect(performance.now() - began).toBeGreaterThan(110);
    bad({ how: 'drip', ms: 15 });
    began = performance.now();
    expect(await (await post('two')).json()).toMatchObject({ content: 'two' });
    expect(performance.now() - began).toBeGreaterThan(100);
  });

  it('answers with the error format of the service, without the effect', async () => {
    await start();
    bad({ how: 'status', status: 401 });
    const answer = await post('one');
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ message: '401: Unauthorized', code: 0 });
    bad({ how: 'status', status: 418, body: 'teapot', headers: { 'x-pot': 'yes' } });
    const own = await post('one');
    expect([own.status, await own.text(), own.headers.get('x-pot')]).toEqual([418, 'teapot', 'yes']);
    expect(sim.discord.posted('one')).toBe(0);
  });

  it('sends garbage, a page, or the wrong JSON after the effect', async () => {
    await start();
    bad({ how: 'garbage' });
    await expect((await post('one')).json()).rejects.toThrow(SyntaxError);
    bad({ how: 'html' });
    expect((await post('two')).headers.get('content-type')).toContain('text/html');
    bad({ how: 'wrong' });
    expect(await (await post('three')).json()).toEqual({ ok: true, data: [] });
    expect(sim.discord.messages()).toHaveLength(3);
  });

  it('answers 429 until the fault ends', async () => {
    const clock = new ManualClock();
    await start({ clock });
    bad({ how: 'rate_limit', retryAfterMs: 2500, forMs: 10_000 });
    for (let i = 0; i < 3; i++) {
      const answer = await post('one');
      expect(answer.status).toBe(429);
      expect(answer.headers.get('retry-after')).toBe('3');
      expect(await answer.json()).toMatchObject({ retry_after: 2.5, global: false });
    }
    clock.jump(10_001);
    expect((await post('one')).status).toBe(200);
  });

  it('selects requests by method, path, body, count and order', async () => {
    await start();
    const rule = sim.injectFault({
      service: 'discord',
      how: 'status',
      status: 500,
      match: { method: 'post', path: '/webhooks/', body: 'bad' },
      after: 1,
      times: 2,
    });
    const seen = [];
    for (const word of ['good', 'bad', 'bad', 'bad', 'bad']) seen.push((await post(word)).status);
    expect(seen).toEqual([200, 200, 500, 500, 200]);
    expect(rule.hits).toBe(2);
    rule.stop();
  });

  it('is deterministic by seed', async () => {
    const run = async (): Promise<number[]> => {
      await start({ seed: 7, discord: { limits: false } });
      bad({ how: 'status', status: 500, chance: 0.5 });
      const seen = [];
      for (let i = 0; i < 12; i++) seen.push((await post('x')).status);
      await sim[Symbol.asyncDispose]();
      return seen;
    };
    const first = await run();
    expect(await run()).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 500]));
  });
});

describe('a host without faults', () => {
  it('compresses for clients that accept it', async () => {
    await start();
    const { headers, body } = await raw(`${sim.urls.feeds}/byte-herald/feed.xml`, {
      'accept-encoding': 'gzip',
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(body).toString()).toContain('<rss version="2.0"');
    const plain = await raw(`${sim.urls.feeds}/byte-herald/feed.xml`, {});
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  it('answers HEAD without a body', async () => {
    await start();
    const answer = await fetch(`${sim.urls.feeds}/byte-herald/feed.xml`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });

  it('counts requests without storing their secrets', async () => {
    await start();
    await post('one');
    expect(sim.journal.counts()).toEqual({ discord: 1 });
    expect(sim.journal.entries('discord')[0]).toMatchObject({ method: 'POST', status: 200, fault: null });
    expect(Object.keys(sim.journal.entries()[0] ?? {})).not.toContain('headers');
  });

  it('takes at least the latency that was configured', async () => {
    await start({ latencyMs: 60 });
    const began = performance.now();
    await post('one');
    expect(performance.now() - began).toBeGreaterThan(55);
  });

  it('leaves nothing open when a port is in use', async () => {
    await start();
    const taken = Number(new URL(sim.urls.pages).port);
    await expect(startSimulator({ port: taken - 2 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

function raw(
  url: string,
  headers: Record<string, string>,
): Promise<{ headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(pieces) }));
    })
      .on('error', reject)
      .end();
  });
}
