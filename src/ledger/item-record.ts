import type { Item, ItemKey, Sighting } from '../item/item.ts';
import {
  admittedStatus,
  advance,
  type LifecycleEvent,
  type LifecyclePolicy,
  OPEN_STATES,
  type State,
  type Transition,
} from '../item/lifecycle.ts';
import { endsTooLate, type LeaseWatch } from '../time/clock.ts';
import type {
  Claim,
  ClaimRequest,
  HandOverQuery,
  HistoryEntry,
  Intervention,
  LedgerRecord,
  RecordedSighting,
  Step,
  SweepPlan,
} from './ledger.ts';
import { leavesTombstone } from './sweep-plan.ts';

/**
 * The record of one item in a ledger, and every step of its life as a pure function: the record goes in, the answer and the
 * record to store come out. An adapter reads the record, calls the step and stores `next` only if the record is unchanged
 * since it was read. After a conflict the step runs again on the record as it is then, so each step recognises what an earlier
 * try of its own has stored.
 */
export interface ItemRecord {
  readonly item: Item;
  /** Grows with every admission; breaks ties in time. */
  readonly nth: number;
  /** The fencing token of the last claim. */
  readonly token: number;
  /** Also after its lease has expired, until the item is claimed again. */
  readonly claim: RecordedClaim | null;
  /** `null`: the ledger is the queue. 0: not handed over to the queue yet. */
  readonly handedAt: number | null;
  readonly sightings: readonly RecordedSighting[];
  readonly history: readonly RecordedLine[];
  /** Names the call that admitted the item: after a lost reply it recognises its own creation. */
  readonly admission: string;
}

export interface RecordedClaim {
  readonly owner: string;
  readonly until: number;
  /** Names the request: repeated after a lost reply, it gets the same claim. `null` where it has no name. */
  readonly attempt: string | null;
}

/** `step` names the step that a worker recorded: repeated after a lost reply, it is recognised. */
type RecordedLine = HistoryEntry & { readonly step?: string };

/** The answer of a step and the record to store; without `next` nothing changes. */
export interface StepResult<T> {
  readonly value: T;
  readonly next?: ItemRecord;
}

/** A record is bounded: of a longer history the admission and the newest lines are kept. */
export const MAX_HISTORY = 60;
const MAX_SIGHTINGS = 50;

export function newItem(
  sighting: Sighting,
  facts: { now: number; nth: number; baseline: boolean; handOver: boolean; admission: string },
): ItemRecord {
  const standing = admittedStatus(facts.now, facts.baseline);
  return {
    item: { ...sighting, ...standing, createdAt: facts.now, verdict: null },
    nth: facts.nth,
    token: 0,
    claim: null,
    handedAt: facts.handOver && !facts.baseline ? 0 : null,
    sightings: [sightedOf(sighting, facts.now)],
    history: [
      {
        ...line({ at: facts.now, event: 'admit', from: null, to: standing.state }),
        reason: standing.reason,
        who: sighting.sourceId === '' ? null : sighting.sourceId,
        notes: sighting.sourceName === '' ? {} : { source: sighting.sourceName },
      },
    ],
    admission: facts.admission,
  };
}

/** Another source carries the item too (X3). `null`: this source is known to carry it. */
export function seenAgain(record: ItemRecord, sighting: Sighting, now: number): ItemRecord | null {
  const known = record.sightings.some(({ sourceId }) => sourceId === sighting.sourceId);
  if (known || record.sightings.length >= MAX_SIGHTINGS) return null;
  return { ...record, sightings: [...record.sightings, sightedOf(sighting, now)] };
}

export function isClaimed({ claim }: Pick<ItemRecord, 'claim'>, now: number): boolean {
  return claim !== null && claim.until > now;
}

/** Whether the item may be claimed now; not whether it is its turn. */
export function isFree(
  record: ItemRecord,
  ask: Pick<ClaimRequest, 'states' | 'early'>,
  now: number,
): boolean {
  const { state, dueAt } = record.item;
  if (!OPEN_STATES.includes(state) || !(ask.states ?? OPEN_STATES).includes(state)) return false;
  return !isClaimed(record, now) && (ask.early === true || (dueAt ?? 0) <= now);
}

/** Whether this very request holds the item already. */
export function isAttempt(record: ItemRecord, owner: string, attempt: string, now: number): boolean {
  return record.claim?.attempt === attempt && record.claim.owner === owner && isClaimed(record, now);
}

export function claimItem(record: ItemRecord, ask: ClaimRequest, now: number): StepResult<Claim | null> {
  const { owner, attempt } = ask;
  if (attempt !== undefined && isAttempt(record, owner, attempt, now)) return { value: claimOf(record) };
  if (!isFree(record, ask, now)) return { value: null };
  const next = claimed(record, ask, attempt ?? null, now);
  return { value: claimOf(next), next };
}

/** The record under a new claim, without asking whether it is free. */
export function claimed(
  record: ItemRecord,
  ask: ClaimRequest,
  attempt: string | null,
  now: number,
): ItemRecord {
  const next = {
    ...record,
    token: record.token + 1,
    claim: { owner: ask.owner, until: now + ask.leaseMs, attempt },
    // The queue's message is used up by this claim: if the lease expires, the item has to be handed over again.
    handedAt: record.handedAt === null ? null : 0,
  };
  if (record.claim === null) return next;
  return withLine(next, takeoverLine(record.item.state, record.claim.owner, ask.owner, now));
}

/** A claim leaves a line only where it replaced one whose lease had expired: a worker died or was suspended. */
export function takeoverLine(state: State, from: string, who: string, now: number): HistoryEntry {
  const detail = `the lease of ${from} ran out`;
  return { ...line({ at: now, event: 'claim', from: state, to: state }), detail, who };
}

export function claimOf({ item, token, claim }: ItemRecord): Claim {
  return { item, token, owner: claim?.owner ?? '', until: claim?.until ?? 0 };
}

/** Whether this claim still holds the item: its lease has not expired and no later claim has replaced it. */
export function holdsClaim(record: ItemRecord, held: Claim, now: number): boolean {
  return record.token === held.token && record.claim?.owner === held.owner && isClaimed(record, now);
}

export function renewClaim(
  record: ItemRecord,
  held: Claim,
  leaseMs: number,
  now: number,
): StepResult<Claim | null> {
  if (!holdsClaim(record, held, now)) return { value: null };
  const until = now + leaseMs;
  return { value: { ...held, until }, next: renewed(record, until) };
}

export function releaseClaim(record: ItemRecord, held: Claim, now: number): StepResult<null> {
  if (!holdsClaim(record, held, now)) return { value: null };
  return { value: null, next: { ...record, claim: null } };
}

/** Ends a claim whose lease ends later than any lease can, once its worker is known to be dead. */
export function expireStalledClaim(
  record: ItemRecord,
  leaseMs: number,
  leases: LeaseWatch,
  now: number,
): StepResult<'corrected' | 'watched' | null> {
  const { item, claim } = record;
  if (claim === null || !endsTooLate(claim.until, leaseMs, now)) return { value: null };
  if (!leases.isOver(item.key, claim.until, leaseMs)) return { value: 'watched' };
  return { value: 'corrected', next: renewed(record, now) };
}

export function renewed(record: ItemRecord, until: number): ItemRecord {
  return record.claim === null ? record : { ...record, claim: { ...record.claim, until } };
}

/** One step of a worker: the transition, its history line and the verdict. The messages of the step are stored beside it. */
export function recordStep(
  record: ItemRecord,
  held: Claim,
  transition: Transition,
  step: Step,
  now: number,
): StepResult<'recorded' | 'lost'> {
  if (isRecorded(record, held, transition)) return { value: 'recorded' };
  if (!holdsClaim(record, held, now) || record.item.state !== transition.from) return { value: 'lost' };
  return { value: 'recorded', next: stepped(record, held, transition, step) };
}

export function isRecorded(record: ItemRecord, held: Claim, transition: Transition): boolean {
  const name = stepName(held, transition);
  return record.history.some(({ step }) => step === name);
}

/** The record after a step under a claim that holds. */
export function stepped(record: ItemRecord, held: Claim, transition: Transition, step: Step): ItemRecord {
  const next = moved(record, transition, held.owner, step, stepName(held, transition));
  return step.keepClaim === true ? next : { ...next, claim: null };
}

/** A person's decision. */
export function intervene(
  record: ItemRecord,
  event: LifecycleEvent,
  who: string,
  now: number,
  policy: LifecyclePolicy,
): StepResult<Intervention> {
  if (isClaimed(record, now))
    return { value: { done: false, why: `${record.claim?.owner} is working on it` } };
  const advanced = advance(record.item, event, now, policy);
  if (!advanced.allowed) return { value: { done: false, why: advanced.why } };
  const next = { ...moved(record, advanced.transition, who, {}), claim: null };
  return { value: { done: true, item: next.item }, next };
}

/** Whether the item has to be handed over to the queue, see `Ledger.unhanded`. */
export function isPendingHandOver(
  record: ItemRecord,
  { handedBefore = 0 }: HandOverQuery,
  now: number,
): boolean {
  const { handedAt } = record;
  return handedAt !== null && (handedAt === 0 || handedAt < handedBefore) && isFree(record, {}, now);
}

/** The queue has the item. An item that is held is left as it is: at worst it is handed over again. */
export function handedOver(record: ItemRecord, now: number): ItemRecord | null {
  return record.handedAt === null || isClaimed(record, now) ? null : { ...record, handedAt: now };
}

/** Accepted before all others, by publication; the rest by their last check (B6). */
export function byTurn(a: ItemRecord, b: ItemRecord): number {
  const lane = Number(b.item.state === 'accepted') - Number(a.item.state === 'accepted');
  return lane || turnOf(a.item) - turnOf(b.item) || a.nth - b.nth;
}

export function turnOf(item: Item): number {
  return item.state === 'accepted' ? item.publishedAt : item.checkedAt;
}

export interface Tombstone {
  readonly key: ItemKey;
  readonly state: State;
  readonly sweptAt: number;
}

/** What is left of an item that is swept; `null` where it may come back as new. */
export function tombstoneOf({ item }: ItemRecord, plan: SweepPlan, now: number): Tombstone | null {
  return leavesTombstone(plan, item) ? { key: item.key, state: item.state, sweptAt: now } : null;
}

/** Every source that brought the item. */
export function sourcesOf({ item, sightings }: ItemRecord): string[] {
  return [...new Set([item.sourceId, ...sightings.map(({ sourceId }) => sourceId)])];
}

type DumpedItem = Extract<LedgerRecord, { kind: 'item' }>;

/** The record as another ledger can load it. */
export function dumpItem(record: ItemRecord): DumpedItem {
  return {
    kind: 'item',
    item: record.item,
    token: record.token,
    handOver: record.handedAt !== null,
    sightings: record.sightings,
    history: publicHistory(record),
  };
}

/** What another ledger dumped. */
export function loadItem({ item, token, handOver, sightings, history }: DumpedItem, nth: number): ItemRecord {
  return {
    item,
    nth,
    token,
    claim: null,
    handedAt: handOver ? 0 : null,
    sightings,
    history,
    admission: '',
  };
}

export function withLine(record: ItemRecord, added: RecordedLine): ItemRecord {
  const history = [...record.history, added];
  const [first] = history;
  if (history.length <= MAX_HISTORY || first === undefined) return { ...record, history };
  return { ...record, history: [first, ...history.slice(1 - MAX_HISTORY)] };
}

/** The history as the port has it. */
export function publicHistory({ history }: Pick<ItemRecord, 'history'>): HistoryEntry[] {
  return history.map(({ step: _, ...told }) => told);
}

/** The history of an item of which only the tombstone is left. */
export function sweepLine(state: State, sweptAt: number): HistoryEntry {
  return line({ at: sweptAt, event: 'sweep', from: state, to: null });
}

export function line(facts: Pick<HistoryEntry, 'at' | 'event' | 'from' | 'to'>): HistoryEntry {
  return { ...facts, reason: 'none', detail: null, who: null, notes: {} };
}

/** The same step under the same claim has the same name. */
function stepName(held: Pick<Claim, 'token' | 'owner'>, { event, to }: Transition): string {
  return `${held.token} ${held.owner} ${event} ${to.state} ${to.attempts} ${to.checkedAt} ${to.dueAt ?? '-'}`;
}

function moved(
  record: ItemRecord,
  transition: Transition,
  who: string,
  step: Step,
  name?: string,
): ItemRecord {
  const next = {
    ...record,
    item: { ...record.item, ...transition.to, verdict: step.verdict ?? record.item.verdict },
    handedAt: record.handedAt === null ? null : 0,
  };
  return withLine(next, {
    ...stepLine(transition, who, step),
    ...(name !== undefined && { step: name }),
  });
}

/** The line of one step of a worker or of a person. */
export function stepLine({ from, event, to }: Transition, who: string, step: Step): HistoryEntry {
  return {
    ...line({ at: to.checkedAt, event, from, to: to.state }),
    reason: to.reason,
    detail: to.detail,
    who,
    notes: step.notes ?? {},
    ...(step.verdict !== undefined && { verdict: step.verdict }),
  };
}

function sightedOf({ sourceId, sourceName, url, title }: Sighting, at: number): RecordedSighting {
  return { sourceId, sourceName, url, title, at };
}
