import type { Discord } from '../discord/discord.ts';
import type { Gemini } from '../gemini/gemini.ts';
import type { Mastodon } from '../mastodon/mastodon.ts';
import { type Ask, isServiceName, type Reply, type Service } from '../net/exchange.ts';
import type { FaultRules } from '../net/fault.ts';
import type { Journal } from '../net/journal.ts';
import { html, json, text } from '../net/reply.ts';
import type { OpenAi } from '../openai/openai.ts';
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
      '': () => ({ urls }),
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

  #reset(): Reply {
    const { journal, faults, discord, mastodon, gemini, openai } = this.#targets;
    for (const each of [journal, faults, discord, mastodon, gemini, openai]) each.clear();
    return json({ ok: true });
  }
}
