import type { ItemKey } from '../../../item/item.ts';
import { OPEN_STATES, type State } from '../../../item/lifecycle.ts';
import {
  claimItem,
  claimOf,
  expireStalledClaim,
  handedOver,
  type ItemRecord,
  isAttempt,
  releaseClaim,
  renewClaim,
} from '../../../ledger/item-record.ts';
import type { Claim, ClaimRequest, HandOverQuery } from '../../../ledger/ledger.ts';
import { CLOCK_TOLERANCE, type CorrectedTimes, type LeaseWatch } from '../../../time/clock.ts';
import { MAX_CONFLICTS, MAX_PER_CALL, type Write } from '../connection.ts';
import { contentionError } from '../errors.ts';
import { recordOfDocument } from './document.ts';
import { FOREIGN_WORKER } from './layouts.ts';
import type { LedgerStore } from './ledger-store.ts';

/** Candidates read in one query: when others claim the first ones, the next may still be free. */
const CANDIDATES = 8;

export async function claimNext(store: LedgerStore, ask: ClaimRequest): Promise<Claim | null> {
  const again = await recordOfAttempt(store, ask);
  if (again !== null) return claimOf(again);
  const attempt = ask.attempt ?? store.newId();
  const wanted = (ask.states ?? OPEN_STATES).filter((state) => OPEN_STATES.includes(state));
  const lanes = [
    wanted.filter((state) => state === 'accepted'),
    wanted.filter((state) => state !== 'accepted'),
  ].filter((lane) => lane.length > 0);
  for (let lane = 0, tries = 0; lane < lanes.length; tries++) {
    if (tries === MAX_CONFLICTS) throw contentionError(store.layout.items, tries);
    const { claim, more } = await claimFirst(store, lanes[lane] ?? [], { ...ask, attempt });
    if (claim !== null) return claim;
    // Others claimed all candidates; there may be more behind them.
    if (!more) lane += 1;
  }
  return null;
}

async function claimFirst(
  store: LedgerStore,
  states: readonly State[],
  ask: ClaimRequest & { readonly attempt: string },
): Promise<{ claim: Claim | null; more: boolean }> {
  const candidates = await store.connection.query(store.queries.inTurn, {
    where: [states, store.clock.now()],
    limit: CANDIDATES,
  });
  for (const candidate of firstThenShuffled(candidates, store.random)) {
    const key = recordOfDocument(candidate)?.item.key;
    if (key === undefined) continue;
    const claim = await store.change(key, null, (record, now) => claimItem(record, { ...ask, states }, now), {
      first: candidate,
    });
    if (claim !== null) return { claim, more: false };
  }
  return { claim: null, more: candidates.length > 0 };
}

/**
 * The first in order comes first. After a conflict many workers are active: in the same order they would collide at each
 * item again, so each continues in a random order.
 */
function* firstThenShuffled<T>(candidates: readonly T[], random: () => number): Generator<T> {
  const [first, ...rest] = candidates;
  if (first === undefined) return;
  yield first;
  while (rest.length > 0) yield* rest.splice(Math.floor(random() * rest.length), 1);
}

/** Lists them without a claim. */
export async function upcoming(store: LedgerStore, limit: number): Promise<ItemKey[]> {
  const keys: ItemKey[] = [];
  for (const lane of [['accepted'], ['waiting', 'deferred']]) {
    if (keys.length >= limit) break;
    const found = await store.connection.query(store.queries.inTurn, {
      where: [lane, store.clock.now()],
      limit: limit - keys.length,
    });
    keys.push(...found.flatMap((snapshot) => recordOfDocument(snapshot)?.item.key ?? []));
  }
  return keys;
}

export async function claim(store: LedgerStore, key: ItemKey, ask: ClaimRequest): Promise<Claim | null> {
  const again = await recordOfAttempt(store, ask);
  if (again !== null) return again.item.key === key ? claimOf(again) : null;
  const attempt = ask.attempt ?? store.newId();
  return store.change(key, null, (record, now) => claimItem(record, { ...ask, attempt }, now));
}

async function recordOfAttempt(
  store: LedgerStore,
  { attempt, owner }: ClaimRequest,
): Promise<ItemRecord | null> {
  if (attempt === undefined) return null;
  const found = await store.connection.query(store.queries.byAttempt, {
    where: [`${owner} ${attempt}`],
    limit: CANDIDATES,
  });
  const stored = found
    .map(recordOfDocument)
    .find((one) => one !== null && isAttempt(one, owner, attempt, store.clock.now()));
  return stored ?? null;
}

export function renew(store: LedgerStore, claim: Claim, leaseMs: number): Promise<Claim | null> {
  return store.change(claim.item.key, null, (record, now) => renewClaim(record, claim, leaseMs, now));
}

export function release(store: LedgerStore, claim: Claim): Promise<null> {
  return store.change(claim.item.key, null, (record, now) => releaseClaim(record, claim, now));
}

/** Ends claims of dead workers whose end a fast clock has set far in the future. */
export async function expireStalled(
  store: LedgerStore,
  leaseMs: number,
  leases: LeaseWatch,
): Promise<CorrectedTimes> {
  const latest = store.clock.now() + leaseMs + CLOCK_TOLERANCE;
  const found = await store.connection.query(store.queries.leased, { where: [latest] });
  const done = { corrected: 0, watched: 0 };
  for (const snapshot of found) {
    const seen = recordOfDocument(snapshot);
    if (seen === null) continue;
    const changed = await store.change<keyof CorrectedTimes | null>(
      seen.item.key,
      null,
      (record, now) =>
        // Another program's worker renews nothing: its claim lasts until its recorded end.
        record.claim?.owner === FOREIGN_WORKER
          ? { value: null }
          : expireStalledClaim(record, leaseMs, leases, now),
      { first: snapshot },
    );
    if (changed !== null) done[changed]++;
  }
  return done;
}

export async function pendingHandOver(
  store: LedgerStore,
  { limit, handedBefore = 0 }: HandOverQuery,
): Promise<ItemKey[]> {
  const found = await store.connection.query(store.queries.unhanded, {
    // 0 means "not yet", which sorts before everything.
    where: [true, 0, Math.max(1, handedBefore), store.clock.now()],
    limit,
  });
  return found.flatMap((snapshot) => recordOfDocument(snapshot)?.item.key ?? []);
}

/** An item that changed meanwhile or is claimed is left unchanged: at most it is handed over again, which is harmless. */
export async function markHandedOver(store: LedgerStore, keys: readonly ItemKey[]): Promise<void> {
  const distinct = [...new Set(keys)];
  for (let from = 0; from < distinct.length; from += MAX_PER_CALL) {
    const some = distinct.slice(from, from + MAX_PER_CALL);
    const snapshots = await store.connection.getAll(some.map((key) => store.itemPath(key)));
    const writes: Write[] = [];
    for (const snapshot of snapshots) {
      const stored = store.recordOf(snapshot);
      const asOf = snapshot.updateTime;
      const next = stored === null ? null : handedOver(stored, store.clock.now());
      if (next === null || asOf === undefined) continue;
      const data = await store.documentOf(next, snapshot.data());
      writes.push({ do: 'replace', at: store.itemPath(next.item.key), data, asOf });
    }
    if ((await store.connection.commit(writes)) === 'conflict')
      for (const write of writes) await store.connection.commit([write]);
  }
}
