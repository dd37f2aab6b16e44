import { z } from 'zod';
import { readAllowEntry } from '../../fetch/address-policy.ts';
import { IDENTITY_RULES, type RuleName } from '../../item/identity.ts';
import { embedder } from './embedder.ts';
import { engine, timelines } from './engine.ts';
import { judges } from './judges.ts';
import { pipelines } from './pipelines.ts';
import { publishers } from './publishers.ts';
import { camel, formsOf, section, snake } from './section.ts';
import { server, telemetry } from './server.ts';
import { polling, sources } from './sources.ts';
import {
  address,
  cron,
  duration,
  keepTime,
  list,
  oneOf,
  size,
  text,
  timeZone,
  toggle,
  whole,
} from './values.ts';

/** Retention times and the schedule of the sweep. A pipeline may override the times. */
export const retention = section({
  enabled: toggle().default(true).describe('Whether old items are swept automatically.'),
  schedule: cron().prefault('0 3 * * 0').describe('Schedule of the sweep, as a cron expression.'),
  time_zone: timeZone().prefault('Asia/Tokyo').describe('Time zone of `schedule`.'),
  notified: keepTime().prefault('90d').describe('Retention time of published articles.'),
  rejected: keepTime()
    .prefault('30d')
    .describe('Retention time of rejected articles; afterwards they may be judged again.'),
  processed: keepTime().prefault('keep').describe('Retention time of summarised items.'),
  completed: keepTime().prefault('keep').describe('Retention time of completed videos.'),
  failed: keepTime().prefault('keep').describe('Retention time of failed videos.'),
  tombstones: duration(86_400_000)
    .prefault('400d')
    .describe('How long a swept item is still recognised, so that it is not published again.'),
  reader: section({
    entries: keepTime()
      .prefault('90d')
      .describe(
        'Retention time of articles in the reader. What a person starred or wants to read later stays.',
      ),
    texts: keepTime().prefault('30d').describe('Retention time of the texts of articles in the reader.'),
    keep_per_source: whole(0, 10_000)
      .default(100)
      .describe('Newest articles of each source that stay in the reader, however old.'),
  })
    .prefault({})
    .describe(
      'Retention in the reader. The owner can change it in the settings of the page, without a restart.',
    ),
});

const allowed = text('an address to allow').superRefine((written, context) => {
  try {
    readAllowEntry(written);
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: error instanceof Error ? error.message : 'cannot be understood',
    });
  }
});

/** Limits and politeness of requests to other servers. */
export const network = section({
  allow: list(allowed, 'addresses, ranges or names')
    .prefault([])
    .describe(
      'Private addresses, ranges or names, each with a port or without, that may be requested. All other private addresses are blocked.',
    ),
  contact: text('an address or e-mail address')
    .exactOptional()
    .describe('Where the owner of a site can reach you; part of the User-Agent.'),
  timeout: duration(1000, 600_000).prefault('20s').describe('Timeout of a request.'),
  connect_timeout: duration(100, 600_000).prefault('10s').describe('Timeout of a connection.'),
  max_redirects: whole(0, 20).default(5).describe('Maximum number of redirects.'),
  max_feed: size(1024).prefault('10MB').describe('Maximum size of a feed, after decompression.'),
  max_page: size(1024).prefault('5MB').describe('Maximum size of an article page, after decompression.'),
  requests_per_host: whole(1, 100).default(2).describe('Concurrent requests to one host.'),
  host_spacing: duration(0, 3_600_000)
    .prefault('1s')
    .describe('Minimum time between two requests to one host.'),
  concurrency: whole(1, 1000).default(16).describe('Concurrent requests to all hosts.'),
});

/** Rules that decide whether two URLs are one article (X3), by their names in the file. */
const [first = '', ...others] = IDENTITY_RULES.map((rule) => snake(rule.name));

export const identity = section({
  off: list(oneOf([first, ...others]), 'rules')
    .transform((names) => names.map((name) => camel(name) as RuleName))
    .prefault([])
    .describe('Disabled rules.'),
  same_story: section({
    enabled: toggle()
      .default(true)
      .describe('Recognise the same story in several sources by similar titles and texts.'),
  })
    .prefault({})
    .describe('Same story from several sources.'),
});

const freshness = (younger: string, after: string) =>
  section({
    younger_than: duration(1000).prefault(younger).describe('Stories younger than this …'),
    after: duration(1000).prefault(after).describe('… are refreshed after this time.'),
  }).prefault({});

/** Ranked lists of stories. */
export const stories = section({
  enabled: toggle().default(false).describe('Whether stories are fetched and ranked.'),
  source: oneOf(['hackernews', 'verdicts', 'both'])
    .default('hackernews')
    .describe(
      'Where scores come from: Hacker News, what the judges of curating pipelines scored, or both side by side.',
    ),
  every: duration(1000).prefault('30m').describe('Interval of the worker.'),
  base_url: address('the address of the Hacker News API')
    .exactOptional()
    .describe('Base URL of another server with the same API, for tests.'),
  site_url: address('the address of Hacker News')
    .prefault('https://news.ycombinator.com')
    .describe('Where the pages of comments are.'),
  refresh: section({
    day: freshness('1d', '1h').describe('Stories of the last day.'),
    week: freshness('7d', '6h').describe('Stories of the last week.'),
    month: freshness('30d', '48h').describe('Stories of the last month.'),
    limit: whole(1, 10_000)
      .default(200)
      .describe('Maximum number of stories that each of them refreshes in one run.'),
  })
    .prefault({})
    .describe('How often scores are refreshed.'),
  cache: section({
    day: duration(1000).prefault('30m').describe('Time to live of the day’s list.'),
    week: duration(1000).prefault('2d').describe('Time to live of the week’s list.'),
    month: duration(1000).prefault('7d').describe('Time to live of the month’s list.'),
    year: duration(1000).prefault('30d').describe('Time to live of the year’s list.'),
    all: duration(1000).prefault('30d').describe('Time to live of the list of all time.'),
  })
    .prefault({})
    .describe('How long ranked lists are cached before they are ranked again; changes are visible at once.'),
  list_size: whole(10, 2000).default(2000).describe('Stories in one ranked list.'),
  page_size: whole(1, 500).default(30).describe('Stories on one page, at most 500.'),
  concurrency: whole(1, 100).default(10).describe('Concurrent fetches of stories.'),
  environment: text('an environment', 1, 20)
    .exactOptional()
    .describe(
      'Environment that collections are named after (production, staging, ci); NODE_ENV when absent.',
    ),
});

/** The whole of `kawaraban.yaml`. */
export const document = section({
  engine: engine
    .prefault('embedded')
    .describe(
      'Where data is stored: `embedded` (files on this machine) or a group with `kind: distributed`.',
    ),
  plugins: list(text('the name of a package, or the path of a file', 1, 300), 'plugins', 0, 100)
    .prefault([])
    .describe(
      'Packages or files that bring further kinds of sources, judges, publishers and source stores. They run with all rights of the program: name only what you trust.',
    ),
  data: text('a folder').prefault('./data').describe('Folder of the embedded engine, relative to this file.'),
  server: server.prefault({}).describe('The web page, the API and the streams.'),
  network: network
    .prefault({})
    .describe('Requests to other servers: limits, timeouts, allowed private addresses.'),
  polling: polling.prefault({}).describe('Poll intervals of sources.'),
  sources: sources.prefault({}),
  judges: judges.prefault({}),
  embedder: embedder
    .exactOptional()
    .describe(
      'Embedding model that decides whether two articles are about the same story where the rules are in doubt. Off when absent: then the rules decide.',
    ),
  publishers: publishers.prefault({}),
  pipelines: pipelines.prefault({}),
  timelines: timelines.prefault({}).describe('Home, local and global timelines.'),
  stories: stories.prefault({}).describe('Ranked lists of stories.'),
  learning: toggle()
    .default(true)
    .describe(
      'Whether the newsroom learns from what signed-in people do: star, hide, more or less like this, read to the end.',
    ),
  retention: retention.prefault({}).describe('Retention times.'),
  telemetry: telemetry.prefault({}).describe('Logs, metrics and traces.'),
  identity: identity.prefault({}).describe('When two URLs are the same article.'),
});

export type DocumentShape = z.output<typeof document>;

/** JSON Schema of `kawaraban.yaml` for editors, generated from the schemas that check it. */
export function configJsonSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'kawaraban.yaml',
    description: 'The configuration of a Kawaraban newsroom.',
    ...jsonSchemaOf(document),
  };
}

function jsonSchemaOf(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      const forms = formsOf.get(zodSchema);
      if (forms !== undefined) jsonSchema.anyOf = forms.map(jsonSchemaOf);
    },
  });
  return json;
}
