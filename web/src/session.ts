import { batch, signal } from '@preact/signals';
import type { SessionBody } from '../../src/server/http/session-routes.ts';
import { api, rememberCsrf } from './api.ts';

export type Me = NonNullable<SessionBody['me']>;

/** Who is signed in here; `null` is a guest. */
export const me = signal<Me | null>(null);
/** The newsroom has said who we are; before, nothing that depends on it is shown. */
export const meKnown = signal(false);
/** Guests may read. */
export const guests = signal(true);
/** Why a session ended that was there, in words. */
export const ended = signal<string | null>(null);

type Listener = (now: Me | null) => void;
const listeners: Listener[] = [];
/** ID of the person before; `undefined` until the newsroom has answered. */
let before: string | null | undefined;

/** Called with the first answer of the newsroom, and when another account signed in. */
export function onPersonChange(listener: Listener): void {
  listeners.push(listener);
}

export async function openSession(): Promise<void> {
  try {
    take(await api.session.read());
  } catch {
    // A newsroom without accounts, or one that is away: the page is read as a guest.
    meKnown.value = true;
  }
}

export async function signIn(name: string, password: string): Promise<void> {
  take(await api.session.open({ name, password }));
}

export async function signOut(): Promise<void> {
  await api.session.end();
  take(await api.session.read());
}

export function take(session: SessionBody): void {
  rememberCsrf(session.csrfToken ?? '');
  batch(() => {
    me.value = session.me;
    guests.value = session.guests;
    ended.value = session.ended;
    meKnown.value = true;
  });
  const now = session.me?.userId ?? null;
  if (now === before) return;
  before = now;
  for (const listener of listeners) listener(session.me);
}
