// Judges long articles in a process of its own and reports throughput and memory.
import { interestsOf } from '../../src/judge/interests.ts';
import { createLocalJudge } from '../../src/judge/local/local-judge.ts';
import { longArticles } from './long-articles.ts';

const count = Number(process.argv[2] ?? 1000);
const TOPICS = [
  '子育て支援',
  '再生可能エネルギー',
  '地域交通',
  '防災',
  '機械学習',
  '生成AI',
  '半導体',
  '著作権',
  'セキュリティ',
  'プライバシー',
  'Rust',
  'PostgreSQL',
  'Kubernetes',
  'web accessibility',
  'gardening',
  'cycling',
  'public libraries',
  'sourdough',
  'letterpress',
  'weaving',
];

const interests = interestsOf(TOPICS.map((topic) => ({ topic })));
const judge = createLocalJudge();
for (const article of longArticles(40)) await judge.evaluate(article, interests);

// CPU time, not wall time: other programs on the machine do not affect the figure.
let micros = 0;
let topics = 0;
for (const article of longArticles(count)) {
  const before = process.cpuUsage();
  const judgement = await judge.evaluate(article, interests);
  const { user, system } = process.cpuUsage(before);
  micros += user + system;
  if (judgement.outcome === 'judged') topics += judgement.value.topics.length;
}
const { maxRSS } = process.resourceUsage();

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });
const SAMPLE = 60;
let words = 0;
const beforePeer = process.cpuUsage();
for (const { text } of longArticles(SAMPLE)) for (const _ of segmenter.segment(text)) words++;
const peer = process.cpuUsage(beforePeer);

console.log(
  JSON.stringify({
    perSecond: count / (micros / 1e6),
    segmenterPerSecond: SAMPLE / ((peer.user + peer.system) / 1e6),
    memory: maxRSS * 1024,
    topics,
    words,
  }),
);
