import { type Signal, signal } from '@preact/signals';
import { keep, kept } from '../local-storage.ts';

export const DENSITIES = ['compact', 'comfortable', 'cards'] as const;
export type Density = (typeof DENSITIES)[number];
export const ORDERS = ['newest', 'oldest', 'for_you'] as const;
export type Order = (typeof ORDERS)[number];

/** How lists look on this device. */
export const density = remembered<Density>('density', DENSITIES, 'comfortable');
export const order = remembered<Order>('order', ORDERS, 'newest');
export const pictures = remembered<'on' | 'off'>('pictures', ['on', 'off'], 'on');
/** Lists of a source or a folder show only what is unread. */
export const unreadOnly = remembered<'on' | 'off'>('unread-only', ['on', 'off'], 'off');

function remembered<T extends string>(name: string, values: readonly T[], initial: T): Signal<T> {
  const stored = kept(name);
  const chosen = signal(values.find((value) => value === stored) ?? initial);
  chosen.subscribe((value) => keep(name, value === initial ? null : value));
  return chosen;
}
