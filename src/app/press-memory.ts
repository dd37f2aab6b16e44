import type { Config } from '../config/config.ts';
import { DailyCap } from '../press/daily-cap.ts';
import type { RevisionStore } from '../press/revisions.ts';
import type { Clock } from '../time/clock.ts';
import type { Engine } from './engine.ts';

export interface PressMemoryParts {
  readonly config: Config;
  readonly engine: Pick<Engine, 'pressMemory'>;
  readonly clock: Clock;
  readonly stack: AsyncDisposableStack;
}

export interface SharedPress {
  readonly caps: ReadonlyMap<string, DailyCap>;
  readonly revisions: RevisionStore | null;
}

/** What the destinations share between pipelines and copies. Nothing is opened where none of them needs it. */
export async function sharedPress({ config, engine, clock, stack }: PressMemoryParts): Promise<SharedPress> {
  const limited = Object.entries(config.publishers).flatMap(([destination, settings]) =>
    'maxPerDay' in settings && settings.maxPerDay !== undefined
      ? [{ destination, most: settings.maxPerDay, timeZone: settings.timeZone }]
      : [],
  );
  const edits = Object.values(config.publishers).some((one) => 'updateEdited' in one && one.updateEdited);
  if (limited.length === 0 && !edits) return { caps: new Map(), revisions: null };
  const { counter, revisions } = stack.use(await engine.pressMemory());
  return {
    // A destination of several pipelines has one limit.
    caps: new Map(limited.map((one) => [one.destination, new DailyCap({ ...one, clock, counter })])),
    revisions: edits ? revisions : null,
  };
}
