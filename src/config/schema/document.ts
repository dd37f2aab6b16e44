import type { z } from 'zod';
import { engine } from './engine.ts';
import { identity } from './identity.ts';
import { judges } from './judges.ts';
import { network } from './network.ts';
import { pipelines } from './pipelines.ts';
import { publishers } from './publishers.ts';
import { retention } from './retention.ts';
import { section } from './section.ts';
import { server } from './server.ts';
import { polling, sources } from './sources.ts';
import { stories } from './stories.ts';
import { telemetry } from './telemetry.ts';
import { timelines } from './timelines.ts';
import { text } from './values.ts';

/** The whole of `kawaraban.yaml`. */
export const document = section({
  engine: engine
    .prefault('embedded')
    .describe(
      'Where everything is kept: `embedded` (files on this machine) or a group with `kind: distributed`.',
    ),
  data: text('a folder').prefault('./data').describe('Folder of the embedded engine, relative to this file.'),
  server: server.prefault({}).describe('The web page, the API and the streams.'),
  network: network.prefault({}).describe('How the program behaves towards other people’s servers.'),
  polling: polling.prefault({}).describe('How often sources are read.'),
  sources: sources.prefault({}),
  judges: judges.prefault({}),
  publishers: publishers.prefault({}),
  pipelines: pipelines.prefault({}),
  timelines: timelines.prefault({}).describe('Home, local and global timelines.'),
  stories: stories.prefault({}).describe('Ranked lists of stories.'),
  retention: retention.prefault({}).describe('How long things are kept.'),
  telemetry: telemetry.prefault({}).describe('Logs, metrics and traces.'),
  identity: identity.prefault({}).describe('When two addresses are one article.'),
});

export type DocumentShape = z.output<typeof document>;
