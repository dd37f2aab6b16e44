import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator.ts';
import { OUTLETS } from '../world/outlet.ts';

let sim: Simulator;

beforeEach(async () => {
  sim = await startSimulator();
});

afterEach(async () => {
  await sim[Symbol.asyncDispose]();
});

async function ask(path: string, method = 'GET', body?: unknown): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${sim.urls.control}/__sim${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

async function say(content: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(sim.discord.webhookUrl, { method: 'POST', headers, body: JSON.stringify({ content }) });
}

describe('the control address', () => {
  it('reports addresses and request counts to other processes', async () => {
    await say('hello');
    expect((await ask('')).body).toMatchObject({
      urls: sim.urls,
      secrets: { DISCORD_WEBHOOK_URL: sim.discord.webhookUrl, GEMINI_API_KEY: sim.gemini.key },
    });
    expect(await (await fetch(`${sim.urls.control}/feeds.opml`)).text()).toContain(
      `xmlUrl="${sim.urls.feeds}/byte-herald/feed.xml"`,
    );
    expect((await ask('/counts')).body).toMatchObject({ requests: { discord: 1 }, discord: { messages: 1 } });
    expect((await ask('/posted?text=hello')).body).toEqual({ discord: 1, mastodon: 0 });
    expect((await ask('/discord')).body).toMatchObject([{ content: 'hello' }]);
    expect((await ask('/journal?service=discord')).body).toMatchObject([{ method: 'POST', status: 204 }]);
    for (const list of ['/mastodon', '/gemini', '/openai', '/problems', '/faults'])
      expect((await ask(list)).body).toEqual([]);
    expect((await fetch(`${sim.urls.control}/__sim/nothing`)).status).toBe(404);
  });

  it('lets other processes inject faults, and reports what is wrong with a bad rule', async () => {
    expect(await ask('/misbehave', 'POST', { service: 'discord', how: 'reset' })).toMatchObject({
      status: 201,
    });
    await expect(say('lost')).rejects.toThrow();
    for (const [rule, words] of [
      ['{', 'not JSON'],
      [{ service: 'x', how: 'reset' }, 'service must be one of'],
      [{ service: 'discord', how: 'explode' }, 'how must be one of'],
      [{ service: 'discord', how: 'slow', ms: -1 }, 'ms must be a number'],
      [{ service: 'discord', how: 'slow', times: 'twice' }, 'times must be'],
    ] as const) {
      const { status, body } = await ask('/misbehave', 'POST', rule);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain(words);
    }
    expect(((await ask('/misbehave')).body as unknown[]).length).toBe(1);
    expect((await ask('/misbehave', 'DELETE')).body).toEqual([]);
  });

  it('resets everything on request', async () => {
    await say('hello');
    await ask('/reset', 'POST');
    expect((await ask('/discord')).body).toEqual([]);
    await ask('/models?obey=true', 'POST');
    expect([sim.gemini.obeyInjections, sim.openai.obeyInjections]).toEqual([true, true]);
  });

  it('has every channel, ID, token and key in its README', async () => {
    const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
    const { discord, mastodon, youtube, gemini, openai } = sim;
    const names = [
      ...OUTLETS.map(({ id }) => id),
      ...youtube.channels.flatMap(({ handle, id }) => [handle, id]),
      ...Object.values(discord.channels),
      ...discord.webhookUrl.split('/').slice(-2),
      discord.forumWebhookUrl.split('/').at(-2) ?? '',
      discord.botToken,
      ...[mastodon.token, youtube.key, gemini.key, openai.key],
    ];
    for (const name of names) expect(readme).toContain(name);
    for (const { id, topics } of OUTLETS)
      expect(readme).toMatch(new RegExp(`^\\| \`${id}\` .*\\| ${topics.join(', ')} \\|$`, 'm'));
  });

  it('shows what was posted, without executable content', async () => {
    await fetch(sim.discord.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        content: '**bold** <script>alert(1)</script>',
        embeds: [
          {
            title: 'A & B',
            url: 'https://a.example/',
            color: 255,
            fields: [{ name: 'Relevance', value: '92' }],
          },
        ],
      }),
    });
    const page = await (await fetch(`${sim.urls.control}/discord`)).text();
    expect(page).toContain('<strong>bold</strong> &lt;script&gt;');
    expect(page).toContain('<a href="https://a.example/">A &amp; B</a>');
    expect(page).toContain('border-color:#0000ff');
    expect(await (await fetch(`${sim.urls.control}/mastodon`)).text()).toContain(
      'Nothing has been posted yet',
    );
    expect(await (await fetch(`${sim.urls.control}/`)).text()).toContain('The Byte Herald');
  });
});

describe('what was posted', () => {
  it('survives a restart when it is saved, and a broken file counts as empty', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
    const keepIn = join(folder, 'kept.json');
    await sim[Symbol.asyncDispose]();
    sim = await startSimulator({ keepIn });
    await say('kept');
    await sim[Symbol.asyncDispose]();
    sim = await startSimulator({ keepIn });
    expect(sim.discord.posted('kept')).toBe(1);
    await sim[Symbol.asyncDispose]();
    expect(JSON.parse(await readFile(keepIn, 'utf8'))).toHaveProperty('mastodon');
    await writeFile(keepIn, '{"discord":');
    sim = await startSimulator({ keepIn });
    expect(sim.discord.messages()).toEqual([]);
    await sim[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
});

describe('the command', () => {
  it('prints its addresses, serves, and stops on a signal', async () => {
    const child = run('--grow', '1s', '--seed', '3');
    const text = await printed(child);
    const control = /Look at (http:\S+)/.exec(text)?.[1] ?? '';
    expect((await fetch(`${control}__sim/counts`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
  });

  it('reports what is wrong with an option', async () => {
    const child = run('--grow', 'often');
    let words = '';
    child.stderr?.on('data', (piece: Buffer) => {
      words += piece.toString();
    });
    expect(await ended(child)).toBe(1);
    expect(words).toContain('--grow takes a length of time');
  });
});

function run(...options: string[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, '..', 'main.ts'), ...options]);
}

function printed(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.stdout?.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (text.includes('Ctrl-C stops')) resolve(text);
    });
  });
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve));
}
