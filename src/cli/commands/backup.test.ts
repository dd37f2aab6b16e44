import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../cli.fixture.ts';
import { EXIT } from '../errors.ts';

describe('a backup with its configuration', () => {
  const canary = (): string => `canary${randomBytes(12).toString('hex')}`;
  const keys = {
    sign: canary(),
    toot: canary(),
    gemini: canary(),
    feed: canary(),
    path: canary(),
    word: canary(),
    comment: canary(),
    prompt: canary(),
    dotenv: canary(),
    hook: canary(),
  };
  let folder: string;
  let other: string;
  let config: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-backup-'));
    other = mkdtempSync(join(tmpdir(), 'kawaraban-elsewhere-'));
    config = `# The old token: ${keys.comment}
server: { port: 0, sign_in: { secret: { env: SIGN_IN } } }
sources:
  a: { feed: "https://example.org/feed.xml?key=${keys.feed}" }
  b: { feed: https://example.org/private/${keys.path}/feed.xml }
  c: { youtube: "@talks" }
judges: { gemini: { kind: gemini, model: gemini-2.5-flash, key: { env: GEMINI }, prompts: own/prompts } }
publishers:
  toots: { kind: mastodon, instance: https://social.example, token: { file: token.txt } }
  hook: { kind: discord-webhook, url: { env: HOOK } }
pipelines:
  morning: { kind: curate, sources: [a, b], judge: gemini, interests: [{ topic: databases }], publish: [toots, hook] }
  videos: { kind: process, sources: [c], processor: { command: [./make.sh, --password, ${keys.word}] } }
`;
    writeFileSync(join(folder, 'kawaraban.yaml'), config);
    writeFileSync(join(folder, 'token.txt'), `${keys.toot}\n`);
    writeFileSync(join(folder, '.env'), `GEMINI=${keys.gemini}\nUNUSED=${keys.dotenv}\n`);
    mkdirSync(join(folder, 'own', 'prompts'), { recursive: true });
    const prompt = `Judge {{interests}} {{fence}}. Bearer ${keys.prompt} Used as ${keys.gemini}.\n`;
    writeFileSync(join(folder, 'own', 'prompts', 'evaluate.md'), prompt);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(other, { recursive: true, force: true });
  });

  const env = {
    SIGN_IN: `${keys.sign}-of-thirty-two-characters`,
    HOOK: `https://discord.com/api/webhooks/1/${keys.hook}`,
  };
  const says = (...words: string[]) => cli(words, { cwd: folder, env });
  const saysElsewhere = (...words: string[]) => cli(words, { cwd: other, env: { SIGN_IN: env.SIGN_IN } });

  function textsBelow(path: string): string {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');
  }

  it('I15 holds data and configuration, no secret, and says what it does not hold', async () => {
    expect((await says('status')).code).toBe(EXIT.ok);
    const made = await says('backup', 'copy');
    expect(made.code, made.err).toBe(EXIT.ok);
    const all = textsBelow(join(folder, 'copy'));
    for (const [name, secret] of Object.entries(keys)) {
      expect(all, name).not.toContain(secret);
      expect(all, name).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
      expect(made.out + made.err, name).not.toContain(secret);
    }
    expect(existsSync(join(folder, 'copy', 'social.db'))).toBe(true);
    const contents = JSON.parse(readFileSync(join(folder, 'copy', 'contents.json'), 'utf8'));
    expect(contents.configuration.files.map(({ path }: { path: string }) => path)).toEqual([
      'kawaraban.yaml',
      'own/prompts/evaluate.md',
    ]);
    expect(contents.configuration.removed).toEqual(
      expect.arrayContaining(['sources.a.feed', 'sources.b.feed', 'line 1', 'own/prompts/evaluate.md']),
    );
    expect(contents.secrets).toEqual([
      { at: 'server.sign_in.secret', env: 'SIGN_IN' },
      { at: 'judges.gemini.key', env: 'GEMINI' },
      { at: 'publishers.toots.token', file: 'token.txt' },
      { at: 'publishers.hook.url', env: 'HOOK' },
    ]);
    for (const words of ['Values of secrets', 'in .env', './make.sh', 'sources.a.feed', 'The program itself'])
      expect(made.err).toContain(words);
    expect(contents.notHeld.map((words: string) => `  - ${words}`).join('\n')).toBe(
      made.err.trimEnd().split('\n').slice(1).join('\n'),
    );
    const json = JSON.parse((await says('backup', 'second', '--json')).out);
    expect(json).toMatchObject({ notHeld: contents.notHeld, program: expect.any(String) });
    expect(json.files).toContainEqual(
      expect.objectContaining({ name: 'social.db', schema: expect.any(Number), sha256: expect.any(String) }),
    );
  });

  it('I15 is restored on a new machine, which names the secrets that are missing', async () => {
    await says('status');
    await says('backup', join(other, 'copy'));
    const restored = await saysElsewhere('restore', 'copy');
    expect(restored.code, restored.err).toBe(EXIT.ok);
    for (const path of ['kawaraban.yaml', 'own/prompts/evaluate.md', 'data/social.db'])
      expect(existsSync(join(other, path)), path).toBe(true);
    expect(restored.err).toContain('judges.gemini.key: the environment variable GEMINI is not set');
    expect(restored.err).toContain('publishers.toots.token: the file token.txt does not exist');
    expect(restored.err).not.toContain('SIGN_IN');
    expect(restored.err).toMatch(/write it again if it is missing: .*sources\.a\.feed/);
    expect((await saysElsewhere('config', 'check', '--no-secrets')).code).toBe(EXIT.ok);
    expect((await saysElsewhere('status')).code).toBe(EXIT.ok);
  });

  it('I15 a configuration that differs is kept, and replaced on request only; a damaged one is refused', async () => {
    await says('status');
    await says('backup', 'copy');
    const same = JSON.parse((await says('restore', 'copy', '--json')).out);
    expect(same.configuration).toEqual({ written: [], kept: [], moved: [] });
    expect(readFileSync(join(folder, 'kawaraban.yaml'), 'utf8')).toBe(config);

    const path = join(folder, 'kawaraban.yaml');
    appendFileSync(path, 'stories: { enabled: true }\n');
    const kept = await says('restore', 'copy');
    expect(kept.err).toMatch(/kawaraban\.yaml differs from the backup and was kept; --force replaces it/);
    expect(readFileSync(path, 'utf8')).toContain('stories');
    const forced = JSON.parse((await says('restore', 'copy', '--force', '--json')).out);
    expect(forced.configuration.written).toEqual([path]);
    expect(readFileSync(forced.configuration.moved[0], 'utf8')).toContain('stories');
    expect(readFileSync(path, 'utf8')).not.toContain('stories');

    appendFileSync(join(folder, 'copy', 'configuration', 'kawaraban.yaml'), '# changed\n');
    const damaged = await says('restore', 'copy');
    expect(damaged).toMatchObject({
      code: EXIT.badData,
      err: expect.stringContaining('is missing or damaged'),
    });
  });
});
