import type { Discord } from '../discord/discord.ts';
import { feedPath } from '../feeds/feeds.ts';
import { xml } from '../feeds/format.ts';
import type { Gemini } from '../gemini/gemini.ts';
import type { Mastodon } from '../mastodon/mastodon.ts';
import { type Ask, isServiceName, type Reply, type Service } from '../net/exchange.ts';
import type { FaultRules } from '../net/fault.ts';
import type { Journal } from '../net/journal.ts';
import { html, json, text } from '../net/reply.ts';
import type { OpenAi } from '../openai/openai.ts';
import { OUTLETS } from '../world/outlet.ts';
import type { YouTube } from '../youtube/youtube.ts';
import { discordPage } from './discord-page.ts';
import { homePage } from './home-page.ts';
import { mastodonPage } from './mastodon-page.ts';
import { parseFaultRule } from './parse-fault.ts';

export interface ControlTargets {
  readonly urls: Readonly<Record<string, string>>;
  readonly journal: Journal;
  readonly faults: FaultRules;
  readonly discord: Discord;
  readonly mastodon: Mastodon;
  readonly gemini: Gemini;
  readonly openai: OpenAi;
  readonly youtube: YouTube;
}

/** The simulator's own address: web pages, and `/__sim/…` for other processes. */
export class Control implements Service {
  readonly #targets: ControlTargets;

  constructor(targets: ControlTargets) {
    this.#targets = targets;
  }

  errorReply(status: number): Reply {
    return text(`The simulator itself failed (${status}); see /__sim/problems.\n`, status);
  }

  answer(ask: Ask): Reply {
    const { urls, discord, mastodon } = this.#targets;
    switch (ask.path) {
      case '/':
        return html(homePage(urls, this.#counts(ask.now)));
      case '/discord':
        return html(discordPage(discord.messages(), (id) => discord.channelName(id)));
      case '/mastodon':
        return html(mastodonPage(mastodon.statuses()));
      case '/feeds.opml':
        return text(feedList(urls.feeds ?? ''), 200, { 'content-type': 'text/x-opml; charset=utf-8' });
      default:
        return this.#machine(ask) ?? text('No such page.\n', 404);
    }
  }

  #machine(ask: Ask): Reply | null {
    const { urls, journal, faults, discord, mastodon, gemini, openai } = this.#targets;
    const name = /^\/__sim(?:\/(\w+))?$/.exec(ask.path)?.[1] ?? (ask.path === '/__sim' ? '' : null);
    if (name === 'misbehave') return this.#faultRules(ask);
    if (name === 'reset' && ask.method === 'POST') return this.#reset();
    if (name === 'models' && ask.method === 'POST') return this.#models(ask);
    const service = ask.query.get('service') ?? '';
    const wanted = ask.query.get('text') ?? '';
    const answers: Readonly<Record<string, () => unknown>> = {
      '': () => ({ urls, secrets: this.#secrets() }),
      counts: () => this.#counts(ask.now),
      posted: () => ({ discord: discord.posted(wanted), mastodon: mastodon.posted(wanted) }),
      discord: () => discord.messages(),
      mastodon: () => mastodon.statuses(),
      gemini: () => gemini.calls(),
      openai: () => openai.calls(),
      journal: () => journal.entries(isServiceName(service) ? service : undefined),
      problems: () => journal.problems(),
      faults: () => faults.list(),
    };
    const answer = name === null ? undefined : answers[name];
    return answer && ask.method === 'GET' ? json(answer()) : null;
  }

  #counts(now: number) {
    const { journal, discord, mastodon, gemini, openai, youtube } = this.#targets;
    return {
      requests: journal.counts(),
      discord: { messages: discord.messages().length },
      mastodon: { statuses: mastodon.statuses().length },
      gemini: { calls: gemini.total },
      openai: { calls: openai.total },
      youtube: { quotaUsed: youtube.quotaUsed(now) },
    };
  }

  #faultRules(ask: Ask): Reply {
    const { faults } = this.#targets;
    if (ask.method === 'GET') return json(faults.list());
    if (ask.method === 'DELETE') {
      faults.clear();
      return json([]);
    }
    const read = parseFaultRule(ask.body.toString('utf8'));
    if ('problem' in read) return json({ error: read.problem }, 400);
    return json({ id: faults.add(read.rule).id, rule: read.rule }, 201);
  }

  #models(ask: Ask): Reply {
    const { gemini, openai } = this.#targets;
    const obey = ask.query.get('obey') === 'true';
    gemini.obeyInjections = obey;
    openai.obeyInjections = obey;
    return json({ obeyInjections: obey });
  }

  /** By the names of the variables in which the recipes expect them. */
  #secrets(): Readonly<Record<string, string>> {
    const { discord, mastodon, gemini, youtube } = this.#targets;
    return {
      DISCORD_WEBHOOK_URL: discord.webhookUrl,
      MASTODON_TOKEN: mastodon.token,
      GEMINI_API_KEY: gemini.key,
      YOUTUBE_API_KEY: youtube.key,
    };
  }

  #reset(): Reply {
    const { journal, faults, discord, mastodon, gemini, openai } = this.#targets;
    for (const each of [journal, faults, discord, mastodon, gemini, openai]) each.clear();
    return json({ ok: true });
  }
}

const LANGUAGES: Readonly<Record<string, string>> = { en: 'English', ja: '日本語' };

/** The outlets as a feed reader exports them, in a folder for each language. */
function feedList(feeds: string): string {
  const folders = Object.entries(LANGUAGES).map(([language, name]) => {
    const outlines = OUTLETS.filter((outlet) => outlet.language === language).map(
      (outlet) =>
        `      <outline type="rss" text="${xml(outlet.name)}" xmlUrl="${xml(`${feeds}${feedPath(outlet)}`)}"/>\n`,
    );
    return `    <outline text="${name}">\n${outlines.join('')}    </outline>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head><title>Feeds of the simulator</title></head>
  <body>
${folders.join('')}  </body>
</opml>
`;
}
