import { MOST_CONFLICTS } from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import type { ItemKey } from '../../item/item.ts';
import { OPEN_STATES, type State } from '../../item/lifecycle.ts';
import { CLOCK_TOLERANCE, type CorrectedTimes, type LeaseWatch } from '../../time/future.ts';
import {
  claimItem,
  claimOf,
  expireStalledClaim,
  type ItemRecord,
  isAttempt,
  releaseClaim,
  renewClaim,
} from '../item-record.ts';
import type { Claim, ClaimAsk } from '../ledger.ts';
import { storedOf } from './document.ts';
import { FOREIGN_WORKER } from './layouts/videos.ts';
import type { LedgerStore } from './store.ts';

/** So many are looked at in one go: when others take the first ones, the next may still be free. */
const CANDIDATES = 8;

export async function claimNext(store: LedgerStore, ask: ClaimAsk): Promise<Claim | null> {
  const again = await sameAttempt(store, ask);
  if (again !== null) return claimOf(again);
  const attempt = ask.attempt ?? store.newName();
  const wanted = (ask.states ?? OPEN_STATES).filter((state) => OPEN_STATES.includes(state));
  const lanes = [
    wanted.filter((state) => state === 'accepted'),
    wanted.filter((state) => state !== 'accepted'),
  ].filter((lane) => lane.length > 0);
  for (let lane = 0, tries = 0; lane < lanes.length; tries++) {
    if (tries === MOST_CONFLICTS) throw contention(store.layout.items, tries);
    const { claim, more } = await takeFirst(store, lanes[lane] ?? [], { ...ask, attempt });
    if (claim !== null) return claim;
    // Others took all that we saw; there may be more behind them.
    if (!more) lane += 1;
  }
  return null;
}

async function takeFirst(
  store: LedgerStore,
  states: readonly State[],
  ask: ClaimAsk & { readonly attempt: string },
): Promise<{ claim: Claim | null; more: boolean }> {
  const candidates = await store.connection.query(store.queries.inTurn, {
    where: [states, store.clock.now()],
    limit: CANDIDATES,
  });
  for (const candidate of firstThenAny(candidates, store.random)) {
    const key = storedOf(candidate)?.item.key;
    if (key === undefined) continue;
    const claim = await store.change(key, null, (record, now) => claimItem(record, { ...ask, states }, now), {
      first: candidate,
    });
    if (claim !== null) return { claim, more: false };
  }
  return { claim: null, more: candidates.length > 0 };
}

/**
 * Whose turn it is comes first. Where another was faster, many are at work: those who then try in the same order meet at
 * each item again, so everybody goes on in an order of its own.
 */
function* firstThenAny<T>(candidates: readonly T[], random: () => number): Generator<T> {
  const [first, ...rest] = candidates;
  if (first === undefined) return;
  yield first;
  while (rest.length > 0) yield* rest.splice(Math.floor(random() * rest.length), 1);
}

/** Without taking them. */
export async function upcoming(store: LedgerStore, limit: number): Promise<ItemKey[]> {
  const keys: ItemKey[] = [];
  for (const lane of [['accepted'], ['waiting', 'deferred']]) {
    if (keys.length >= limit) break;
    const found = await store.connection.query(store.queries.inTurn, {
      where: [lane, store.clock.now()],
      limit: limit - keys.length,
    });
    keys.push(...found.flatMap((snapshot) => storedOf(snapshot)?.item.key ?? []));
  }
  return keys;
}

export async function claim(store: LedgerStore, key: ItemKey, ask: ClaimAsk): Promise<Claim | null> {
  const again = await sameAttempt(store, ask);
  if (again !== null) return again.item.key === key ? claimOf(again) : null;
  const attempt = ask.attempt ?? store.newName();
  return store.change(key, null, (record, now) => claimItem(record, { ...ask, attempt }, now));
}

async function sameAttempt(store: LedgerStore, { attempt, owner }: ClaimAsk): Promise<ItemRecord | null> {
  if (attempt === undefined) return null;
  const found = await store.connection.query(store.queries.byAttempt, {
    where: [`${owner} ${attempt}`],
    limit: CANDIDATES,
  });
  const stored = found
    .map(storedOf)
    .find((one) => one !== null && isAttempt(one, owner, attempt, store.clock.now()));
  return stored ?? null;
}

export function renew(store: LedgerStore, held: Claim, leaseMs: number): Promise<Claim | null> {
  return store.change(held.item.key, null, (record, now) => renewClaim(record, held, leaseMs, now));
}

export function release(store: LedgerStore, held: Claim): Promise<null> {
  return store.change(held.item.key, null, (record, now) => releaseClaim(record, held, now));
}

/** Ends claims that a clock which was ahead gave an end far away, once their workers are dead. */
export async function expireStalled(
  store: LedgerStore,
  leaseMs: number,
  leases: LeaseWatch,
): Promise<CorrectedTimes> {
  const latest = store.clock.now() + leaseMs + CLOCK_TOLERANCE;
  const found = await store.connection.query(store.queries.leased, { where: [latest] });
  const done = { corrected: 0, watched: 0 };
  for (const snapshot of found) {
    const seen = storedOf(snapshot);
    if (seen === null) continue;
    const changed = await store.change<keyof CorrectedTimes | null>(
      seen.item.key,
      null,
      (record, now) =>
        // Another program's worker renews nothing: its claim lasts as long as it says.
        record.claim?.owner === FOREIGN_WORKER
          ? { value: null }
          : expireStalledClaim(record, leaseMs, leases, now),
      { first: snapshot },
    );
    if (changed !== null) done[changed]++;
  }
  return done;
}
