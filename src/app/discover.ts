import pLimit from 'p-limit';
import type { Config } from '../config/config.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import { createFetcher } from '../reading/http/create-fetcher.ts';
import { feedsNamedBy, fetchFeed, readFeedAnswer } from '../sources/feed/fetch-feed.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import { networkOf } from './network.ts';
import { type SourceFields, type SourceTrial, settingsFor, tryThrough } from './source-trial.ts';

/** One source that an address may mean. */
export interface Candidate {
  /** What the source calls itself, or else what the page calls it. */
  readonly title: string | null;
  /** Where it is: a feed's address, a channel, a list. */
  readonly address: string;
  /** What stands for it in the configuration. */
  readonly fields: SourceFields;
  /** What is there now, or why it cannot be read. */
  readonly trial: SourceTrial;
}

/** More than these a page does not offer to people; the rest are its archives. */
const MOST = 12;
const AT_ONCE = 4;

/**
 * All that an address may mean, in the order of the page, each with what is in it now: usually one; several where a page
 * names several feeds. Never empty: an address that cannot be read is one candidate whose trial says why.
 * `fields`: see `fieldsFor`. A string is a sentence that says why these are no source.
 */
export async function discover(
  fields: SourceFields,
  config: Config,
  signal: AbortSignal,
): Promise<readonly Candidate[] | string> {
  const settings = settingsFor(fields);
  if (typeof settings === 'string') return settings;
  const fetcher = createFetcher({ clock: systemClock, log: silentLogger, ...networkOf(config) });
  try {
    const named = settings.kind === 'feed' ? await namedFeeds(settings.url, config, fetcher, signal) : [];
    const limit = pLimit(AT_ONCE);
    if (named.length === 0) return [await candidate(fields, null, config, fetcher, signal)];
    return await Promise.all(
      named
        .slice(0, MOST)
        .map(({ url, title }) => limit(() => candidate({ feed: url }, title, config, fetcher, signal))),
    );
  } finally {
    await fetcher[Symbol.asyncDispose]();
  }
}

/** The feeds that a page names; none where the address is a feed itself or cannot be read. */
async function namedFeeds(url: string, config: Config, fetcher: Fetcher, signal: AbortSignal) {
  const options = { fetcher, maxBytes: config.network.maxFeed };
  const answer = await fetchFeed(options, url, {}, signal);
  signal.throwIfAborted();
  if (answer.outcome !== 'response' || answer.status !== 200) return [];
  return readFeedAnswer(options, answer).outcome === 'page' ? feedsNamedBy(answer) : [];
}

async function candidate(
  fields: SourceFields,
  named: string | null,
  config: Config,
  fetcher: Fetcher,
  signal: AbortSignal,
): Promise<Candidate> {
  const settings = settingsFor(fields);
  const trial: SourceTrial =
    typeof settings === 'string'
      ? { outcome: 'failed', why: 'bad_answer', detail: settings }
      : await tryThrough(fetcher, settings, config, signal);
  const read = trial.outcome === 'read' ? trial : null;
  const found = 'feed' in fields && read?.feed ? { feed: read.feed } : fields;
  return { title: read?.title ?? named, address: String(Object.values(found)[0]), fields: found, trial };
}
