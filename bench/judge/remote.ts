import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GEMINI_KEY } from '../../simulator/gemini/gemini.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { createJudge } from '../../src/judge/create-judge.ts';
import { interestsOf } from '../../src/judge/interests.ts';
import { openSqliteJudgeStores } from '../../src/storage/sqlite/judge-stores.ts';
import { silentEvents } from '../../src/telemetry/events.ts';
import { systemClock } from '../../src/time/clock.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { rounds } from '../rounds.ts';
import { longArticles } from './long-articles.ts';

const ARTICLES = 100;
const CONCURRENCY = 10;
const ANSWER_MS = 200;
const ANSWER = {
  score: 50,
  topics: ['Rust'],
  summary: 'A summary of the article in two short sentences. It has enough characters to be accepted.',
  reason: 'It mentions the topic.',
};

/** A hundred articles through the whole judge (cache, budget in SQLite, validation) with a server that takes 200 ms. */
export async function remote({ quick }: BenchOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-judge-'));
  const simulator = await startSimulator({
    latencyMs: ANSWER_MS,
    // The latency of the server is not measured.
    gemini: { answers: () => ({ json: ANSWER }) },
  });
  const articles = [...longArticles(ARTICLES)];
  const interests = interestsOf([{ topic: '防災' }, { topic: 'Rust' }]);
  let round = 0;
  try {
    const times = await rounds(quick ? 2 : 5, {
      ours: async () => {
        const stores = openSqliteJudgeStores(join(folder, `judge-${round++}.db`));
        const judge = await createJudge(
          {
            kind: 'gemini',
            apiKey: () => GEMINI_KEY,
            model: 'gemini-2.5-flash',
            baseUrl: `${simulator.urls.gemini}/v1beta`,
            concurrency: CONCURRENCY,
            limits: { callsPerDay: 10_000 },
          },
          { ...stores, clock: systemClock, events: silentEvents, fetch: globalThis.fetch },
        );
        const began = performance.now();
        const outcomes = await Promise.all(articles.map((article) => judge.evaluate(article, interests)));
        const ms = performance.now() - began;
        await stores[Symbol.asyncDispose]();
        const unanswered = outcomes.filter(({ outcome }) => outcome !== 'judged').length;
        if (unanswered > 0) throw new Error(`${unanswered} articles were not judged`);
        return ms;
      },
      // The same requests without a judge around them.
      bare: async () => {
        const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Say yes.' }] }] });
        const ask = async () => {
          const url = `${simulator.urls.gemini}/v1beta/models/gemini-2.5-flash:generateContent`;
          const headers = { 'x-goog-api-key': GEMINI_KEY, 'content-type': 'application/json' };
          await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer();
        };
        for (let i = 0; i < ARTICLES / CONCURRENCY; i++)
          await Promise.all(Array.from({ length: CONCURRENCY }, ask));
        return undefined;
      },
    });
    const ideal = (ARTICLES / CONCURRENCY) * ANSWER_MS;
    return [
      result({
        name: `remote judge, ${ARTICLES} articles, ${CONCURRENCY} at a time, ${ANSWER_MS} ms an answer`,
        ours: Math.round(times.ours),
        unit: 'ms',
        peer: { name: 'bare requests of the same number', value: Math.round(times.bare) },
        limit: { name: 'ideal', value: ideal },
        goal: 'at most 1.15 times the ideal',
        met: times.ours <= ideal * 1.15,
      }),
    ];
  } finally {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}
