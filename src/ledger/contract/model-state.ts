import { OPEN_STATES, type Reason, type State } from '../../item/lifecycle.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { LEASE } from './subject.ts';

/** What a ledger must know of one item, and nothing of how. */
export interface ModelItem {
  readonly name: string;
  readonly nth: number;
  readonly published: number;
  state: State;
  reason: Reason;
  attempts: number;
  dueAt: number;
  checkedAt: number;
  token: number;
  holder: { readonly token: number; readonly until: number } | null;
}

export interface Model {
  now: number;
  wentBack: boolean;
  readonly items: Map<string, ModelItem>;
  readonly graves: Set<string>;
  /** Claims in the order in which they were made; the real ones lie at the same places. */
  readonly claims: { readonly name: string; readonly token: number; done: boolean }[];
}

const START = new ManualClock().now();

export function emptyModel(): Model {
  return { now: START, wentBack: false, items: new Map(), graves: new Set(), claims: [] };
}

export function isHeld(model: Model, item: ModelItem): boolean {
  return item.holder !== null && item.holder.until > model.now;
}

/** B6 in one sentence of code. */
export function nextUp(model: Model): ModelItem | undefined {
  const ready = [...model.items.values()].filter(
    (item) => OPEN_STATES.includes(item.state) && !isHeld(model, item) && item.dueAt <= model.now,
  );
  const pending = ready.filter((item) => item.state === 'accepted');
  const line = pending.length > 0 ? pending : ready;
  const place = (item: ModelItem): number => (pending.length > 0 ? item.published : item.checkedAt);
  return line.toSorted((a, b) => place(a) - place(b) || a.nth - b.nth)[0];
}

export function take(model: Model, item: ModelItem): void {
  item.token += 1;
  item.holder = { token: item.token, until: model.now + LEASE };
  model.claims.push({ name: item.name, token: item.token, done: false });
}
