import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { FirestoreRelay } from '../src/storage/firestore/relay.fixture.ts';
import { publishNews } from './crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { Program } from './program.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('the program on a Firestore that answers with an error', () => {
  const firestore = emulatorForThisFile('firestore');
  let folder: string;
  let relay: FirestoreRelay;
  let simulator: Simulator;
  const running: Program[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-errors-'));
    relay = await new FirestoreRelay(firestore.host).start();
    simulator = await startSimulator({});
    const feed = publishNews(simulator, 'news', 3).url;
    const config = {
      engine: {
        kind: 'distributed',
        project: freshProject(),
        firestore: { emulator: relay.address },
        pubsub: { emulator: '127.0.0.1:1' },
      },
      data: './data',
      // A stop that takes nine seconds is cut off.
      server: { port: 0, stop_within: '0s' },
      timelines: { store: 'memory', stream: { drain: '0s' } },
      network: { allow: ['127.0.0.1'], host_spacing: '0s' },
      sources: { news: { feed, every: '1s' } },
      pipelines: {
        desk: {
          kind: 'curate',
          sources: ['news'],
          interests: [{ topic: 'TypeScript', aliases: ['compiler'] }],
          min_articles: 1,
          min_relevance_score: 0,
          publish: ['timeline'],
          every: '1h',
        },
      },
    };
    writeFileSync(join(folder, 'kawaraban.yaml'), JSON.stringify(config));
  });
  afterEach(async () => {
    for (const program of running.splice(0)) await program.kill();
    await simulator[Symbol.asyncDispose]();
    await relay[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function kawaraban(...args: string[]): Program {
    const program = new Program(args, { METADATA_SERVER_DETECTION: 'none' }, folder);
    running.push(program);
    return program;
  }

  it('A16 PermissionDenied stops a running program, with a message that names the missing role', async () => {
    const program = kawaraban('start');
    await program.waitForOutput(/Ctrl-C stops it/);
    relay.refuseAll('PERMISSION_DENIED');
    const { code, err } = await program.ended;
    expect(code).toBe(77);
    expect(err.trimEnd().split('\n').at(-1)).toMatch(
      /^kawaraban: Firestore answered PERMISSION_DENIED .*the role roles\/datastore\.user is missing/,
    );
  });

  it('A16 PermissionDenied stops start and run before they begin, too', async () => {
    relay.refuseAll('PERMISSION_DENIED');
    for (const args of [['start'], ['run', 'desk']]) {
      const { code, err } = await kawaraban(...args).ended;
      expect(code).toBe(77);
      expect(err).toContain('roles/datastore.user');
    }
  });

  it('A16 PermissionDenied stops a run in progress', async () => {
    expect((await kawaraban('run', 'desk').ended).code).toBe(0);
    // The first commit of the second run acquires its lease; every later one is refused.
    relay.refuseAfter('Commit', 1, 'PERMISSION_DENIED');
    const { code, err } = await kawaraban('run', 'desk').ended;
    expect(code).toBe(77);
    expect(err).toContain('roles/datastore.user');
  });

  it('A16 ResourceExhausted stops the run and is logged; the program continues and runs again', async () => {
    const program = kawaraban('start');
    await program.waitForOutput(/Ctrl-C stops it/);
    relay.refuseAll('RESOURCE_EXHAUSTED');
    await program.waitForOutput(/RESOURCE_EXHAUSTED.*Background loop failed, retrying/, 'err');
    const other = await kawaraban('run', 'desk').ended;
    expect(other.code).toBe(69);
    expect(other.err).toContain('the quota is used up');
    expect(program.isRunning).toBe(true);

    relay.refuseAll(null);
    await vi.waitFor(
      async () => {
        const { out } = await kawaraban('items', '--json').ended;
        expect(out).toContain('published');
      },
      { timeout: 90_000, interval: 2000 },
    );
    expect(program.isRunning).toBe(true);
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });

  it.each([
    ['cannot be reached', () => relay.refuseAll('UNAVAILABLE')],
    ['does not answer', () => relay.fallSilent()],
  ])('X12 SIGTERM is a clean stop also while Firestore %s', async (_how, leave) => {
    const program = kawaraban('start');
    await program.waitForOutput(/Ctrl-C stops it/);
    leave();
    const calls = () => [...relay.calls.values()].reduce((sum, count) => sum + count, 0);
    const before = calls();
    await expect.poll(calls, { timeout: 120_000 }).toBeGreaterThan(before + 2);
    program.child.kill('SIGTERM');
    const { code, err } = await program.ended;
    expect(err).not.toContain('was cut off');
    expect(code).toBe(0);
  });

  it('X12 SIGTERM ends a start that waits for Firestore', async () => {
    relay.refuseAll('UNAVAILABLE');
    const program = kawaraban('start');
    await expect.poll(() => relay.calls.size, { timeout: 120_000 }).toBeGreaterThan(0);
    program.child.kill('SIGTERM');
    const { code, err } = await program.ended;
    expect(err).not.toContain('was cut off');
    expect(code).toBe(0);
  });
});
