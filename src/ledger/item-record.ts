import { type Item, type ItemKey, itemFacts, type Sighting } from '../item/item.ts';
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
 * The record of one item in a ledger, and every step of its lifecycle as a pure function: the record goes in, the result and the
 * record to store come out. An adapter reads the record, calls the step and stores `next` by compare-and-set.
 * After a conflict the step is retried on the new record, so each step recognises what its own earlier attempt has stored.
 */
export interface ItemRecord {
  readonly item: Item;
  /** Grows with every admission; breaks ties in time. */
  readonly nth: number;
  /** The fencing token of the last claim. */
  readonly token: number;
  /** Kept after its lease has expired, until the item is claimed again. */
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

/** The result of a step and the record to store; without `next` nothing changes. */
export interface StepResult<T> {
  readonly value: T;
  readonly next?: ItemRecord;
}

/** Bounds the record: a longer history is cut to the admission and the newest lines. */
export const MAX_HISTORY = 60;
const MAX_SIGHTINGS = 50;

export function newItem(
  sighting: Sighting,
  facts: { now: number; nth: number; baseline: boolean; handOver: boolean; admission: string },
): ItemRecord {
  const standing = admittedStatus(facts.now, facts.baseline);
  return {
    item: { ...itemFacts(sighting), ...standing, createdAt: facts.now, verdict: null },
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

/** Adds another source of the item (X3). `null`: the source is already recorded. */
export function seenAgain(record: ItemRecord, sighting: Sighting, now: number): ItemRecord | null {
  const known = record.sightings.some(({ sourceId }) => sourceId === sighting.sourceId);
  if (known || record.sightings.length >= MAX_SIGHTINGS) return null;
  return { ...record, sightings: [...record.sightings, sightedOf(sighting, now)] };
}

export function isClaimed({ claim }: Pick<ItemRecord, 'claim'>, now: number): boolean {
  return claim !== null && claim.until > now;
}

/** Whether the item may be claimed now, regardless of its place in the order. */
export function isFree(
  record: ItemRecord,
  request: Pick<ClaimRequest, 'states' | 'early'>,
  now: number,
): boolean {
  const { state, dueAt } = record.item;
  if (!OPEN_STATES.includes(state) || !(request.states ?? OPEN_STATES).includes(state)) return false;
  return !isClaimed(record, now) && (request.early === true || (dueAt ?? 0) <= now);
}

/** Whether this request has already claimed the item. */
export function isAttempt(record: ItemRecord, owner: string, attempt: string, now: number): boolean {
  return record.claim?.attempt === attempt && record.claim.owner === owner && isClaimed(record, now);
}

export function claimItem(record: ItemRecord, request: ClaimRequest, now: number): StepResult<Claim | null> {
  const { owner, attempt } = request;
  if (attempt !== undefined && isAttempt(record, owner, attempt, now)) return { value: claimOf(record) };
  if (!isFree(record, request, now)) return { value: null };
  const next = claimed(record, request, attempt ?? null, now);
  return { value: claimOf(next), next };
}

/** The record under a new claim, without checking whether it is free. */
export function claimed(
  record: ItemRecord,
  request: ClaimRequest,
  attempt: string | null,
  now: number,
): ItemRecord {
  const next = {
    ...record,
    token: record.token + 1,
    claim: { owner: request.owner, until: now + request.leaseMs, attempt },
    // This claim consumes the queue's message: if the lease expires, the item has to be enqueued again.
    handedAt: record.handedAt === null ? null : 0,
  };
  if (record.claim === null) return next;
  return withLine(next, takeoverLine(record.item.state, record.claim.owner, request.owner, now));
}

/** A claim adds a history line only if it replaced an expired one: a worker died or was suspended. */
export function takeoverLine(state: State, from: string, who: string, now: number): HistoryEntry {
  const detail = `the lease of ${from} ran out`;
  return { ...line({ at: now, event: 'claim', from: state, to: state }), detail, who };
}

export function claimOf({ item, token, claim }: ItemRecord): Claim {
  return { item, token, owner: claim?.owner ?? '', until: claim?.until ?? 0 };
}

/** Whether this claim is still valid: its lease has not expired and no later claim has replaced it. */
export function holdsClaim(record: ItemRecord, claim: Claim, now: number): boolean {
  return record.token === claim.token && record.claim?.owner === claim.owner && isClaimed(record, now);
}

export function renewClaim(
  record: ItemRecord,
  claim: Claim,
  leaseMs: number,
  now: number,
): StepResult<Claim | null> {
  if (!holdsClaim(record, claim, now)) return { value: null };
  const until = now + leaseMs;
  return { value: { ...claim, until }, next: renewed(record, until) };
}

export function releaseClaim(record: ItemRecord, claim: Claim, now: number): StepResult<null> {
  if (!holdsClaim(record, claim, now)) return { value: null };
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
  claim: Claim,
  transition: Transition,
  step: Step,
  now: number,
): StepResult<'recorded' | 'lost'> {
  if (isRecorded(record, claim, transition)) return { value: 'recorded' };
  if (!holdsClaim(record, claim, now) || record.item.state !== transition.from) return { value: 'lost' };
  return { value: 'recorded', next: stepped(record, claim, transition, step) };
}

export function isRecorded(record: ItemRecord, claim: Claim, transition: Transition): boolean {
  const name = stepName(claim, transition);
  return record.history.some(({ step }) => step === name);
}

/** The record after a step under a valid claim. */
export function stepped(record: ItemRecord, claim: Claim, transition: Transition, step: Step): ItemRecord {
  const next = moved(record, transition, claim.owner, step, stepName(claim, transition));
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

/** Whether the item has to be handed over to the queue, see `Ledger.pendingHandOver`. */
export function isPendingHandOver(
  record: ItemRecord,
  { handedBefore = 0 }: HandOverQuery,
  now: number,
): boolean {
  const { handedAt } = record;
  return handedAt !== null && (handedAt === 0 || handedAt < handedBefore) && isFree(record, {}, now);
}

/** Marks the item as handed over to the queue. A claimed item is left unchanged: at worst it is handed over again. */
export function handedOver(record: ItemRecord, now: number): ItemRecord | null {
  return record.handedAt === null || isClaimed(record, now) ? null : { ...record, handedAt: now };
}

/** Accepted items first, by publication; the others by their last check (B6). */
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

/** The tombstone of a swept item; `null` if the item may come back as new. */
export function tombstoneOf({ item }: ItemRecord, plan: SweepPlan, now: number): Tombstone | null {
  return leavesTombstone(plan, item) ? { key: item.key, state: item.state, sweptAt: now } : null;
}

/** Every source that reported the item. */
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

/** The record from the dump of another ledger. */
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

/** The history in the format of the port. */
export function publicHistory({ history }: Pick<ItemRecord, 'history'>): HistoryEntry[] {
  return history.map(({ step: _, ...line }) => line);
}

/** The history of an item of which only the tombstone is left. */
export function sweepLine(state: State, sweptAt: number): HistoryEntry {
  return line({ at: sweptAt, event: 'sweep', from: state, to: null });
}

export function line(facts: Pick<HistoryEntry, 'at' | 'event' | 'from' | 'to'>): HistoryEntry {
  return { ...facts, reason: 'none', detail: null, who: null, notes: {} };
}

/** The same step under the same claim has the same name. */
function stepName(claim: Pick<Claim, 'token' | 'owner'>, { event, to }: Transition): string {
  return `${claim.token} ${claim.owner} ${event} ${to.state} ${to.attempts} ${to.checkedAt} ${to.dueAt ?? '-'}`;
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
