import { existsSync } from 'node:fs';
import type { ArticleReader } from '../articles/article.ts';
import { createArticleReader } from '../articles/article-reader.ts';
import {
  type AttachmentLimits,
  type AttachmentReader,
  createAttachmentReader,
} from '../articles/attachments.ts';
import { IsolatedProcess } from '../articles/isolated/isolated-process.ts';
import { createPdfTextReader } from '../articles/pdf/pdf-text-reader.ts';
import type { Config } from '../config/config.ts';
import { createFetcher, fetcherSettings } from '../fetch/create-fetcher.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { pluginSourceStore } from '../plugins/plugin-source-store.ts';
import type { Clock } from '../time/clock.ts';
import type { AppOptions } from './app.ts';
import type { Engine } from './engine.ts';

/** The engine that the configuration names. The other one's packages are never loaded. */
async function openEngine(
  config: Config,
  clock: Clock,
  { telemetry, version }: Pick<AppOptions, 'telemetry' | 'version'>,
): Promise<Engine> {
  const { data } = config;
  // A replica of the distributed engine may have people and drops in files too.
  if (existsSync(data)) {
    const { upgradeDataFolder } = await import('../storage/sqlite/upgrade.ts');
    await upgradeDataFolder({ data, program: version, now: clock.now(), log: telemetry.logger });
  }
  if (config.engine.kind === 'embedded') {
    const { openEmbedded } = await import('./embedded.ts');
    return openEmbedded(config, clock, { telemetry, version });
  }
  const { openDistributed } = await import('./distributed.ts');
  return openDistributed(config, clock, telemetry);
}

/** The stores, the HTTP client and the article reader of the program. */
export interface Infrastructure {
  readonly engine: Engine;
  readonly fetcher: Fetcher;
  readonly reader: ArticleReader;
}

export interface OpenedInfrastructure extends Infrastructure {
  readonly attachments: (limits: AttachmentLimits) => AttachmentReader;
}

export async function openInfrastructure(
  config: Config,
  clock: Clock,
  { telemetry, version, interpose = (infrastructure) => infrastructure }: AppOptions,
  stack: AsyncDisposableStack,
): Promise<OpenedInfrastructure> {
  const opened = stack.use(await openEngine(config, clock, { telemetry, version }));
  const log = telemetry.logger;
  const fetcher = stack.use(createFetcher({ clock, log, ...fetcherSettings(config) }));
  const engine =
    config.polling.store === undefined
      ? opened
      : { ...opened, sources: stack.use(await pluginSourceStore({ config, fetcher, clock, log })) };
  const isolated = stack.use(new IsolatedProcess({ clock }));
  const { maxPage: maxBytes } = config.network;
  const reader = createArticleReader({ fetcher, isolated, clock, maxBytes });
  const infrastructure = interpose({ engine, fetcher, reader });
  const texts = createPdfTextReader({ isolated });
  return {
    ...infrastructure,
    attachments: (limits) => createAttachmentReader({ fetcher: infrastructure.fetcher, texts, limits }),
  };
}
