import type { App } from '../app/app.ts';
import { loadConfigWithPlugins } from '../config/config.ts';
import { formatProblem } from '../config/problems.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { openConfiguredTelemetry } from '../telemetry/telemetry.ts';
import { createHandler, type Handler } from './handler.ts';

/** A minute below the limit of Cloud Functions for events (nine), and far below that of Cloud Run. */
const DEFAULT_CALL_TIMEOUT_MS = 480_000;

export interface ServerlessNewsroom extends AsyncDisposable {
  readonly handler: Handler;
}

/**
 * A newsroom that works only while it is called. The configuration is the one that KAWARABAN_CONFIG names;
 * KAWARABAN_PIPELINE is the pipeline of `POST /`, KAWARABAN_CALL_TIMEOUT the seconds that a call may work.
 */
export async function openServerless(env: NodeJS.ProcessEnv, version: string): Promise<ServerlessNewsroom> {
  const loaded = await loadConfigWithPlugins(env.KAWARABAN_CONFIG ?? 'kawaraban.yaml', env);
  if (!loaded.ok) throw new ServerlessSettingError(loaded.problems.map(formatProblem).join('\n'));
  const seconds = Number(env.KAWARABAN_CALL_TIMEOUT ?? DEFAULT_CALL_TIMEOUT_MS / 1000);
  if (!(seconds >= 1 && seconds <= 3600))
    throw new ServerlessSettingError('KAWARABAN_CALL_TIMEOUT must be a number of seconds from 1 to 3600');
  const telemetry = await openConfiguredTelemetry(loaded.config, version);
  let opening: Promise<App> | null = null;
  const app = (): Promise<App> => {
    opening ??= open(loaded.config, telemetry, version).catch((error: unknown) => {
      // The next call retries.
      opening = null;
      throw error;
    });
    return opening;
  };
  const handler = createHandler({
    app,
    log: telemetry.logger,
    withinMs: seconds * 1000,
    ...(env.KAWARABAN_PIPELINE && { pipeline: env.KAWARABAN_PIPELINE }),
  });
  return {
    handler,
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]();
      await telemetry[Symbol.asyncDispose]();
    },
  };
}

async function open(
  config: Parameters<typeof import('../app/app.ts').openApp>[0],
  telemetry: Telemetry,
  version: string,
): Promise<App> {
  const { openApp } = await import('../app/app.ts');
  return openApp(config, { telemetry, version, roles: new Set(['worker', 'scheduler']) });
}

/** An invalid setting of the function; the message says what to write instead. */
export class ServerlessSettingError extends Error {
  override readonly name = 'ServerlessSettingError';
}
