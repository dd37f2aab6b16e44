import { address } from './address.ts';
import { section } from './section.ts';
import { duration, oneOf, text, toggle, whole } from './values.ts';

const freshness = (younger: string, after: string) =>
  section({
    younger_than: duration(1000).prefault(younger).describe('Stories younger than this …'),
    after: duration(1000).prefault(after).describe('… are refreshed when they were not for this long.'),
  }).prefault({});

/** Ranked lists of stories. */
export const stories = section({
  enabled: toggle().default(false).describe('Whether stories are followed and ranked.'),
  source: oneOf(['hackernews', 'verdicts', 'both'])
    .default('hackernews')
    .describe(
      'Where scores come from: Hacker News, what the judges of curating pipelines scored, or both side by side.',
    ),
  every: duration(1000).prefault('30m').describe('Pace of the worker.'),
  base_url: address('the address of the Hacker News API')
    .exactOptional()
    .describe('Another place that speaks the API, for trials.'),
  refresh: section({
    day: freshness('1d', '1h').describe('Stories of the last day.'),
    week: freshness('7d', '6h').describe('Stories of the last week.'),
    month: freshness('30d', '48h').describe('Stories of the last month.'),
    limit: whole(1, 10_000).default(200).describe('Stories refreshed by each of them in one run.'),
  })
    .prefault({})
    .describe('How often scores are looked up again.'),
  cache: section({
    day: duration(1000).prefault('30m').describe('Time to live of the day’s list.'),
    week: duration(1000).prefault('2d').describe('Time to live of the week’s list.'),
    month: duration(1000).prefault('7d').describe('Time to live of the month’s list.'),
    year: duration(1000).prefault('30d').describe('Time to live of the year’s list.'),
    all: duration(1000).prefault('30d').describe('Time to live of the list of all time.'),
  })
    .prefault({})
    .describe('How long ranked lists are kept before they are ranked anew; changes are in them at once.'),
  list_size: whole(10, 2000).default(2000).describe('Stories in one ranked list.'),
  page_size: whole(1, 500).default(30).describe('Stories on one page, at most 500.'),
  concurrency: whole(1, 100).default(10).describe('Stories fetched at a time.'),
  environment: text('an environment', 1, 20)
    .exactOptional()
    .describe(
      'Environment that collections are named after (production, staging, ci); NODE_ENV when absent.',
    ),
});
