import { expect, it, onTestFinished } from 'vitest';
import { registerSecret } from '../telemetry/secrets.ts';
import { parseConfig } from './config.ts';
import { configWithoutSecrets, PLACEHOLDER } from './without-secrets.ts';

/** A secret in every place where a valid configuration can have one. */
const CONFIG = `
# The bot's token was: xoxb-9f8e7d6c5b4a (old)
data: ./data # see https://wiki.example/page?token=incomment99
server: { port: 0, sign_in: { secret: { env: SIGN_IN } } }
network: { contact: "mailto:me@example.org" }
sources:
  plain: { feed: "https://news.example/feed.xml?format=rss&tag=databases" }
  keyed: { feed: https://news.example/feed.xml?key=querykey1&tag=sql }
  patron:
    feed: https://pods.example/feeds/a8Xk29fLq0Zr71TbWm/show.xml # mine
  patron-two: { feed: https://pods.example/feeds/b9Yl30gMr1As82UcXn/show.xml }
  talks: { youtube: "@talks" }
judges:
  gemini: { kind: gemini, model: gemini-2.5-flash, key: { env: GEMINI }, base_url: "https://proxy.example/sk-abcdefghijklmnop1234/v1" }
publishers:
  hook: { kind: webhook, url: https://hooks.example/services/T1/B2/slackpart, authorization: { file: auth.txt } }
  named: { kind: mastodon, instance: https://social.example, token: { env: TOOT }, template: "{title} {url} typedinvalue" }
pipelines:
  morning: { kind: curate, sources: [plain, keyed, patron], judge: gemini, interests: [{ topic: databases }], publish: [hook, named] }
  videos:
    kind: process
    sources: [talks]
    processor: { command: [./make.sh, --token, shortsecret, --api-key=otherone, "Q2hhcmxpZTpzZWNyZXQ4Mg", --out, clips-of-the-day] }
telemetry: { traces: "https://otel.example/v1/traces?api_key=tracekey7" }
`;
const SECRETS = [
  'xoxb-9f8e7d6c5b4a',
  'incomment99',
  'querykey1',
  'a8Xk29fLq0Zr71TbWm',
  'b9Yl30gMr1As82UcXn',
  'sk-abcdefghijklmnop1234',
  'slackpart',
  'typedinvalue',
  'shortsecret',
  'otherone',
  'Q2hhcmxpZTpzZWNyZXQ4Mg',
  'tracekey7',
];

it('I15 a configuration is kept without its secrets, whose places are named, and stays valid', () => {
  const registered = registerSecret('typedinvalue');
  onTestFinished(() => registered[Symbol.dispose]());
  for (const secret of SECRETS) expect(CONFIG).toContain(secret);
  expect(parseConfig(CONFIG, 'kawaraban.yaml', {}, { secrets: 'ignore' })).toMatchObject({ ok: true });
  const { text, removed } = configWithoutSecrets(CONFIG);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  expect(parseConfig(text, 'kawaraban.yaml', {}, { secrets: 'ignore' })).toMatchObject({ ok: true });
  expect(removed.toSorted()).toEqual(
    [
      'line 2',
      'line 3',
      'sources.keyed.feed',
      'sources.patron.feed',
      'sources.patron-two.feed',
      'judges.gemini.base_url',
      'publishers.hook.url',
      'publishers.named.template',
      'pipelines.videos.processor.command[2]',
      'pipelines.videos.processor.command[3]',
      'pipelines.videos.processor.command[4]',
      'telemetry.traces',
    ].toSorted(),
  );
  // What is no secret stays as it was written.
  for (const kept of [
    'feed.xml?format=rss&tag=databases"',
    `feed.xml?key=${PLACEHOLDER}-3&tag=sql`,
    '# mine',
    '{ env: GEMINI }',
    '{ file: auth.txt }',
    'clips-of-the-day',
    'mailto:me@example.org',
    'model: gemini-2.5-flash',
  ])
    expect(text).toContain(kept);
});

it('I15 a configuration without secrets is kept as it is', () => {
  const text =
    '# Notes of the owner\nsources: { a: { feed: https://example.org/2026/03/feed.xml } } # a comment\n';
  expect(configWithoutSecrets(text)).toEqual({ text, removed: [] });
});
