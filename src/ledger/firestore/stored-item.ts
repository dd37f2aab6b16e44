import type { Item, Sighting } from '../../item/item.ts';
import {
  admitted,
  advance,
  type LifecycleEvent,
  type LifecyclePolicy,
  OPEN_STATES,
  type State,
  type Transition,
} from '../../item/lifecycle.ts';
import type { Claim, ClaimAsk, HistoryEntry, Intervention, Sighted, Step } from '../ledger.ts';
import { stepName } from '../step-name.ts';

/** One item and everything beside it: what one document holds. All functions here are pure. */
export interface StoredItem {
  readonly item: Item;
  /** Grows with every admission; ties in time are broken by it. */
  readonly nth: number;
  readonly token: number;
  readonly claim: StoredClaim | null;
  /** `null`: the ledger is the queue. 0: not handed over yet. */
  readonly handedAt: number | null;
  readonly sightings: readonly Sighted[];
  readonly history: readonly StoredLine[];
  /** Names the call that admitted it, so that a lost reply does not turn our own creation into another's. */
  readonly admission: string;
}

export interface StoredClaim {
  readonly owner: string;
  readonly until: number;
  readonly attempt: string;
}

/** `step` is what a repeated step is recognised by. */
export type StoredLine = HistoryEntry & { readonly step?: string };

/** A document has an end, so has what it tells: the admission and the newest lines are kept. */
export const LONGEST_HISTORY = 60;
const MOST_SIGHTINGS = 50;

export function newItem(
  sighting: Sighting,
  facts: { now: number; nth: number; baseline: boolean; handOver: boolean; admission: string },
): StoredItem {
  const standing = admitted(facts.now, facts.baseline);
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

/** `null`: this source was known to carry it. */
export function seenAgain(stored: StoredItem, sighting: Sighting, now: number): StoredItem | null {
  const known = stored.sightings.some(({ sourceId }) => sourceId === sighting.sourceId);
  if (known || stored.sightings.length >= MOST_SIGHTINGS) return null;
  return { ...stored, sightings: [...stored.sightings, sightedOf(sighting, now)] };
}

export function isHeld({ claim }: Pick<StoredItem, 'claim'>, now: number): boolean {
  return claim !== null && claim.until > now;
}

/** Whether it may be taken now; not whether it is its turn. */
export function isFree(stored: StoredItem, ask: Pick<ClaimAsk, 'states' | 'early'>, now: number): boolean {
  const { state, dueAt } = stored.item;
  if (!OPEN_STATES.includes(state) || !(ask.states ?? OPEN_STATES).includes(state)) return false;
  return !isHeld(stored, now) && (ask.early === true || (dueAt ?? 0) <= now);
}

export function isAttempt(stored: StoredItem, owner: string, attempt: string, now: number): boolean {
  return stored.claim?.attempt === attempt && stored.claim.owner === owner && isHeld(stored, now);
}

export function taken(stored: StoredItem, ask: ClaimAsk, attempt: string, now: number): StoredItem {
  const { state } = stored.item;
  const lapsed =
    stored.claim === null
      ? []
      : [
          {
            ...line({ at: now, event: 'claim', from: state, to: state }),
            detail: `the lease of ${stored.claim.owner} ran out`,
            who: ask.owner,
          },
        ];
  return {
    ...stored,
    token: stored.token + 1,
    claim: { owner: ask.owner, until: now + ask.leaseMs, attempt },
    // What the queue had is used up: who lets the lease run out takes it along, and it is to be handed over again.
    handedAt: stored.handedAt === null ? null : 0,
    history: bounded([...stored.history, ...lapsed]),
  };
}

export function claimOf({ item, token, claim }: StoredItem): Claim {
  return { item, token, owner: claim?.owner ?? '', until: claim?.until ?? 0 };
}

export function holds(stored: StoredItem, held: Claim, now: number): boolean {
  return stored.token === held.token && stored.claim?.owner === held.owner && isHeld(stored, now);
}

export function renewed(stored: StoredItem, until: number): StoredItem {
  return stored.claim === null ? stored : { ...stored, claim: { ...stored.claim, until } };
}

export function isRecorded(stored: StoredItem, held: Claim, transition: Transition): boolean {
  const name = stepName(held, transition);
  return stored.history.some(({ step }) => step === name);
}

/** The item after a step under a claim that holds. */
export function stepped(stored: StoredItem, held: Claim, transition: Transition, step: Step): StoredItem {
  const next = moved(stored, transition, held.owner, step, stepName(held, transition));
  return step.keepClaim === true ? next : { ...next, claim: null };
}

export function intervened(
  stored: StoredItem,
  event: LifecycleEvent,
  who: string,
  now: number,
  policy: LifecyclePolicy,
): { readonly stored: StoredItem | null; readonly answer: Intervention } {
  if (isHeld(stored, now))
    return { stored: null, answer: { done: false, why: `${stored.claim?.owner} is working on it` } };
  const next = advance(stored.item, event, now, policy);
  if (!next.allowed) return { stored: null, answer: { done: false, why: next.why } };
  const changed = { ...moved(stored, next.transition, who, {}), claim: null };
  return { stored: changed, answer: { done: true, item: changed.item } };
}

function moved(
  stored: StoredItem,
  { from, event, to }: Transition,
  who: string,
  step: Step,
  name?: string,
): StoredItem {
  return {
    ...stored,
    item: { ...stored.item, ...to, verdict: step.verdict ?? stored.item.verdict },
    handedAt: stored.handedAt === null ? null : 0,
    history: bounded([
      ...stored.history,
      {
        ...line({ at: to.checkedAt, event, from, to: to.state }),
        reason: to.reason,
        detail: to.detail,
        who,
        notes: step.notes ?? {},
        ...(step.verdict !== undefined && { verdict: step.verdict }),
        ...(name !== undefined && { step: name }),
      },
    ]),
  };
}

export function withLine(stored: StoredItem, added: HistoryEntry): StoredItem {
  return { ...stored, history: bounded([...stored.history, added]) };
}

/** The history as the port has it. */
export function toldHistory(stored: Pick<StoredItem, 'history'>): HistoryEntry[] {
  return stored.history.map(({ step: _, ...told }) => told);
}

export function sweepLine(state: State, sweptAt: number): HistoryEntry {
  return line({ at: sweptAt, event: 'sweep', from: state, to: null });
}

/** Accepted by publication, the rest by their last check (B6). */
export function turnOf(item: Item): number {
  return item.state === 'accepted' ? item.publishedAt : item.checkedAt;
}

function bounded(lines: readonly StoredLine[]): readonly StoredLine[] {
  const [first] = lines;
  if (lines.length <= LONGEST_HISTORY || first === undefined) return lines;
  return [first, ...lines.slice(1 - LONGEST_HISTORY)];
}

function sightedOf({ sourceId, sourceName, url, title }: Sighting, at: number): Sighted {
  return { sourceId, sourceName, url, title, at };
}

export function line(facts: Pick<HistoryEntry, 'at' | 'event' | 'from' | 'to'>): HistoryEntry {
  return { ...facts, reason: 'none', detail: null, who: null, notes: {} };
}
