import type { Simulator } from '../../simulator/simulator.ts';
import type { App } from '../../src/app/app.ts';
import type { Item } from '../../src/item/item.ts';
import { type Delivery, OPEN_DELIVERIES } from '../../src/outbox/outbox.ts';
import type { Pipeline } from '../../src/pipelines/pipeline.ts';
import { CORRECTED, type Destination, serviceOf } from './newsroom-config.ts';

/** Results from the simulator and the ledger after everything had time to finish. */
export interface Findings {
  readonly items: number;
  readonly twice: readonly string[];
  readonly lost: readonly string[];
  /** Other violations, such as a lease without a holder. */
  readonly odd: readonly string[];
  /** Messages that wait for a person, by cause. */
  readonly parked: ReadonlyMap<string, number>;
}

/**
 * Compares ledger, outbox and destination for every item. `expected`: how many the source had; `null` where the number grows over time. `edited`: what
 * was sent must match the edited text.
 */
export async function findingsOf(
  app: App,
  destination: Destination,
  simulator: Simulator,
  expected: number | null,
  edited = false,
): Promise<Findings> {
  const [pipeline] = app.pipelines.values();
  if (pipeline === undefined) throw new Error('there is no pipeline');
  const twice: string[] = [];
  const lost: string[] = [];
  const odd: string[] = [];
  const parked = new Map<string, number>();
  const items = await itemsOf(pipeline);
  const drops = await dropsByItem(app);
  if (expected !== null && items.length !== expected)
    lost.push(`${expected} in the feed and ${items.length} in the ledger`);
  for (const item of items) {
    const posted = postedAt(destination, item.url, simulator);
    const dropped = drops.get(item.key) ?? 0;
    const deliveries = await pipeline.outbox.ofItem(item.key);
    const words = `${item.url} is ${item.state}${item.detail ? ` (${item.detail})` : ''}, posted ${posted}×, dropped ${dropped}×, ${describeDeliveries(deliveries)}`;
    if (posted > 1 || dropped > 1) twice.push(words);
    else if (!isComplete(item, pipeline, deliveries, destination, posted, dropped)) lost.push(words);
    const isSent = deliveries.some((one) => one.destination === destination && one.state === 'sent');
    if (edited && isSent && !isCorrected(destination, item.url, simulator)) odd.push(`not edited: ${words}`);
    if (destination !== 'webhook' && deliveries.some(({ state }) => state === 'parked'))
      odd.push(`parked although its delivery could be read back: ${words}`);
  }
  for (const { detail } of await deliveriesIn(pipeline, ['parked']))
    parked.set(detail ?? '', (parked.get(detail ?? '') ?? 0) + 1);
  if (parked.has('')) odd.push('parked without a cause');
  const { leased } = await pipeline.ledger.counts();
  if (leased > 0) odd.push(`${leased} still leased`);
  const open = await deliveriesIn(pipeline, OPEN_DELIVERIES);
  if (open.length > 0) odd.push(`still open: ${describeDeliveries(open)}`);
  const last = await app.engine.runs.last(pipeline.id);
  if (last?.outcome !== 'done') odd.push(`the last run is ${last?.outcome}: ${last?.summary}`);
  return { items: items.length, twice, lost, odd, parked };
}

/** Sent to both destinations, or parked and recorded as such. A processed video is done, whatever its message. */
function isComplete(
  item: Item,
  { kind }: Pipeline,
  deliveries: readonly Delivery[],
  destination: Destination,
  posted: number,
  dropped: number,
): boolean {
  const there = deliveries.find((delivery) => delivery.destination === destination);
  const isParked = there?.state === 'parked';
  if (item.state !== (isParked && kind !== 'process' ? 'parked' : 'published')) return false;
  return dropped === 1 && (isParked || (there?.state === 'sent' && posted === 1));
}

async function itemsOf({ ledger }: Pipeline): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.list({ limit: 200, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items.filter(({ state }) => state !== 'baseline'));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
}

async function deliveriesIn(
  { outbox }: Pipeline,
  states: readonly Delivery['state'][],
): Promise<readonly Delivery[]> {
  return (await outbox.list({ states, limit: 200 })).deliveries;
}

async function dropsByItem({ engine }: App): Promise<Map<string, number>> {
  const refs = await engine.social.recentPublic(500);
  const counts = new Map<string, number>();
  for (const { itemKey } of await engine.social.getDrops(refs.map(({ id }) => id)))
    if (itemKey) counts.set(itemKey, (counts.get(itemKey) ?? 0) + 1);
  return counts;
}

function postedAt(destination: Destination, url: string, { discord, mastodon }: Simulator): number {
  if (serviceOf(destination) === 'mastodon') return mastodon.posted(url);
  return discord.messages().filter(({ embeds }) => embeds.some((embed) => embed.url === url)).length;
}

function isCorrected(destination: Destination, url: string, { discord, mastodon }: Simulator): boolean {
  const titles =
    serviceOf(destination) === 'mastodon'
      ? mastodon.statuses().flatMap(({ text }) => (text.includes(url) ? text : []))
      : discord
          .messages()
          .flatMap(({ embeds }) => embeds.filter((one) => one.url === url).map((e) => e.title));
  return titles.every((title) => title?.includes(CORRECTED) === true);
}

function describeDeliveries(deliveries: readonly Delivery[]): string {
  return deliveries.length === 0
    ? 'no delivery'
    : deliveries.map((d) => `${d.destination} ${d.state}${d.detail ? ` (${d.detail})` : ''}`).join(', ');
}
