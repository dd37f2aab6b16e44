import type { Config } from '../config/config.ts';
import { createArticleReader } from '../reading/article/article-reader.ts';
import type { ArticleReader } from '../reading/article.ts';
import {
  type AttachmentLimits,
  type AttachmentReader,
  createAttachmentReader,
} from '../reading/attachments.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import { createFetcher } from '../reading/http/create-fetcher.ts';
import { IsolatedProcess } from '../reading/isolated/isolated-process.ts';
import { createPdfTextReader } from '../reading/pdf/pdf-text-reader.ts';
import type { Clock } from '../time/clock.ts';
import type { Engine } from './engine.ts';
import { networkOf } from './network.ts';
import { openEngine } from './open-engine.ts';
import type { AppOptions } from './program.ts';

/** What the program stands on: where it keeps things, its way out, and how it reads pages. */
export interface Ground {
  readonly engine: Engine;
  readonly fetcher: Fetcher;
  readonly reader: ArticleReader;
}

export interface OpenedGround extends Ground {
  readonly attachments: (limits: AttachmentLimits) => AttachmentReader;
}

export async function openGround(
  config: Config,
  clock: Clock,
  { telemetry, interpose = (ground) => ground }: AppOptions,
  stack: AsyncDisposableStack,
): Promise<OpenedGround> {
  const engine = stack.use(await openEngine(config, clock, telemetry));
  const wayOut = stack.use(createFetcher({ clock, log: telemetry.logger, ...networkOf(config) }));
  const isolated = stack.use(new IsolatedProcess({ clock }));
  const { maxPage: maxBytes } = config.network;
  const reader = createArticleReader({ fetcher: wayOut, isolated, clock, maxBytes });
  const ground = interpose({ engine, fetcher: wayOut, reader });
  const texts = createPdfTextReader({ isolated });
  return {
    ...ground,
    attachments: (limits) => createAttachmentReader({ fetcher: ground.fetcher, texts, limits }),
  };
}
