import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDistributed } from '../../src/app/distributed.ts';
import { parseConfig } from '../../src/config/config.ts';
import { OPEN_STATES } from '../../src/item/lifecycle.ts';
import { OPEN_DELIVERIES } from '../../src/press/outbox.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { systemClock } from '../../src/time/clock.ts';
import { type Copy, Fleet, type FleetOptions } from './fleet.ts';

export interface TrialOptions extends FleetOptions {
  /** How many copies are killed, one after the other. */
  readonly kills: number;
  /** Decides which and when. */
  readonly seed: number;
  readonly withinMs: number;
}

export interface TrialResult {
  readonly items: number;
  readonly published: number;
  readonly rejected: number;
  readonly kills: Readonly<Record<string, number>>;
  readonly drops: number;
  readonly seconds: number;
  /** What must not be; empty when all is well. */
  readonly wrong: readonly string[];
}

/** Feeds a fleet, kills its copies at random, waits until everything is settled, and looks whether it is as it should be. */
export async function runTrial(options: TrialOptions): Promise<TrialResult> {
  const began = performance.now();
  const fleet = await Fleet.open(options);
  const watch = await Watch.open(fleet);
  try {
    const kills = await killAtRandom(fleet, watch, options);
    options.log('No more killing; waiting until everything is settled …');
    const end = performance.now() + options.withinMs;
    let last = '';
    for (;;) {
      const { open, words } = await watch.look();
      if (words !== last) options.log(words);
      last = words;
      if (open === 0 && (await watch.itemsIn()) >= options.items * 0.95) break;
      if (performance.now() > end) break;
      await systemClock.sleep(2_000);
    }
    const found = await watch.findings(fleet);
    if (found.wrong.length > 0)
      for (const { name, program } of fleet.copies)
        for (const line of new Set(program?.err.trim().split('\n').slice(-8)))
          options.log(`${name}: ${line.slice(0, 400)}`);
    return { ...found, kills, seconds: Math.round((performance.now() - began) / 1000) };
  } finally {
    await watch[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  }
}

async function killAtRandom(
  fleet: Fleet,
  watch: Watch,
  options: TrialOptions,
): Promise<Record<string, number>> {
  const random = seeded(options.seed);
  const kills: Record<string, number> = {};
  for (let n = 0; n < options.kills; n++) {
    await systemClock.sleep(1_000 + random() * 4_000);
    const copy = fleet.copies[Math.floor(random() * fleet.copies.length)] as Copy;
    kills[copy.role] = (kills[copy.role] ?? 0) + 1;
    await fleet.kill(copy);
    options.log(`killed ${copy.name}; ${(await watch.look()).words}`);
    await systemClock.sleep(random() * 2_000);
    await fleet.start(copy);
  }
  return kills;
}

type Engine = Awaited<ReturnType<typeof openDistributed>>;
type Memory = Awaited<ReturnType<Engine['memoryOf']>>;

/** Looks at the stores from beside the fleet. */
class Watch implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #memories: ReadonlyMap<string, Memory>;
  readonly #folder: string;

  private constructor(engine: Engine, memories: ReadonlyMap<string, Memory>, folder: string) {
    this.#engine = engine;
    this.#memories = memories;
    this.#folder = folder;
  }

  static async open(fleet: Fleet): Promise<Watch> {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-watch-'));
    const loaded = parseConfig(readFileSync(fleet.config, 'utf8'), fleet.config, {
      KAWARABAN_DATA: folder,
      BOT: 'b',
      MASTODON: 'm',
      YOUTUBE: 'y',
      TOKEN: 'x'.repeat(40),
    });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const engine = await openDistributed(loaded.config, systemClock, silentTelemetry);
    const memories = new Map<string, Memory>();
    for (const pipeline of Object.values(loaded.config.pipelines))
      memories.set(pipeline.id, await engine.memoryOf(pipeline));
    return new Watch(engine, memories, folder);
  }

  async look(): Promise<{ open: number; words: string }> {
    let open = 0;
    const words: string[] = [];
    for (const [id, { ledger, outbox }] of this.#memories) {
      const { byState } = await ledger.counts();
      const waiting = OPEN_STATES.reduce((sum, state) => sum + byState[state], 0);
      const messages = await outbox.counts();
      const unsent = OPEN_DELIVERIES.reduce((sum, state) => sum + messages[state], 0);
      open += waiting + unsent;
      words.push(`${id}: ${byState.published + byState.rejected} settled, ${waiting} open, ${unsent} unsent`);
    }
    return { open, words: words.join(' · ') };
  }

  async itemsIn(): Promise<number> {
    let items = 0;
    for (const { ledger } of this.#memories.values())
      items += Object.values((await ledger.counts()).byState).reduce((sum, n) => sum + n, 0);
    return items;
  }

  async findings(fleet: Fleet): Promise<Omit<TrialResult, 'kills' | 'seconds'>> {
    const wrong: string[] = [];
    let [items, published, rejected] = [0, 0, 0];
    const addresses = new Set<string>();
    for (const [id, { ledger, outbox }] of this.#memories) {
      const { byState, leased } = await ledger.counts();
      items += Object.values(byState).reduce((sum, n) => sum + n, 0);
      published += byState.published;
      rejected += byState.rejected;
      for (const state of [...OPEN_STATES, 'failed', 'parked'] as const)
        if (byState[state] > 0) wrong.push(`${byState[state]} items of ${id} are ${state}`);
      if (leased > 0) wrong.push(`${leased} items of ${id} are still leased`);
      const messages = await outbox.counts();
      for (const state of [...OPEN_DELIVERIES, 'parked', 'refused'] as const)
        if (messages[state] > 0) wrong.push(`${messages[state]} messages of ${id} are ${state}`);
      if (id === 'videos') continue;
      for (let cursor: string | null = null; ; ) {
        const page = await ledger.list({
          states: ['published'],
          limit: 200,
          ...(cursor !== null && { cursor }),
        });
        for (const { url } of page.items) addresses.add(url);
        cursor = page.next;
        if (cursor === null) break;
      }
    }
    const { discord, mastodon } = fleet.simulator;
    const posted = discord.messages().flatMap(({ embeds }) => embeds.map(({ url }) => url ?? ''));
    wrong.push(...twiceIn(posted).map((url) => `${url} was posted to Discord twice`));
    const tooted = mastodon.statuses().map(({ text }) => /https?:\/\/\S+/.exec(text)?.[0] ?? '');
    wrong.push(...twiceIn(tooted).map((url) => `${url} was posted to Mastodon twice`));
    const unsaid = [...addresses].filter((url) => !posted.includes(url) && !tooted.includes(url));
    if (unsaid.length > 0) wrong.push(`${unsaid.length} published items were never posted, as ${unsaid[0]}`);
    const drops = await dropsAt(fleet);
    wrong.push(...twiceIn(drops).map((url) => `${url} is twice on the timeline`));
    const missing = [...addresses].filter((url) => !drops.includes(url));
    if (missing.length > 0)
      wrong.push(`${missing.length} published items are not on the timeline, as ${missing[0]}`);
    return { items, published, rejected, drops: drops.length, wrong };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Every address on the global timeline, read in pages as a client does, from a copy that serves it. */
async function dropsAt(fleet: Fleet): Promise<string[]> {
  const web = fleet.copies.find(({ role }) => role === 'web');
  const urls: string[] = [];
  for (let older: string | null = null; ; ) {
    const ask = older === null ? '' : `&max_id=${encodeURIComponent(older)}`;
    const answer = await fetch(`${web?.url}/api/v1/timelines/global?limit=100${ask}`);
    if (!answer.ok) throw new Error(`the timeline answered ${answer.status}: ${await answer.text()}`);
    const page = (await answer.json()) as {
      drops: { url: string | null }[];
      cursors: { older: string | null };
    };
    urls.push(...page.drops.flatMap(({ url }) => url ?? []));
    older = page.cursors.older;
    if (older === null || page.drops.length === 0) return urls;
  }
}

function twiceIn(words: readonly string[]): string[] {
  return [...new Set(words.filter((word, n) => word !== '' && words.indexOf(word) !== n))];
}

/** Numbers in [0, 1) that are the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
