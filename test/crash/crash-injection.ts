import type { Engine, PipelineStores } from '../../src/app/engine.ts';
import type { Infrastructure } from '../../src/app/infrastructure.ts';
import type { Fetcher } from '../../src/fetch/fetcher.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { RevisionStore } from '../../src/outbox/publishing-stores.ts';
import type { CuratorStore } from '../../src/pipelines/curator-store.ts';
import type { RunStore } from '../../src/scheduler/run-store.ts';
import type { SocialStore } from '../../src/social/social-store.ts';
import type { SourceStore } from '../../src/sources/source.ts';
import type { Points } from './crash-points.ts';

/** Calls of the ports that have an effect. Between two of these a crash is the same wherever it happens. */
const LEDGER: readonly (keyof Ledger)[] = [
  'admit',
  'claim',
  'claimNext',
  'renew',
  'release',
  'record',
  'markHandedOver',
];
const OUTBOX: readonly (keyof Outbox)[] = [
  'enqueue',
  'claimNext',
  'markSending',
  'finish',
  'finishAndClaimNext',
];
const CURATOR: readonly (keyof CuratorStore)[] = [
  'saveVerdict',
  'saveCandidates',
  'updatePending',
  'createDigest',
  'updateDigest',
];
const RUNS: readonly (keyof RunStore)[] = ['begin', 'renew', 'end'];
const REVISIONS: readonly (keyof RevisionStore)[] = ['request', 'claimNext', 'finish'];
const SOURCES: readonly (keyof SourceStore)[] = ['save'];
const SOCIAL: readonly (keyof SocialStore)[] = ['addUser', 'post'];

/** The same infrastructure with a crash point before and after every call that has an effect, here or at a destination. */
export function withCrashPoints({ engine, fetcher, reader }: Infrastructure, points: Points): Infrastructure {
  return {
    engine: engineWithCrashPoints(engine, points),
    fetcher: fetcherWithCrashPoints(fetcher, points),
    reader,
  };
}

function engineWithCrashPoints(engine: Engine, points: Points): Engine {
  return {
    ...engine,
    runs: portWithCrashPoints('runs', engine.runs, RUNS, points),
    sources: portWithCrashPoints('sources', engine.sources, SOURCES, points),
    async publishingStores() {
      const stores = await engine.publishingStores();
      return { ...stores, revisions: portWithCrashPoints('revisions', stores.revisions, REVISIONS, points) };
    },
    social: portWithCrashPoints('social', engine.social, SOCIAL, points),
    async pipelineStores(pipeline): Promise<PipelineStores> {
      const stores = await engine.pipelineStores(pipeline);
      if ('curator' in stores)
        return {
          ...stores,
          ledger: portWithCrashPoints('ledger', stores.ledger, ['admit'], points),
          outbox: portWithCrashPoints(
            'outbox',
            stores.outbox,
            ['claimNext', 'markSending', 'finish', 'finishAndClaimNext'],
            points,
          ),
          curator: portWithCrashPoints('curator', stores.curator, CURATOR, points),
        };
      return {
        ...stores,
        ledger: portWithCrashPoints('ledger', stores.ledger, LEDGER, points),
        outbox: portWithCrashPoints('outbox', stores.outbox, OUTBOX, points),
      };
    },
  };
}

/** Calls that send something to a destination: the judge of these runs calls no service. */
const SENDING_METHODS: Readonly<Record<string, string>> = {
  POST: 'publisher.send',
  PATCH: 'publisher.edit',
  PUT: 'publisher.edit',
};

function fetcherWithCrashPoints(fetcher: Fetcher, points: Points): Fetcher {
  return {
    fetch(request, signal) {
      const fetch = () => fetcher.fetch(request, signal);
      const name = SENDING_METHODS[request.method ?? 'GET'];
      return name === undefined ? points.during(fetch) : points.around(name, fetch);
    },
    [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
  };
}

function portWithCrashPoints<T extends object>(
  name: string,
  port: T,
  methods: readonly (keyof T)[],
  points: Points,
): T {
  return new Proxy(port, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      if (!(methods as readonly PropertyKey[]).includes(property)) return call;
      return (...args: unknown[]) => points.around(`${name}.${String(property)}`, async () => call(...args));
    },
  });
}
