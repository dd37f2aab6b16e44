import { readFileSync } from 'node:fs';
import type { App, AppOptions } from '../app.ts';
import type { Config } from '../config/config.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { EveryOption } from './command.ts';
import { openConfig } from './open-config.ts';
import type { House } from './terminal.ts';

/** Opens the newsroom for one piece of work and closes it again, whatever happens. */
export async function withApp<Result>(
  house: House,
  options: EveryOption,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const app = await appOf(await openConfig(house, options.config));
  try {
    return await work(app);
  } finally {
    await app[Symbol.asyncDispose]();
  }
}

/** The parts are loaded only now: most of what a person types needs none of them. */
export async function appOf(
  config: Config,
  telemetry?: Telemetry,
  options: Pick<AppOptions, 'sample' | 'roles' | 'signal'> = {},
): Promise<App> {
  const [{ openApp }, { silentTelemetry }] = await Promise.all([
    import('../app.ts'),
    import('../app/telemetry.ts'),
  ]);
  return openApp(config, {
    telemetry: telemetry ?? silentTelemetry,
    version: version(),
    ...options,
    toRun: telemetry !== undefined,
  });
}

export function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
