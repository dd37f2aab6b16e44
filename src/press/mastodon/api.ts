import type { Fetcher, FetchOutcome, FetchRequest } from '../../reading/fetcher.ts';
import { type ServiceWays, textField } from '../answer.ts';
import { entityIn, idOf } from './entity.ts';

/** An account on an instance. */
export interface MastodonAccount {
  /** `https://mastodon.example`, without a path. */
  readonly instance: string;
  readonly token: () => string;
  readonly fetcher: Fetcher;
}

/** Asks the instance in the name of the account. */
export function call(
  { instance, token, fetcher }: MastodonAccount,
  path: string,
  signal?: AbortSignal,
  request: Pick<FetchRequest, 'method' | 'headers' | 'body' | 'timeoutMs'> = {},
): Promise<FetchOutcome> {
  return fetcher.fetch(
    {
      url: new URL(path, instance).href,
      ...request,
      headers: { accept: 'application/json', authorization: `Bearer ${token()}`, ...request.headers },
      maxRedirects: 0,
      maxBytes: 4_000_000,
      polite: false,
    },
    signal,
  );
}

/** How Mastodon answers. */
export const WAYS: ServiceWays = {
  name: 'Mastodon',
  check: 'the token and the address of the instance',
  idOf({ body }) {
    const remoteId = idOf(entityIn(body));
    const url = textField(body, 'url');
    return remoteId === null ? null : { remoteId, ...(url !== undefined && { url }) };
  },
  wordsOf: ({ body }) => textField(body, 'error'),
  isMessageGone: ({ body }) => textField(body, 'error') !== undefined,
  limitEnds({ headers }) {
    const reset = Date.parse(headers['x-ratelimit-reset'] ?? '');
    return Number.isNaN(reset) ? null : reset;
  },
};
