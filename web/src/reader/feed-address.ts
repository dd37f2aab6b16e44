import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { me, onPersonChange } from '../session.ts';
import { type Query, readerApi } from './api.ts';

/** Secret addresses of this person's lists, by what names the list. */
const addresses = signal<Readonly<Record<string, string>>>({});

/** The address of a list's Atom feed, which the page links to; `null` for guests, and until it is known. */
export function useFeedAddress(query: Query): string | null {
  const key = JSON.stringify(query);
  const known = addresses.value[key] ?? null;
  const signedIn = me.value !== null;
  useEffect(() => {
    if (!signedIn || known !== null) return;
    const stop = new AbortController();
    readerApi
      .feedAddress(query, stop.signal)
      .then(({ url }) => {
        addresses.value = { ...addresses.value, [key]: url };
      })
      .catch(() => undefined);
    return () => stop.abort();
  }, [key, known, signedIn]);
  useEffect(() => {
    if (known === null) return;
    const link = document.createElement('link');
    link.rel = 'alternate';
    link.type = 'application/atom+xml';
    link.href = known;
    document.head.append(link);
    return () => link.remove();
  }, [known]);
  return known;
}

export async function resetFeedAddresses(): Promise<void> {
  await readerApi.resetFeedAddresses();
  addresses.value = {};
}

onPersonChange(() => {
  addresses.value = {};
});
