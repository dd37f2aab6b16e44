import type { Fetcher } from '../../src/fetch/fetcher.ts';

/** Milliseconds for each status, posted one after the other without an outbox. */
export async function bareLoop(
  fetcher: Fetcher,
  { instance, token, count }: { instance: string; token: string; count: number },
): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < count; n++) {
    const answer = await fetcher.fetch({
      url: `${instance}/api/v1/statuses`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        status: `Status number ${n} of a loop that does nothing else`,
        visibility: 'public',
      }),
      maxRedirects: 0,
      polite: false,
    });
    if (answer.outcome !== 'response' || answer.status !== 200)
      throw new Error('the status was not accepted');
  }
  return (performance.now() - began) / count;
}
