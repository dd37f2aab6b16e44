import type { PublisherConfig } from '../config/schema/publishers.ts';
import type { AtomMessage } from '../publishers/atom/atom.ts';
import type { BotBody } from '../publishers/discord/bot.ts';
import type { DigestBody } from '../publishers/discord/digest.ts';
import type { StatusBody } from '../publishers/mastodon/mastodon.ts';
import { statusLength } from '../publishers/mastodon/status.ts';
import type { DropBody } from '../publishers/timeline/timeline.ts';
import { formatBody, formatCount, sanitise, wrap } from './format.ts';
import type { Terminal } from './terminal.ts';

/** Wide lines are hard to read, and the services do not show them either. */
const MAX_WIDTH = 90;
const INDENT = '  ';

/** A message in lines, about as its destination shows it. One of another kind is shown as the JSON that is sent. */
export function drawMessage(
  terminal: Terminal,
  kind: PublisherConfig['kind'] | undefined,
  body: string,
): string {
  const width = Math.min(terminal.width, MAX_WIDTH) - INDENT.length;
  const lines = linesOf(new Canvas(terminal, width), kind, body);
  return lines.map((line) => `${INDENT}${line}`.trimEnd()).join('\n');
}

function linesOf(canvas: Canvas, kind: PublisherConfig['kind'] | undefined, body: string): string[] {
  switch (kind) {
    case 'discord-webhook':
      return discordLines(canvas, JSON.parse(body) as WebhookBody);
    case 'discord-bot': {
      const post = JSON.parse(body) as BotBody;
      return discordLines(canvas, 'message' in post ? { ...post.message, thread_name: post.name } : post);
    }
    case 'mastodon':
      return mastodonLines(canvas, JSON.parse(body) as StatusBody);
    case 'timeline':
      return linkLines(canvas, JSON.parse(body) as DropBody);
    case 'atom': {
      const { title, url, summary } = JSON.parse(body) as AtomMessage;
      return linkLines(canvas, { title, url, text: summary ?? '' });
    }
    default:
      return formatBody(body).split('\n');
  }
}

/** Styles and wraps; every text comes from outside and is sanitised. */
class Canvas {
  readonly #terminal: Terminal;
  readonly #width: number;

  constructor(terminal: Terminal, width: number) {
    this.#terminal = terminal;
    this.#width = width;
  }

  bold(text: string): string[] {
    return this.#lines(text).map((line) => this.#terminal.style('bold', line));
  }

  dim(text: string): string[] {
    return this.#lines(text).map((line) => this.#terminal.style('dim', line));
  }

  plain(text: string): string[] {
    return this.#lines(text);
  }

  /** In one line, so that it can be opened from the terminal. */
  link(url: string): string {
    return this.#terminal.style('underline', sanitise(url));
  }

  bar(colour: number): string {
    return this.#terminal.tint(colour, '▌');
  }

  #lines(text: string): string[] {
    return text.split('\n').flatMap((line) => wrap(sanitise(line), this.#width));
  }
}

type WebhookBody = DigestBody & { readonly username?: string; readonly thread_name?: string };

function discordLines(canvas: Canvas, { username, thread_name, content, embeds }: WebhookBody): string[] {
  const drawn = embeds.map(({ title, url, description, color, fields, footer }) => {
    const facts = fields.map(({ name, value }) => `${name}: ${unescapeMarkdown(value)}`).join(' · ');
    return [
      ...canvas.bold(unescapeMarkdown(title)),
      canvas.link(url),
      ...(description === '' ? [] : canvas.plain(unescapeMarkdown(description))),
      ...(facts === '' ? [] : canvas.plain(facts)),
      ...canvas.dim(footer.text),
    ].map((line) => `${canvas.bar(color)} ${line}`);
  });
  return [
    ...(thread_name === undefined ? [] : canvas.bold(`# ${thread_name}`)),
    ...(username === undefined ? [] : canvas.dim(`by ${username}`)),
    ...(content === '' ? [] : canvas.plain(unescapeMarkdown(content))),
    ...drawn.flatMap((lines, n) => (n === 0 ? lines : ['', ...lines])),
  ];
}

/** The values of a digest are escaped, so that a title cannot contain markup. */
function unescapeMarkdown(text: string): string {
  return text.replaceAll(/\\([\\*_~`|>[\]#-])/gu, '$1');
}

function mastodonLines(
  canvas: Canvas,
  { status, spoiler_text = '', visibility, language, sensitive, image }: StatusBody,
): string[] {
  const characters = statusLength(status) + statusLength(spoiler_text, null);
  const facts = [
    formatCount(characters, 'character'),
    visibility,
    ...(language === undefined ? [] : [language]),
    ...(sensitive ? ['sensitive'] : []),
  ];
  return [
    ...(spoiler_text === '' ? [] : canvas.bold(`Content warning: ${spoiler_text}`)),
    ...canvas.plain(status),
    ...(image === undefined ? [] : canvas.dim(`Picture: ${image.description} (${image.url})`)),
    ...canvas.dim(facts.join(' · ')),
  ];
}

function linkLines(canvas: Canvas, drop: Pick<DropBody, 'title' | 'url' | 'text'>): string[] {
  const { title, url, text } = drop;
  return [...canvas.bold(title), ...(text === '' ? [] : canvas.plain(text)), canvas.link(url)];
}
