import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Config, loadConfig, parseConfig } from './config.ts';
import { formatProblem } from './problems.ts';

const SMALL = `
sources:
  dev-blog: { feed: "https://example.org/feed.xml" }
pipelines:
  morning: { kind: curate, sources: [dev-blog], interests: [{ topic: databases }] }
`;

function good(text: string, env: NodeJS.ProcessEnv = {}): Config {
  const loaded = parseConfig(text, '/srv/news/kawaraban.yaml', env);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  return loaded.config;
}

function problems(text: string, env: NodeJS.ProcessEnv = {}): string[] {
  const loaded = parseConfig(text, 'kawaraban.yaml', env);
  return loaded.ok ? [] : loaded.problems.map(formatProblem);
}

describe('a small configuration', () => {
  it('X11 fills in every default of the curator contract', () => {
    const config = good(SMALL);
    expect(config.pipelines.morning).toMatchObject({
      id: 'morning',
      kind: 'curate',
      minRelevanceScore: 70,
      maxArticles: 5,
      minArticles: 3,
      schedule: { kind: 'cron', expression: '0 9 * * *', timeZone: 'Asia/Tokyo' },
      keep: { published: 90 * 86_400_000, rejected: 30 * 86_400_000 },
      forget: ['rejected', 'failed'],
      judge: 'local',
      publish: ['timeline'],
    });
    expect(config.engine).toEqual({ kind: 'embedded' });
    expect(config.judges.local?.kind).toBe('local');
    expect(config.publishers.timeline?.kind).toBe('timeline');
  });

  it('X11 resolves paths from the folder of the file', () => {
    expect(good(SMALL).data).toBe('/srv/news/data');
    expect(good(`data: /var/lib/news\n${SMALL}`).data).toBe('/var/lib/news');
  });

  it('X11 reads durations and sizes, and keeps IDs as they are written', () => {
    const config = good(`
sources:
  my_feed: { feed: "https://example.org/a", every: 1h30m, first_contact: { newer_than: 2d } }
network: { max_feed: 1.5MB, timeout: 90s }
pipelines:
  the_one: { kind: summarise, sources: [my_feed], attachments: { size: 512KB } }
`);
    expect(config.sources.my_feed).toMatchObject({ id: 'my_feed', kind: 'feed', every: 5_400_000 });
    expect(config.sources.my_feed?.firstContact).toEqual({ newerThan: 172_800_000 });
    expect(config.network).toMatchObject({ maxFeed: 1_572_864, timeout: 90_000 });
    expect(config.pipelines.the_one).toMatchObject({ attachments: { count: 5, size: 524_288 } });
  });

  it('X3 maps the disabled identity rules to their internal names', () => {
    const config = good(`${SMALL}identity: { off: [tracking_parameters, fragment] }\n`);
    expect(config.identity.off).toEqual(['trackingParameters', 'fragment']);
  });

  it('X11 supports anchors and merge keys', () => {
    const config = good(`
sources:
  a: &usual { feed: "https://example.org/a", every: 2h }
  b: { <<: *usual, feed: "https://example.org/b" }
pipelines:
  p: { kind: summarise, sources: [a, b] }
`);
    expect(config.sources.b).toMatchObject({ url: 'https://example.org/b', every: 7_200_000 });
  });

  it('D4 the video pipeline checks every two hours and looks back two and a half', () => {
    const config = good(`
sources: { channel: { youtube: "@handle" } }
pipelines: { videos: { kind: process, sources: [channel] } }
`);
    expect(config.pipelines.videos).toMatchObject({
      schedule: { kind: 'every', ms: 7_200_000 },
      lookBack: 9_000_000,
      processor: { kind: 'builtin' },
      keep: {},
    });
  });
});

describe('the environment', () => {
  it('C24 overrides what differs between containers: project, emulators, Redis, traces', () => {
    const text = `${SMALL}engine: { kind: distributed, project: mine }\n`;
    const config = good(text, {
      KAWARABAN_PROJECT: 'theirs',
      KAWARABAN_REDIS: 'redis-0:6379, redis-1:6379',
      KAWARABAN_FIRESTORE_EMULATOR: 'firestore:8200',
      KAWARABAN_TRACES: 'http://collector:4318/v1/traces',
    });
    expect(config.engine).toMatchObject({
      project: 'theirs',
      redis: { nodes: ['redis-0:6379', 'redis-1:6379'] },
      firestore: { emulator: 'firestore:8200' },
    });
    expect(config.telemetry.traces).toBe('http://collector:4318/v1/traces');
    expect(good(SMALL, { KAWARABAN_PROJECT: 'theirs' }).engine).toEqual({ kind: 'embedded' });
  });

  it('X11 overrides some settings, and an invalid one is reported with the variable', () => {
    const config = good(SMALL, { KAWARABAN_PORT: '9000', KAWARABAN_DATA: '/d', KAWARABAN_LOG_LEVEL: 'warn' });
    expect([config.server.port, config.data, config.telemetry.logLevel]).toEqual([9000, '/d', 'warn']);
    expect(problems(SMALL, { KAWARABAN_PORT: 'eighty' })).toEqual([
      'kawaraban.yaml server.port: must be a whole number from 0 to 65535, not "eighty" (from the environment variable KAWARABAN_PORT)',
    ]);
  });
});

describe('secrets', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const withHook = (url: string): string =>
    `${SMALL}publishers:\n  d: { kind: discord-webhook, url: ${url} }\n`;

  it('X7 C24 come from a mounted file if NAME_FILE names one; the variable itself has precedence', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-secret-'));
    try {
      const file = join(folder, 'hook');
      writeFileSync(file, 'https://discord.com/api/webhooks/1/mounted\n');
      const hook = (env: NodeJS.ProcessEnv): string => {
        const { publishers } = good(withHook('{ env: HOOK }'), env);
        const [publisher] = Object.values(publishers).filter((each) => each.kind === 'discord-webhook');
        return publisher?.url.reveal() ?? '';
      };
      expect(hook({ HOOK_FILE: file })).toBe('https://discord.com/api/webhooks/1/mounted');
      expect(hook({ HOOK_FILE: file, HOOK: 'https://discord.com/api/webhooks/1/own' })).toMatch(/own$/);
      expect(problems(withHook('{ env: HOOK }'), { HOOK_FILE: join(folder, 'none') }).join()).toMatch(
        /none does not exist: make it/,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('X7 come from the environment or a file, trimmed, and print as [secret]', () => {
    writeFileSync(join(folder, 'hook'), '  https://discord.test/hooks/canary-file \n');
    const path = join(folder, 'kawaraban.yaml');
    for (const [place, value] of [
      ['{ env: HOOK }', 'canary-env'],
      ['{ file: hook }', 'https://discord.test/hooks/canary-file'],
    ] as const) {
      const loaded = parseConfig(withHook(place), path, { HOOK: 'canary-env' });
      if (!loaded.ok) throw new Error('should load');
      const publisher = loaded.config.publishers.d;
      if (publisher?.kind !== 'discord-webhook') throw new Error('should be a webhook');
      expect(publisher.url.reveal()).toBe(value);
      const printed = `${publisher.url} ${JSON.stringify(loaded.config)} ${inspect(loaded.config, { depth: 9 })}`;
      expect(printed).not.toContain('canary');
      expect(JSON.stringify(publisher)).toContain('"url":"[secret]"');
    }
  });

  it('X7 a secret in the file is refused with the form to use instead, and never repeated', () => {
    const cases = [
      withHook('"https://discord.com/api/webhooks/1/canary"'),
      withHook('{ env: canary-looks-like-a-token }'),
      withHook('{ env: canarytoken }'),
      withHook('[canary]'),
      withHook('{ value: canary }'),
      `${SMALL}judges:\n  g: { kind: gemini, model: m, key: canary }\n`,
      `${SMALL}judges:\n  g: { kind: gemini, model: m, key: { env: KEY }, api_key: canary }\n`,
      `${SMALL}publishers:\n  h: { kind: webhook, url: "https://user:canary@example.org/" }\n`,
      `${SMALL}publishers:\n  h: { kind: webhook, url: "discord.com/api/webhooks/1/canary" }\n`,
      `${SMALL}publishers:\n  h: { kind: webhook, url: "https://discord.com/api/webhooks/1/canary" }\n`,
      `${SMALL}publishers:\n  m: { kind: mastodon, instance: "https://m.example", token: "canary }\n`,
    ];
    for (const text of cases) {
      const found = problems(text, { KEY: 'k' });
      expect(found, text).not.toEqual([]);
      expect(found.join('\n'), text).not.toContain('canary');
    }
    expect(problems(cases[0] ?? '').join()).toContain('write `{ env: NAME }`');
  });

  it('X7 a missing variable or file is reported together with all other problems', () => {
    const found =
      problems(`${withHook('{ env: NO_SUCH_HOOK }')}  e: { kind: discord-webhook, url: { file: no-such-file } }
sorces: {}
`);
    expect(found).toEqual([
      'kawaraban.yaml:7:36 publishers.d.url: the environment variable NO_SUCH_HOOK is not set: set it before starting',
      'kawaraban.yaml:8:36 publishers.e.url: the file no-such-file does not exist: make it, with nothing but the secret in it',
      'kawaraban.yaml:9:1 sorces: unknown key `sorces`: did you mean `sources`?',
    ]);
  });

  it('X11 can be left out of the check', () => {
    expect(parseConfig(withHook('{ env: NOT_HERE }'), 'k.yaml', {}, { secrets: 'ignore' }).ok).toBe(true);
  });
});

describe('the file itself', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function load(name: string, content?: string | Uint8Array): string {
    const path = join(folder, name);
    if (content !== undefined) writeFileSync(path, content);
    const loaded = loadConfig(path, {});
    return loaded.ok ? 'ok' : loaded.problems.map((problem) => problem.message).join('\n');
  }

  it('X11 an unreadable file is reported in one sentence', () => {
    expect(load('missing.yaml')).toContain('does not exist: run `kawaraban init`');
    expect(load('.')).toContain('is a folder');
    expect(load('empty.yaml', '')).toContain('is empty: run `kawaraban init`');
    expect(load('comments.yaml', '# nothing\n')).toContain('is empty');
    expect(load('latin.yaml', new Uint8Array([0x61, 0x3a, 0x20, 0xe9, 0x0a]))).toContain('is not UTF-8');
    expect(load('zero.yaml', 'a: b\0c')).toContain('zero bytes');
    expect(load('large.yaml', '#'.repeat(1024 * 1024 + 1))).toContain('larger than 1 MB');
    expect(load('bom.yaml', `\uFEFF${SMALL}`)).toBe('ok');
  });

  it('X11 an alias bomb is refused', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let n = 0; n < 8; n++) {
      const [from, to] = ['abcdefghi'[n], 'abcdefghi'[n + 1]];
      bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(',')}]`);
    }
    expect(load('bomb.yaml', bomb.join('\n'))).toContain('aliases');
  });
});
