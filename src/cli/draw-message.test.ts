import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { drawMessage } from './draw-message.ts';
import { type CliContext, Terminal } from './terminal.ts';

function terminal(env: NodeJS.ProcessEnv = {}): Terminal {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  return new Terminal({ ...streams, env, cwd: '/' } as unknown as CliContext);
}

const DIGEST = JSON.stringify({
  content: 'Two wait for tomorrow\\.',
  embeds: [
    {
      title: 'C\\* is \\[fast\\]',
      url: 'https://a.example/1',
      description: `${'word '.repeat(30)}end`,
      color: 0xc73e2c,
      fields: [{ name: 'Relevance', value: '94 / 100', inline: true }],
      footer: { text: 'Byte Herald' },
    },
    {
      title: 'Two',
      url: 'https://a.example/2',
      description: '',
      color: 1,
      fields: [],
      footer: { text: 'B' },
    },
  ],
  allowed_mentions: { parse: [] },
});

describe('X12 a message in the terminal', () => {
  it('X12 of Discord has title, link, wrapped description, fields and source beside a bar', () => {
    const lines = drawMessage(terminal(), 'discord-webhook', DIGEST).split('\n');
    expect(lines).toEqual([
      '  Two wait for tomorrow\\.',
      '  ▌ C* is [fast]',
      '  ▌ https://a.example/1',
      expect.stringMatching(/^ {2}▌ word .* word$/),
      expect.stringMatching(/^ {2}▌ word .* end$/),
      '  ▌ Relevance: 94 / 100',
      '  ▌ Byte Herald',
      '',
      '  ▌ Two',
      '  ▌ https://a.example/2',
      '  ▌ B',
    ]);
  });

  it('X12 of Discord has the colour of the embed', () => {
    expect(drawMessage(terminal({ FORCE_COLOR: '1' }), 'discord-webhook', DIGEST)).toContain(
      '\x1b[38;2;199;62;44m▌\x1b[39m',
    );
  });

  it('X12 of a forum begins with the name of the thread', () => {
    const body = JSON.stringify({ name: 'News of today', message: JSON.parse(DIGEST) });
    expect(drawMessage(terminal(), 'discord-bot', body)).toMatch(/^ {2}# News of today\n/);
  });

  it('X12 of Mastodon has its text, length as Mastodon counts, visibility and language', () => {
    const body = JSON.stringify({
      status: '要約\n\nhttps://ministry.example/a/very/long/address/that/counts/as/23.html',
      spoiler_text: 'law',
      visibility: 'unlisted',
      language: 'ja',
      link: 'x',
    });
    expect(drawMessage(terminal(), 'mastodon', body).split('\n')).toEqual([
      '  Content warning: law',
      '  要約',
      '',
      '  https://ministry.example/a/very/long/address/that/counts/as/23.html',
      '  30 characters · unlisted · ja',
    ]);
  });

  it('X6 X12 of any kind has no control characters', () => {
    const body = JSON.stringify({ title: 'a\x1b[2Jb', text: 'c\x07', url: 'https://a.example/\x1b]8;;' });
    const drawn = drawMessage(terminal(), 'timeline', body);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
    expect(drawn).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    expect(drawMessage(terminal(), 'webhook', '{"a":1}')).toContain('"a": 1');
  });
});
