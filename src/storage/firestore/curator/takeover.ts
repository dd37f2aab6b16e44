import type { ItemKey } from '../../../item/item.ts';
import type { ItemRecord } from '../../../ledger/item-record.ts';
import { DELIVERY_STATES } from '../../../outbox/outbox.ts';
import type { Write } from '../connection.ts';
import { recordedUrl } from '../ledger/article-layout.ts';
import { hashOf } from '../ledger/document.ts';
import { byAge, type Digest, type FormerMessage, formerMessageOf, fromFormer, keysOf } from './documents.ts';
import type { CuratorDependencies } from './store.ts';

/** Newest messages whose articles may not be recorded, because their process died in between: those of a run or two. */
const MAX_RECENT = 60;

/**
 * Makes digests of the messages of the previous version, one document each. Messages with articles that are not recorded yet
 * become one digest with these articles, together with the messages that their process was going to send and had not
 * written. Returns how many messages were taken over; one read where there are none.
 */
export async function takeOverFormerMessages(
  deps: CuratorDependencies,
  signal?: AbortSignal,
): Promise<number> {
  const { connection, queries, names } = deps;
  const snapshots = await connection.query(queries.formerMessages, { where: [[...DELIVERY_STATES]] });
  const former = snapshots.flatMap((snapshot) => {
    const message = formerMessageOf(snapshot);
    return message === null ? [] : [{ id: snapshot.id, message }];
  });
  if (former.length === 0) return 0;
  const all = [...former, ...(await unwrittenMessages(deps, former))].sort(
    (a, b) => b.message.nth - a.message.nth,
  );
  const recent = all.filter(({ message }, index) => index < MAX_RECENT || message.delivery.state !== 'sent');
  const open = await unrecorded(
    deps,
    recent.filter(({ message }) => message.gaveWay !== true).flatMap(({ message }) => message.articles ?? []),
  );
  const written = new Set(former.map(({ id }) => id));
  for (const group of groupsOf(all, new Set(open.keys()))) {
    signal?.throwIfAborted();
    const current = group.filter(({ message }) => message.gaveWay !== true);
    const digest = current.length === 0 ? null : mergedOf(current, open);
    const writes: Write[] = group
      .filter(({ id }) => written.has(id) && id !== digest?.id)
      .map(({ id }) => ({ do: 'delete', at: [names.outbox, id] }));
    if (digest !== null)
      writes.push(
        deps.digests.set(digest),
        ...digest.articles.map(
          ({ item }): Write => ({ do: 'delete', at: deps.articles.candidatePath(item.key) }),
        ),
      );
    await connection.commit(writes);
  }
  return former.length;
}

interface Former {
  readonly id: string;
  readonly message: FormerMessage;
}

/**
 * Messages that have no document of their own. An article is swept after its messages are finished, so those of swept ones
 * have nothing left to send.
 */
async function unwrittenMessages(
  { remembered }: CuratorDependencies,
  former: readonly Former[],
): Promise<Former[]> {
  const written = new Set(former.map(({ message }) => message.delivery.key));
  const unwritten = new Map<string, FormerMessage>();
  for (const { message } of former)
    for (const one of message.carried ?? [])
      if (!written.has(one.delivery.key)) unwritten.set(one.delivery.key, { ...one, held: null });
  const { tombstones } = await remembered.read();
  return [...unwritten.values()]
    .filter(({ delivery }) => !delivery.itemKeys.some((key) => tombstones.has(key)))
    .map((message) => ({ id: hashOf(message.delivery.key), message }));
}

/** Articles of messages that are still accepted, according to their own documents where they have one. */
async function unrecorded(
  { articles, remembered }: CuratorDependencies,
  inMessages: readonly ItemRecord[],
): Promise<Map<ItemKey, ItemRecord>> {
  const all = new Map(inMessages.map((stored) => [stored.item.key, stored]));
  const urls = new Map([...all.values()].map(({ item }) => [item.key, [recordedUrl(item)]]));
  const recorded = await articles.recorded([...all.keys()], urls);
  const candidates = await articles.candidates([...all.keys()]);
  const { tombstones } = await remembered.read();
  const open = new Map<ItemKey, ItemRecord>();
  for (const [key, stored] of all) {
    const now = candidates.get(key)?.stored ?? stored;
    if (!recorded.has(key) && !tombstones.has(key) && now.item.state === 'accepted') open.set(key, now);
  }
  return open;
}

/** Messages that share an unrecorded article are one group; every other message is a group of its own. */
function groupsOf(all: readonly Former[], open: ReadonlySet<ItemKey>): Former[][] {
  const groups: { keys: Set<ItemKey>; members: Former[] }[] = [];
  for (const one of all) {
    const keys = new Set(one.message.delivery.itemKeys.filter((key) => open.has(key)));
    const shared = groups.filter((group) => [...keys].some((key) => group.keys.has(key)));
    const merged = {
      keys: new Set([...keys, ...shared.flatMap((group) => [...group.keys])]),
      members: [one, ...shared.flatMap((group) => group.members)],
    };
    for (const group of shared) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups.map(({ members }) => members);
}

function mergedOf(group: readonly Former[], open: ReadonlyMap<ItemKey, ItemRecord>): Digest {
  const digests = group.map(({ id, message }) => fromFormer(id, message)).sort(byAge);
  const [first] = digests;
  if (first === undefined) throw new Error('A digest has at least one message.');
  const messages = digests.flatMap((digest) => digest.messages);
  const keys = keysOf({ articles: [], messages });
  const articles = [...keys]
    .flatMap((key) => open.get(key) ?? [])
    .map((stored) => ({ ...stored, claim: null }));
  return { ...first, articles, messages };
}
