import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { openServerless, type ServerlessNewsroom } from '../src/serverless/function.ts';
import { HOUR } from '../src/time/duration.ts';
import { newsroomText, publishNews, secretsOf } from './crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** The same calls on both engines, over plain HTTP, as a scheduler sends them. */
function calls(name: string, engine: () => object): void {
  describe(`a newsroom that works only during requests, ${name}`, () => {
    let folder: string;
    let simulator: Simulator;
    const replicas: { newsroom: ServerlessNewsroom; server: Server; url: string }[] = [];
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-serverless-'));
      simulator = await startSimulator({
        discord: { limits: false },
        mastodon: { limits: false },
        youtube: { videoMs: HOUR },
      });
    });
    afterEach(async () => {
      for (const { newsroom, server } of replicas.splice(0)) {
        server.close();
        await newsroom[Symbol.asyncDispose]();
      }
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    async function replica(kind: 'curate' | 'process', settings: object): Promise<string> {
      const config = join(folder, 'kawaraban.yaml');
      const feed = publishNews(simulator, 'news', 3).url;
      const text = newsroomText({ kind, destination: 'webhook', feed }, simulator);
      writeFileSync(
        config,
        JSON.stringify({ ...JSON.parse(text), ...settings, telemetry: { log_level: 'silent' } }),
      );
      const env = { ...secretsOf(simulator), KAWARABAN_CONFIG: config, KAWARABAN_PIPELINE: 'desk' };
      const newsroom = await openServerless(env, '0');
      const server = createServer((request, response) => void newsroom.handler(request, response));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
      replicas.push({ newsroom, server, url });
      return url;
    }

    const post = async (url: string, headers: Record<string, string> = {}, body?: object) => {
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, ...((await answer.json()) as { outcome?: string; error?: string }) };
    };

    it('A1 A14 the daily run happens once, however often and at however many replicas it is requested', async () => {
      const settings = engine();
      const [one, other] = [await replica('curate', settings), await replica('curate', settings)];
      const nine = { 'x-cloudscheduler-scheduletime': new Date(Date.now() - 1000).toISOString() };
      const first = await Promise.all([one, other, one, other].map((url) => post(`${url}/run/desk`, nine)));
      expect(first.filter(({ outcome }) => outcome === 'ran')).toHaveLength(1);
      for (const { status, outcome } of first) expect([200, 409], `${outcome}`).toContain(status);
      expect(await post(`${other}/`, nine)).toMatchObject({ status: 200, outcome: 'done already' });
      expect(simulator.discord.messages()).toHaveLength(1);
      const tomorrow = { scheduledFor: new Date(Date.now() + 86_400_000).toISOString() };
      expect(await post(`${one}/run/desk`, {}, tomorrow)).toMatchObject({ outcome: 'ran' });

      const sweeps = await Promise.all([one, other].map((url) => post(`${url}/sweep`, nine)));
      expect(sweeps.filter(({ outcome }) => outcome === 'ran')).toHaveLength(1);
      expect(await post(`${one}/sweep`, nine)).toMatchObject({ outcome: 'done already' });
    });

    it('D3 D4 a video check that is called twice records each video once', async () => {
      const url = await replica('process', engine());
      const two = await Promise.all([post(`${url}/run/desk`), post(`${url}/run/desk`)]);
      expect(two.map(({ outcome }) => outcome).toSorted()).toEqual(expect.arrayContaining(['ran']));
      expect(await post(`${url}/run/desk`)).toMatchObject({ status: 200, outcome: 'done already' });
    });

    it('refuses invalid requests with the reason', async () => {
      const url = await replica('curate', engine());
      expect(await post(`${url}/run/unknown`)).toMatchObject({ status: 404, outcome: 'no such pipeline' });
      expect((await post(`${url}/elsewhere`)).status).toBe(404);
      expect((await fetch(`${url}/run/desk`)).status).toBe(405);
      expect(await post(`${url}/run/desk`, {}, { scheduledFor: 'soon' })).toMatchObject({
        status: 400,
        error: expect.stringContaining('scheduledFor'),
      });
      const noJson = await fetch(`${url}/run/desk`, { method: 'POST', body: '[1' });
      expect(noJson.status).toBe(400);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    });
  });
}

calls('on the embedded engine', () => ({}));

requires('gcloud')('with emulators', () => {
  const firestore = emulatorForThisFile('firestore');
  calls('on Firestore', () => ({
    engine: { kind: 'distributed', project: freshProject(), firestore: { emulator: firestore.host } },
  }));
});

describe('the entry for Cloud Functions', () => {
  it('refuses a configuration that has problems, and an invalid time limit', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-serverless-'));
    try {
      const file = join(folder, 'kawaraban.yaml');
      writeFileSync(file, 'pipelines: { a: { kind: nothing } }');
      await expect(openServerless({ KAWARABAN_CONFIG: file }, '0')).rejects.toThrow(
        /there is no pipeline of kind/,
      );
      writeFileSync(file, 'timelines: {}');
      await expect(
        openServerless({ KAWARABAN_CONFIG: file, KAWARABAN_CALL_TIMEOUT: 'long' }, '0'),
      ).rejects.toThrow(/number of seconds/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
