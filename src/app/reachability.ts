import pLimit from 'p-limit';
import type { Config } from '../config/config.ts';
import type { FetchOutcome } from '../reading/fetcher.ts';
import { createFetcher } from '../reading/http/create-fetcher.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';

export interface Reached {
  /** Where in the configuration. */
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
  /** By how much this machine's clock is ahead of that server's; `null` where it does not say the time. */
  readonly clockAheadMs: number | null;
}

/** Knocks at every feed once, the same guarded way as the real readings go. Nothing is stored. */
export async function reachSources(
  config: Config,
  onEach: (done: number, of: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Reached[]> {
  const { network } = config;
  const fetcher = createFetcher({
    clock: systemClock,
    log: silentLogger,
    allow: network.allow,
    contact: network.contact ?? null,
    limits: { totalMs: network.timeout, connectMs: network.connectTimeout },
  });
  const atOnce = pLimit(8);
  const feeds = Object.values(config.sources).flatMap((source) =>
    source.enabled && source.kind === 'feed' ? [source] : [],
  );
  let done = 0;
  try {
    return await Promise.all(
      feeds.map((source) =>
        atOnce(async () => {
          const answer = await fetcher.fetch({ url: source.url, maxBytes: network.maxFeed }, signal);
          onEach(++done, feeds.length);
          return reached(`sources.${source.id}`, answer);
        }),
      ),
    );
  } finally {
    await fetcher[Symbol.asyncDispose]();
  }
}

function reached(what: string, answer: FetchOutcome): Reached {
  if (answer.outcome === 'failed') return { what, ok: false, detail: answer.detail, clockAheadMs: null };
  const serverTime = Date.parse(answer.headers.date ?? '');
  return {
    what,
    ok: answer.status < 400,
    detail:
      answer.movedTo === null
        ? `status ${answer.status}`
        : `status ${answer.status}, moved to ${answer.movedTo}`,
    clockAheadMs: Number.isNaN(serverTime) ? null : systemClock.now() - serverTime,
  };
}
