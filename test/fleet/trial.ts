import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDistributed } from '../../src/app/distributed.ts';
import { type Config, parseConfig } from '../../src/config/config.ts';
import { OPEN_STATES } from '../../src/item/lifecycle.ts';
import { OPEN_DELIVERIES } from '../../src/outbox/outbox.ts';
import type { LeaseHolder } from '../../src/scheduler/lease.ts';
import { SCHEDULER_LEASE } from '../../src/scheduler/roles.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { systemClock } from '../../src/time/clock.ts';
import { seeded } from '../seeded-random.ts';
import { Fleet, type FleetOptions, type Replica, type Role, type Shares } from './fleet.ts';

export interface TrialOptions extends FleetOptions {
  /** How many replicas are killed at random, one after the other; or the role of each one that is killed while there is work. */
  readonly kills: number | readonly Role[];
  /** Seed of which replica is killed and when. */
  readonly seed: number;
  /** From the first start to the last item; after that the trial is checked as it is. */
  readonly withinMs: number;
  /** Ends it early, and everything that was started. */
  readonly signal?: AbortSignal;
}

export interface TrialResult {
  readonly items: number;
  readonly published: number;
  readonly rejected: number;
  readonly kills: Readonly<Record<string, number>>;
  readonly drops: number;
  readonly seconds: number;
  /** Violations; empty when the trial passed. */
  readonly wrong: readonly string[];
}

/** Feeds a fleet, kills its replicas at random, waits until every item is in a terminal state, and checks the result. */
export async function runTrial(options: TrialOptions): Promise<TrialResult> {
  const began = performance.now();
  const end = began + options.withinMs;
  const fleet = await Fleet.open(options);
  const inspector = await StoreInspector.open(fleet);
  try {
    const kills = await killReplicas(fleet, inspector, options, end);
    options.log('No more killing; waiting until every item is in a terminal state …');
    let last = '';
    for (;;) {
      const { open, items, words } = await inspector.progress();
      if (words !== last) options.log(words);
      last = words;
      if (open === 0 && items >= fleet.published) break;
      if (performance.now() > end) break;
      await systemClock.sleep(2_000, options.signal);
    }
    const found = await inspector.findings(fleet);
    if (found.wrong.length > 0)
      for (const { name, program } of fleet.replicas)
        for (const line of new Set(program?.err.trim().split('\n').slice(-8)))
          options.log(`${name}: ${line.slice(0, 400)}`);
    return { ...found, kills, seconds: Math.round((performance.now() - began) / 1000) };
  } finally {
    await inspector[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  }
}

async function killReplicas(
  fleet: Fleet,
  inspector: StoreInspector,
  options: TrialOptions,
  end: number,
): Promise<Record<string, number>> {
  const random = seeded(options.seed);
  const kills: Record<string, number> = {};
  const roles = typeof options.kills === 'number' ? null : options.kills;
  const total = roles?.length ?? (options.kills as number);
  // There is always something new, so that a replica is killed at work.
  const publish = (waves: number): void => fleet.publish((waves + 1) / (total + 1));
  publish(0);
  for (let n = 0; n < total && performance.now() < end; n++) {
    if (roles === null) await systemClock.sleep(1_000 + random() * 4_000, options.signal);
    const role = roles?.[n];
    if (role !== undefined) await untilKillable(role, fleet, inspector, options, end);
    const leader = role === 'scheduler' ? await inspector.scheduler() : null;
    const replica = (
      role === undefined
        ? fleet.replicas[Math.floor(random() * fleet.replicas.length)]
        : fleet.replicas.find((each) => each.role === role && (leader === null || isOwner(each, leader)))
    ) as Replica;
    kills[replica.role] = (kills[replica.role] ?? 0) + 1;
    await fleet.kill(replica);
    // As if the minute of its lease had passed.
    if (leader !== null) await inspector.endLease(leader);
    options.log(`killed ${replica.name}; ${(await inspector.progress()).words}`);
    if (roles === null) await systemClock.sleep(random() * 2_000, options.signal);
    await fleet.start(replica);
    publish(n + 1);
  }
  fleet.publish(1);
  return kills;
}

/**
 * A worker is killed while something is open, or when every item is in a terminal state. A scheduler is killed between two runs: the
 * articles that a run has claimed stay claimed for minutes of real time.
 */
async function untilKillable(
  role: Role,
  fleet: Fleet,
  inspector: StoreInspector,
  { signal }: TrialOptions,
  end: number,
): Promise<void> {
  while (performance.now() < end) {
    const { open, items } = await inspector.progress();
    if ((role === 'worker' && open > 0) || (open === 0 && items >= fleet.published)) return;
    await systemClock.sleep(50, signal);
  }
}

function isOwner({ program }: Replica, { owner }: LeaseHolder): boolean {
  return owner.includes(`-${program?.child.pid}-`);
}

type Engine = Awaited<ReturnType<typeof openDistributed>>;
type PipelineStores = Awaited<ReturnType<Engine['pipelineStores']>>;

/** Reads the stores from outside the fleet, each time with new instances: a ledger may cache what it has read. */
class StoreInspector implements AsyncDisposable {
  readonly #config: Config;
  readonly #folder: string;

  private constructor(config: Config, folder: string) {
    this.#config = config;
    this.#folder = folder;
  }

  static async open(fleet: Fleet): Promise<StoreInspector> {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-inspector-'));
    const loaded = parseConfig(readFileSync(fleet.config, 'utf8'), fleet.config, {
      KAWARABAN_DATA: folder,
      BOT: 'b',
      MASTODON: 'm',
      YOUTUBE: 'y',
      TOKEN: 'x'.repeat(40),
    });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    return new StoreInspector(loaded.config, folder);
  }

  async #withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = await openDistributed(this.#config, systemClock, silentTelemetry);
    try {
      return await work(engine);
    } finally {
      await engine[Symbol.asyncDispose]();
    }
  }

  #with<T>(work: (storesByPipeline: ReadonlyMap<string, PipelineStores>) => Promise<T>): Promise<T> {
    return this.#withEngine(async (engine) => {
      const storesByPipeline = new Map<string, PipelineStores>();
      for (const pipeline of Object.values(this.#config.pipelines))
        storesByPipeline.set(pipeline.id, await engine.pipelineStores(pipeline));
      return work(storesByPipeline);
    });
  }

  /** How much is open, how much was admitted, and both as text. */
  progress(): Promise<{ open: number; items: number; words: string }> {
    return this.#with(async (storesByPipeline) => {
      let [open, items] = [0, 0];
      const words: string[] = [];
      for (const [id, { ledger, outbox }] of storesByPipeline) {
        const { byState } = await ledger.counts();
        const waiting = OPEN_STATES.reduce((sum, state) => sum + byState[state], 0);
        const messages = await outbox.counts();
        const unsent = OPEN_DELIVERIES.reduce((sum, state) => sum + messages[state], 0);
        open += waiting + unsent;
        items += Object.values(byState).reduce((sum, n) => sum + n, 0);
        words.push(
          `${id}: ${byState.published + byState.rejected} terminal, ${waiting} open, ${unsent} unsent`,
        );
      }
      return { open, items, words: words.join(' · ') };
    });
  }

  /** Which replica is the leader. */
  scheduler(): Promise<LeaseHolder | null> {
    return this.#withEngine((engine) => engine.leases.holder(SCHEDULER_LEASE));
  }

  endLease(holder: LeaseHolder): Promise<void> {
    return this.#withEngine((engine) => engine.leases.release(holder));
  }

  findings(fleet: Fleet): Promise<Omit<TrialResult, 'kills' | 'seconds'>> {
    return this.#with((storesByPipeline) => findingsOf(fleet, storesByPipeline));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function findingsOf(
  fleet: Fleet,
  storesByPipeline: ReadonlyMap<string, PipelineStores>,
): Promise<Omit<TrialResult, 'kills' | 'seconds'>> {
  const wrong: string[] = [];
  let [items, published, rejected] = [0, 0, 0];
  const addresses = new Set<string>();
  for (const [id, { ledger, outbox }] of storesByPipeline) {
    const { byState, leased } = await ledger.counts();
    const admitted = Object.values(byState).reduce((sum, n) => sum + n, 0);
    const expected = fleet.shares[id as keyof Shares];
    // Videos come by the clock: there may be more.
    if (id === 'videos' ? admitted < fleet.minVideos : admitted !== expected)
      wrong.push(`${admitted} items of ${id} were admitted, of ${expected}`);
    items += admitted;
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
  const statuses = mastodon.statuses().map(({ text }) => /https?:\/\/\S+/.exec(text)?.[0] ?? '');
  wrong.push(...twiceIn(statuses).map((url) => `${url} was posted to Mastodon twice`));
  const unposted = [...addresses].filter((url) => !posted.includes(url) && !statuses.includes(url));
  if (unposted.length > 0)
    wrong.push(`${unposted.length} published items were never posted, as ${unposted[0]}`);
  const drops = await dropsAt(fleet);
  wrong.push(...twiceIn(drops).map((url) => `${url} is twice on the timeline`));
  const missing = [...addresses].filter((url) => !drops.includes(url));
  if (missing.length > 0)
    wrong.push(`${missing.length} published items are not on the timeline, as ${missing[0]}`);
  return { items, published, rejected, drops: drops.length, wrong };
}

/** Every address on the global timeline, read in pages as a client does, from a replica that serves it. */
async function dropsAt(fleet: Fleet): Promise<string[]> {
  const web = fleet.replicas.find(({ role }) => role === 'web');
  const urls: string[] = [];
  for (let older: string | null = null; ; ) {
    const query = older === null ? '' : `&max_id=${encodeURIComponent(older)}`;
    const response = await fetch(`${web?.url}/api/v1/timelines/global?limit=100${query}`);
    if (!response.ok) throw new Error(`the timeline answered ${response.status}: ${await response.text()}`);
    const page = (await response.json()) as {
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
