import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { cli } from '../../src/cli/cli.fixture.ts';
import { loadApp } from '../../src/cli/command.ts';
import { loadConfig } from '../../src/config/config.ts';
import { homeTimeline } from '../../src/timelines/timeline-store.ts';
import { type RedisServer, startRedis } from '../redis.ts';
import { requires } from '../requirements.ts';

requires('redis-server')('operators with timelines in Redis', () => {
  let redis: RedisServer;
  let cwd: string;
  let app: App;
  beforeEach(async () => {
    redis = await startRedis();
    cwd = mkdtempSync(join(tmpdir(), 'kawaraban-operators-'));
    const file = join(cwd, 'kawaraban.yaml');
    writeFileSync(file, `timelines: { redis: { nodes: ["${redis.address}"] } }\nserver: { port: 0 }\n`);
    const config = loadConfig(file, {});
    if (!config.ok) throw new Error(JSON.stringify(config.problems));
    app = await loadApp(config.config);
  });
  afterEach(async () => {
    await app[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
    rmSync(cwd, { recursive: true, force: true });
  });

  it('C26 show, clear and rebuild them from the command line while the newsroom runs', async () => {
    const ann = await app.social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
    await app.newsroom.timelines.page(homeTimeline(ann.id));
    const result = await cli(['drop', 'post', 'hello', '--as', 'ann'], { cwd });
    expect(result.code, result.err).toBe(0);
    const size = () => app.engine.timelines.store.size(homeTimeline(ann.id));
    await expect.poll(size).toBe(1);
    expect((await cli(['timeline', 'show', 'ann'], { cwd })).out).toContain('1 drop stored');
    expect((await cli(['timeline', 'clear', 'ann'], { cwd })).out).toBe('1 timeline cleared.\n');
    expect(await size()).toBeNull();
    expect((await cli(['timeline', 'rebuild', '--all'], { cwd })).out).toBe('3 timelines rebuilt.\n');
    expect(await size()).toBe(1);
  });
});
