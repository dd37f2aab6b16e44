import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { errorMessage, OperationalError } from '../telemetry/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { PluginServices } from './plugin.ts';
import { callPlugin } from './plugin-call.ts';

/** Collaborators of everything that a plugin creates. */
export interface PluginHost {
  readonly config: Pick<Config, 'plugins' | 'file'>;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1). Default: `Math.random`. */
  readonly random?: () => number;
}

const CREATE_TIMEOUT_MS = 30 * SECOND;

/** The services of one entry. The fetcher cannot be closed by a plugin. */
export function servicesFor(
  id: string,
  { plugin, kind }: { readonly plugin: string; readonly kind: string },
  { config, fetcher, clock, log, random = Math.random }: PluginHost,
): PluginServices {
  const about = { plugin, kind, id };
  return {
    id,
    folder: dirname(config.file),
    fetcher: { fetch: (request, signal) => fetcher.fetch(request, signal) },
    clock,
    random,
    log: {
      debug: (message, fields) => log.debug(message, { ...fields, ...about }),
      info: (message, fields) => log.info(message, { ...fields, ...about }),
      warn: (message, fields) => log.warn(message, { ...fields, ...about }),
      error: (message, fields) => log.error(message, { ...fields, ...about }),
    },
  };
}

/** A plugin could not create what the configuration asks for. */
export class PluginCreateError extends OperationalError {
  readonly kind = 'bad_config';
  override readonly name = 'PluginCreateError';

  constructor(where: string, plugin: string, cause: unknown) {
    super(`${where}: the plugin ${plugin} cannot create it: ${errorMessage(cause)}`, { cause });
  }
}

/** Has a plugin create an object with these methods. */
export async function createWithPlugin<T extends object>(
  where: string,
  plugin: string,
  create: () => T | Promise<T>,
  methods: readonly (keyof T & string)[],
  { clock }: Pick<PluginHost, 'clock'>,
): Promise<T> {
  try {
    const made: unknown = await callPlugin<unknown>(create, { clock, timeoutMs: CREATE_TIMEOUT_MS });
    if (typeof made !== 'object' || made === null) throw new TypeError('it returned no object');
    const missing = methods.filter((name) => typeof (made as Record<string, unknown>)[name] !== 'function');
    if (missing.length > 0) throw new TypeError(`it has no ${missing.join(', ')}`);
    return made as T;
  } catch (cause) {
    throw new PluginCreateError(where, plugin, cause);
  }
}
