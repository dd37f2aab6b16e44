import { z } from 'zod';
import { MAX_ALIASES, MAX_WORD_LENGTH } from '../../judge/interests.ts';
import { byId, byKind, choice, isGroup, section } from './section.ts';
import { firstContact } from './sources.ts';
import {
  cron,
  duration,
  keepTime,
  language,
  list,
  oneOf,
  size,
  text,
  timeZone,
  toggle,
  whole,
} from './values.ts';

const id = (what: string) => text(`the ID of a ${what}`, 1, 64);

/** Settings of all three kinds. */
const everyPipeline = {
  name: text('a name for people', 1, 100).exactOptional().describe('Display name; the ID when absent.'),
  renamed_from: text('the ID of a pipeline', 1, 64)
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, { error: 'must be the ID of a pipeline' })
    .exactOptional()
    .describe(
      'The ID that it had when it first ran: it continues with the ledger and the changed settings of that ID.',
    ),
  enabled: toggle().default(true).describe('A disabled pipeline runs only manually.'),
  sources: list(id('source'), 'sources')
    .prefault([])
    .describe(
      'IDs of the sources it uses; sources can also be assigned to it on the page or by `kawaraban sources assign`.',
    ),
  folders: list(text('a folder, such as `News/World`', 1, 1000), 'folders')
    .prefault([])
    .describe(
      'Folders whose sources it uses, nested folders included: `Tech`, or `News/World` for a folder in another.',
    ),
  publish: list(id('publisher'), 'publishers')
    .prefault(['timeline'])
    .describe('IDs of the publishers it posts to.'),
  every: duration(1000).exactOptional().describe('Interval of its runs; instead of `schedule`.'),
  schedule: cron()
    .exactOptional()
    .describe('Schedule of its runs, as a cron expression; instead of `every`.'),
  time_zone: timeZone().prefault('Asia/Tokyo').describe('Time zone of `schedule`.'),
  first_contact: firstContact
    .exactOptional()
    .describe(
      'What counts as news in a source that is new to it; the source’s own `first_contact` when absent.',
    ),
  lease: leaseOf('60s'),
};

function leaseOf(usual: string) {
  return duration(1000, 86_400_000)
    .prefault(usual)
    .describe('How long a worker may go without renewing its lease before others claim its item.');
}

const tries = (limit: number) => ({
  retry_limit: whole(0, 1000)
    .default(limit)
    .describe('How often an item is deferred before it counts as failed.'),
  backoff: section({
    first: duration(1000).prefault('10m').describe('Wait after the first failed attempt.'),
    factor: z
      .number({ error: 'must be a number from 1 to 10' })
      .min(1, { error: 'must be a number from 1 to 10' })
      .max(10, { error: 'must be a number from 1 to 10' })
      .default(2)
      .describe('Factor by which each further wait is longer.'),
    most: duration(1000).prefault('24h').describe('Maximum wait.'),
  })
    .prefault({})
    .describe('Backoff of retries.'),
});

const interest = section({
  topic: text('a topic', 1, MAX_WORD_LENGTH).describe(
    `What it is about, in 1 to ${MAX_WORD_LENGTH} characters.`,
  ),
  aliases: list(text('another word for the topic', 1, MAX_WORD_LENGTH), 'words', 0, MAX_ALIASES)
    .prefault([])
    .describe('Synonyms, in any language.'),
  priority: oneOf(['high', 'medium', 'low']).default('medium').describe('Weighs double, single or half.'),
});

const curate = section({
  kind: z
    .literal('curate')
    .describe('Judges every article by your interests and posts the best as one digest.'),
  interests: list(interest, 'interests', 1, 50).describe('What you want to read about, 1 to 50 topics.'),
  judge: id('judge').prefault('local').describe('ID of the judge that scores.'),
  min_relevance_score: whole(0, 100).default(70).describe('Minimum score of an article that is posted.'),
  max_articles: whole(1, 10).default(5).describe('Maximum number of articles in one digest, 1 to 10.'),
  min_articles: whole(1, 10)
    .default(3)
    .describe('Minimum number; with fewer, nothing is posted and accepted articles wait.'),
  learning: toggle()
    .default(true)
    .describe('Whether reactions of people to articles of its sources move its verdicts.'),
  max_judged_per_run: whole(1, 100_000)
    .default(200)
    .describe('Maximum number of articles judged in one run; the rest waits for the next.'),
  ...everyPipeline,
  ...tries(5),
  retention: section({
    notified: keepTime().exactOptional().describe('Retention time of published articles.'),
    rejected: keepTime()
      .exactOptional()
      .describe('Retention time of rejected articles; afterwards they may be judged again.'),
  })
    .prefault({})
    .describe('Retention times of this pipeline.'),
});

const summarise = section({
  kind: z
    .literal('summarise')
    .describe('Reads the page behind each item with its documents and posts a summary, one item at a time.'),
  judge: id('judge').prefault('local').describe('ID of the judge that screens and summarises.'),
  language: language().prefault('ja').describe('Language of the summaries.'),
  sentences: section({
    least: whole(1, 20).default(3).describe('Minimum number of sentences.'),
    most: whole(1, 20).default(5).describe('Maximum number of sentences.'),
  })
    .prefault({})
    .describe('How many sentences a summary has.'),
  characters: whole(50, 2000).default(200).describe('About how many characters a summary has.'),
  max_per_run: whole(1, 1000).default(1).describe('Maximum number of items published in one run.'),
  attachments: section({
    count: whole(0, 100).default(5).describe('Maximum number of documents read for one item.'),
    size: size(1).prefault('20MB').describe('Maximum size of a document.'),
    total: size(1).prefault('50MB').describe('Maximum size of all documents of one item together.'),
  })
    .prefault({})
    .describe('Limits on documents attached to a page.'),
  ...everyPipeline,
  ...tries(10),
  retention: section({
    processed: keepTime()
      .exactOptional()
      .describe('Retention time of processed items, which are recognised for that long.'),
  })
    .prefault({})
    .describe('Retention times of this pipeline.'),
});

const command = section({
  command: list(text('a word of the command', 1, 4000), 'words of the command', 1, 200).describe(
    'Program and arguments; it gets the video as JSON on standard input, and its exit code decides.',
  ),
  timeout: duration(1000).prefault('1h').describe('Timeout of the command.'),
  concurrency: whole(1, 100).default(1).describe('Videos processed concurrently.'),
  folder: text('a folder')
    .exactOptional()
    .describe('Folder that the command runs in, relative to this file.'),
  keep_output: size(0).prefault('64KB').describe('Maximum size of the stored output of the command.'),
}).transform((value) => ({ kind: 'command' as const, ...value }));

const builtin = section({
  builtin: oneOf(['summarise']).describe('Summarises the video and publishes the summary.'),
  judge: id('judge').prefault('local').describe('ID of the judge that summarises.'),
  language: language().prefault('ja').describe('Language of the summaries.'),
  concurrency: whole(1, 100).default(1).describe('Videos processed concurrently.'),
}).transform((value) => ({ kind: 'builtin' as const, ...value }));

const processor = choice({ command, builtin }, (value) => {
  if (isGroup(value) && 'command' in value && !('builtin' in value)) return 'command';
  if (isGroup(value) && 'builtin' in value && !('command' in value)) return 'builtin';
  return { message: 'must be either `{ command: [program, argument] }` or `{ builtin: summarise }`' };
});

const process = section({
  kind: z.literal('process').describe('Records every new video exactly once, and processes it in a worker.'),
  look_back: duration(60_000)
    .prefault('2.5h')
    .describe('How far back each poll looks; `look_back` of a channel applies if it is longer.'),
  queue: oneOf(['ledger', 'pubsub']).default('ledger').describe('Queue between poller and workers.'),
  processor: processor.prefault({ builtin: 'summarise' }).describe('Processor of a video.'),
  worker: toggle()
    .default(true)
    .describe('Whether this replica also processes videos; otherwise it only polls for them.'),
  ...everyPipeline,
  // Longer than the retries while Firestore is unavailable (A16), which may happen as a video's processing ends.
  lease: leaseOf('2m'),
  ...tries(3),
  retention: section({
    completed: keepTime().exactOptional().describe('Retention time of completed videos; a year is usual.'),
    failed: keepTime().exactOptional().describe('Retention time of failed videos; three months is usual.'),
  })
    .prefault({})
    .describe('Retention times of this pipeline.'),
});

export const pipelines = byId(byKind({ curate, summarise, process }, 'pipeline'), 'pipeline').describe(
  'Pipelines, by an ID of your choice; each of one of the kinds curate, summarise and process.',
);

/** Default schedules, for pipelines with neither `every` nor `schedule` (A1, D4), in the form of the file. */
export const DEFAULT_SCHEDULE = {
  curate: { schedule: '0 9 * * *' },
  summarise: { every: '15m' },
  process: { every: '2h' },
} as const;

export type PipelineShape = z.output<typeof pipelines>[string];
