import {
  besides,
  curate,
  INTERESTS,
  type InvalidConfig,
  pipeline,
  source,
} from './invalid-config.testdata.ts';

/** Mistakes in sources, judges, publishers and pipelines, and in their references. */
export const INVALID_CONTENT: readonly InvalidConfig[] = [
  // Sources
  {
    mistake: 'no address',
    text: source('{ feed: "not an address" }'),
    expected:
      'FILE:2:14 sources.s.feed: "not an address" is not a web address: write the address of the feed, with https:// in front',
  },
  {
    mistake: 'a file address',
    text: source('{ feed: "file:///etc/passwd" }'),
    expected: '"file:///etc/passwd" is not a web address',
  },
  {
    mistake: 'a private address',
    text: source('{ feed: "http://192.168.1.10/feed.xml" }'),
    expected:
      'sources.s.feed: Private addresses are blocked; to allow this one, add `192.168.1.10` to `network.allow`',
  },
  {
    mistake: 'a port that is none of the web',
    text: source('{ feed: "http://example.org:22/feed.xml" }'),
    expected:
      'sources.s.feed: Port 22 is blocked, since web servers do not use it; to allow it, add `example.org:22` to `network.allow`',
  },
  {
    mistake: 'no channel',
    text: source('{ youtube: "talks" }'),
    expected: 'sources.s.youtube: must be a channel: "@handle" in quotes',
  },
  {
    mistake: 'an unknown list',
    text: source('{ hackernews: topp }'),
    expected: 'must be one of top, new, best, not "topp": did you mean `top`?',
  },
  {
    mistake: 'two kinds at once',
    text: source('{ feed: "https://example.org/", hackernews: top }'),
    expected: 'sources.s: is feed and hackernews at once',
  },
  {
    mistake: 'no kind',
    text: source('{ url: "https://example.org/" }'),
    expected: 'sources.s: does not say where to read: write `feed`, `youtube` or `hackernews`',
  },
  {
    mistake: 'a bare address',
    text: source('https://example.org/'),
    expected: 'sources.s: must be a group of keys that starts with `feed`',
  },
  {
    mistake: 'one feed twice',
    text: 'sources:\n  a: { feed: "https://example.org/x" }\n  b: { feed: "http://EXAMPLE.org/x/" }\npipelines:\n  p: { kind: summarise, sources: [a, b] }\n',
    expected:
      "FILE:3:14 sources.b.feed: is the same as that of the source `a`: remove one of them and use the other's ID",
  },
  {
    mistake: 'a first contact without a limit',
    text: source('{ feed: "https://example.org/", first_contact: {} }'),
    expected: 'must be `{ newest: 5 }`, `{ newer_than: 2d }` or both',
  },

  // Judges and publishers
  {
    mistake: 'an unknown kind of judge',
    text: besides('judges: { g: { kind: gemnii } }'),
    expected: 'FILE:6:22 judges.g.kind: there is no judge of kind `gemnii`: did you mean `gemini`?',
  },
  {
    mistake: 'no model',
    text: besides('judges: { o: { kind: openai, base_url: "http://localhost:11434/v1" } }'),
    expected: 'judges.o.model: is missing: write the name of a model',
  },
  {
    mistake: 'a key in the file',
    text: besides('judges: { g: { kind: gemini, model: m, key: AIza } }'),
    expected:
      'judges.g.key: a secret may not be written into this file: write `{ env: NAME }` to take it from the environment variable NAME, or `{ file: path }` to read it from a file',
  },
  {
    mistake: 'a missing variable',
    text: `${curate(', judge: g')}judges: { g: { kind: gemini, model: m, key: { env: NO_SUCH_KEY } } }\n`,
    expected: 'judges.g.key: the environment variable NO_SUCH_KEY is not set: set it before starting',
  },
  {
    mistake: 'money without a price',
    text: besides(
      'judges: { o: { kind: openai, model: m, base_url: "http://o/", limits: { usd_per_day: 1 } } }',
    ),
    expected: 'judges.o.limits.usd_per_day: cannot be kept without a price',
  },
  {
    mistake: 'money of an embedding model without a price',
    text: besides('embedder: { kind: openai, model: m, base_url: "http://o/", limits: { usd_per_day: 1 } }'),
    expected: 'embedder.limits.usd_per_day: cannot be kept without a price',
  },
  {
    mistake: 'a similarity that no vectors have',
    text: besides('embedder: { kind: openai, model: m, base_url: "http://o/", min_similarity: 1.2 }'),
    expected: 'embedder.min_similarity: must be a similarity, from 0 to 1',
  },
  {
    mistake: 'an embedding model of an unknown kind',
    text: besides('embedder: { kind: local, model: m }'),
    expected: 'embedder.kind: there is no embedder of kind `local`',
  },
  {
    mistake: 'a longer answer than the model takes at once',
    text: besides(
      'judges: { o: { kind: openai, model: m, base_url: "http://o/", max_output_tokens: 32000 } }',
    ),
    expected:
      'judges.o.max_output_tokens: leaves no room for a text: the model takes 32000 tokens (`context_tokens`)',
  },
  {
    mistake: 'a longer answer than the day allows',
    text: besides(
      'judges: { o: { kind: openai, model: m, base_url: "http://o/", max_output_tokens: 9000, limits: { tokens_per_day: 5000 } } }',
    ),
    expected: 'judges.o.max_output_tokens: is more than the day allows: `limits.tokens_per_day` is 5000',
  },
  {
    mistake: 'an answer that costs more than the day allows',
    text: besides(
      'judges: { o: { kind: openai, model: m, base_url: "http://o/", max_output_tokens: 9000, price: { input: 1, output: 10 }, limits: { usd_per_day: 0.05 } } }',
    ),
    expected: 'judges.o.max_output_tokens: may cost more than the day allows',
  },
  {
    mistake: 'a word for reasoning that is none',
    text: besides('judges: { o: { kind: openai, model: m, base_url: "http://o/", reasoning: lwo } }'),
    expected:
      'judges.o.reasoning: must be one of none, minimal, low, medium, high, not "lwo": did you mean `low`?',
  },
  {
    mistake: 'an unknown fallback',
    text: besides('judges: { o: { kind: openai, model: m, base_url: "http://o/", fallback: loacl } }'),
    expected: 'judges.o.fallback: there is no judge `loacl`: did you mean `local`?',
  },
  {
    mistake: 'a fallback to itself',
    text: besides('judges: { o: { kind: openai, model: m, base_url: "http://o/", fallback: o } }'),
    expected: 'judges.o.fallback: names the judge itself',
  },
  {
    mistake: 'a circle of fallbacks',
    text: besides(
      'judges: { a: { kind: openai, model: m, base_url: "http://o/", fallback: b }, b: { kind: openai, model: m, base_url: "http://o/", fallback: a } }',
    ),
    expected: 'forms a cycle',
  },
  {
    mistake: 'a publisher without a kind',
    text: besides('publishers: { d: { url: { env: HOME } } }'),
    expected:
      'publishers.d: has no `kind`: write `kind:` and one of discord-webhook, discord-bot, mastodon, webhook, atom, timeline',
  },
  {
    mistake: 'a channel as a number',
    text: besides(
      'publishers: { d: { kind: discord-bot, token: { env: HOME }, channel: 1100000000000000001 } }',
    ),
    expected: 'publishers.d.channel: must be the ID of a channel',
  },
  {
    mistake: 'an unknown visibility',
    text: besides(
      'publishers: { m: { kind: mastodon, instance: "https://m.example", token: { env: HOME }, visibility: direct } }',
    ),
    expected: 'must be one of public, unlisted, private, not "direct"',
  },
  {
    mistake: 'a forum and a thread at once',
    text: besides(
      'publishers: { d: { kind: discord-webhook, url: { env: HOME }, forum: true, thread: "1100000000000000001" } }',
    ),
    expected: 'publishers.d.forum: and `thread` exclude each other',
  },
  {
    mistake: 'a template with an unknown name',
    text: besides(
      'publishers: { m: { kind: mastodon, instance: "https://m.example", token: { env: HOME }, template: "{titel} {url}" } }',
    ),
    expected: 'FILE:6:99 publishers.m.template: {titel} is not known: did you mean `title`?',
  },
  {
    mistake: 'a template with a name that is like none',
    text: besides(
      'publishers: { m: { kind: mastodon, instance: "https://m.example", token: { env: HOME }, template: "{headline} {url}" } }',
    ),
    expected: 'publishers.m.template: {headline} is not known; a template can use title, summary, url',
  },
  {
    mistake: 'a template with a lone brace',
    text: besides(
      'publishers: { m: { kind: mastodon, instance: "https://m.example", token: { env: HOME }, template: "{url} {" } }',
    ),
    expected: 'publishers.m.template: a lone "{"; write "{{" for the character itself',
  },
  {
    mistake: 'a template without an address',
    text: besides(
      'publishers: { m: { kind: mastodon, instance: "https://m.example", token: { env: HOME }, template: "{title} {{url}}" } }',
    ),
    expected: 'publishers.m.template: has no {url}: without it readers cannot open the article',
  },

  // Pipelines
  {
    mistake: 'nothing to do',
    text: 'polling: { every: 10m }\n',
    expected: 'FILE:1:1 configures no work: add sources below `sources:`, a pipeline below `pipelines:`',
  },
  {
    mistake: 'an unknown kind of pipeline',
    text: pipeline('kind: curator, sources: [dev-blog]'),
    expected: 'pipelines.p.kind: there is no pipeline of kind `curator`: did you mean `curate`?',
  },
  {
    mistake: 'an unknown source',
    text: pipeline(`kind: curate, sources: [dev-blgo], ${INTERESTS}`),
    expected: 'FILE:5:32 pipelines.p.sources[0]: there is no source `dev-blgo`: did you mean `dev-blog`?',
  },
  {
    mistake: 'no sources',
    text: pipeline(`kind: curate, sources: [], ${INTERESTS}`),
    expected: 'pipelines.p.sources: names no source: write `sources: [my-source]`, or `folders: [Tech]`',
  },
  {
    mistake: 'a source twice',
    text: pipeline(`kind: curate, sources: [dev-blog, dev-blog], ${INTERESTS}`),
    expected: 'pipelines.p.sources[1]: names the source `dev-blog` a second time',
  },
  {
    mistake: 'the memory of another pipeline',
    text: `${curate('')}  evening: { kind: curate, sources: [dev-blog], renamed_from: morning, ${INTERESTS} }\n`,
    expected: 'pipelines.evening.renamed_from: the ledger of `morning` is that of the pipeline `morning`',
  },
  {
    mistake: 'an earlier ID that is none',
    text: curate(', renamed_from: "../a"'),
    expected: 'pipelines.morning.renamed_from: must be the ID of a pipeline',
  },
  {
    mistake: 'all sources switched off',
    text: 'sources:\n  s: { feed: "https://example.org/", enabled: false }\npipelines:\n  p: { kind: summarise, sources: [s] }\n',
    expected: 'pipelines.p.sources: are all disabled',
  },
  {
    mistake: 'an unknown judge',
    text: curate(', judge: gemini'),
    expected: 'pipelines.morning.judge: there is no judge `gemini`: known here: local',
  },
  {
    mistake: 'an unknown publisher',
    text: curate(', publish: [timelin]'),
    expected: 'pipelines.morning.publish[0]: there is no publisher `timelin`: did you mean `timeline`?',
  },
  {
    mistake: 'no interests',
    text: pipeline('kind: curate, sources: [dev-blog]'),
    expected: 'pipelines.p.interests: is missing: write a list of interests',
  },
  {
    mistake: 'a topic too long',
    text: pipeline(`kind: curate, sources: [dev-blog], interests: [{ topic: "${'x'.repeat(51)}" }]`),
    expected: 'pipelines.p.interests[0].topic: must be a topic (1 to 50 characters)',
  },
  {
    mistake: 'a topic twice',
    text: pipeline('kind: curate, sources: [dev-blog], interests: [{ topic: SQL }, { topic: "sql " }]'),
    expected: 'pipelines.p.interests[1].topic: "sql " is in `interests` already (as a topic)',
  },
  {
    mistake: 'more than 50 interests',
    text: pipeline(
      `kind: curate, sources: [dev-blog], interests: [${Array.from({ length: 51 }, (_, n) => `{ topic: t${n} }`).join(', ')}]`,
    ),
    expected: 'pipelines.p.interests: has too many entries: at most 50 (interests)',
  },
  {
    mistake: 'a score above 100',
    text: curate(', min_relevance_score: 101'),
    expected: 'must be a whole number from 0 to 100, not the number 101',
  },
  {
    mistake: 'more than ten articles',
    text: curate(', max_articles: 11'),
    expected: 'pipelines.morning.max_articles: must be a whole number from 1 to 10, not the number 11',
  },
  {
    mistake: 'at least more than at most',
    text: curate(', min_articles: 4, max_articles: 2'),
    expected: 'pipelines.morning.min_articles: `min_articles` (4) is more than `max_articles` (2)',
  },
  {
    mistake: 'at most below the default',
    text: curate(', max_articles: 2'),
    expected: 'pipelines.morning.max_articles: `min_articles` (3) is more than `max_articles` (2)',
  },
  {
    mistake: 'two schedules',
    text: curate(', every: 1h, schedule: "0 9 * * *"'),
    expected: 'pipelines.morning.schedule: and `every` exclude each other: keep one of them',
  },
  {
    mistake: 'a process pipeline on a feed',
    text: pipeline('kind: process, sources: [dev-blog]'),
    expected: 'pipelines.p.sources[0]: `dev-blog` is not a YouTube channel',
  },
  {
    mistake: 'a look back that is too short',
    text: pipeline('kind: process, sources: [talks], every: 6h'),
    expected: '`look_back` is shorter than `every`, so videos would be missed between two polls',
  },
  {
    mistake: 'Pub/Sub without the engine',
    text: pipeline('kind: process, sources: [talks], queue: pubsub'),
    expected: 'pipelines.p.queue: `pubsub` needs the distributed engine',
  },
  {
    mistake: 'a processor of both kinds',
    text: pipeline('kind: process, sources: [talks], processor: { builtin: summarise, command: [x] }'),
    expected: 'must be either `{ command: [program, argument] }` or `{ builtin: summarise }`',
  },
  {
    mistake: 'a command in one string',
    text: pipeline('kind: process, sources: [talks], processor: { command: "do it" }'),
    expected: 'pipelines.p.processor.command: must be a list of words of the command, not "do it"',
  },
  {
    mistake: 'documents larger than all of them',
    text: pipeline('kind: summarise, sources: [dev-blog], attachments: { size: 90MB }'),
    expected: 'pipelines.p.attachments: `size` of one document is more than `total`',
  },

  // The rest
  {
    mistake: 'an unknown engine',
    text: besides('engine: sqlite'),
    expected:
      'FILE:6:9 engine: must be `embedded`, or a group with `kind: distributed` and a `project`, not "sqlite"',
  },
  {
    mistake: 'a distributed engine without a project',
    text: besides('engine: distributed'),
    expected: 'engine: the distributed engine needs a project',
  },
  {
    mistake: 'the same in a group',
    text: besides('engine: { kind: distributed }'),
    expected: 'engine.project: is missing: write the ID of the Google Cloud project',
  },
  {
    mistake: 'a keep time of an hour',
    text: besides('retention: { notified: 1h }'),
    expected:
      'retention.notified: must be a length of time such as 90d, or `keep` for ever (at least 1d), not "1h"',
  },
  {
    mistake: 'Redis beside timelines in memory',
    text: besides('timelines: { store: memory, redis: { nodes: ["localhost:6379"] } }'),
    expected: 'timelines.redis: has no effect with `store: memory`',
  },
  {
    mistake: 'one remote service of two',
    text: besides('timelines: { user_service: "users:50051" }'),
    expected: 'timelines.user_service: must be set together with the other',
  },
  {
    mistake: 'nodes of Redis beside Sentinels',
    text: besides('timelines: { redis: { nodes: ["r:6379"], sentinel: { nodes: ["s:26379"] } } }'),
    expected:
      'timelines.redis.nodes: has no effect with `sentinel`, which names the master: remove one of them',
  },
  {
    mistake: 'a cluster with Sentinels',
    text: besides(
      'engine: { kind: distributed, project: p, redis: { cluster: true, sentinel: { nodes: ["s:26379"] } } }',
    ),
    expected: 'engine.redis.cluster: and `sentinel` exclude each other: keep one of them',
  },
  {
    mistake: 'a client certificate without its key',
    text: besides('timelines: { redis: { tls: { certificate: client.pem } } }'),
    expected:
      'timelines.redis.tls.certificate: must be set together with the other: set both `certificate` and `key`, or neither',
  },
  {
    mistake: 'TLS that is neither a switch nor a group',
    text: besides('timelines: { service_tls: "yes" }'),
    expected: 'timelines.service_tls: must be true or false, not "yes"',
  },
  {
    mistake: 'a certificate without its key',
    text: besides('server: { tls: { certificate: cert.pem } }'),
    expected: 'server.tls.key: is missing: write the path of a PEM file with the private key',
  },
  {
    mistake: 'a certificate that does not exist',
    text: besides('timelines: { redis: { tls: { ca: there/is/none.pem } } }'),
    expected: '/there/is/none.pem does not exist: correct the path, or put the file there',
  },
  {
    mistake: 'one port for two servers',
    text: besides('server: { port: 9000, grpc: { enabled: true, port: 9000 } }'),
    expected: 'server.grpc.port: is also the port of the web page (9000): choose another',
  },
  {
    mistake: 'outside tokens without an issuer',
    text: besides('server: { sign_in: { jwks: "https://id.example/keys" } }'),
    expected: 'server.sign_in.jwks: needs an `issuer`',
  },
  {
    mistake: 'a pipeline with the name of the weekly sweep',
    text: 'sources: { a: { feed: "https://a.example/feed" } }\npipelines: { retention: { kind: summarise, sources: [a] } }\n',
    expected: 'pipelines.retention: `retention` is the name of the weekly sweep: choose another ID',
  },
  {
    mistake: 'metrics for no network',
    text: besides('telemetry: { metrics_from: [10.0.0.0/8, "10.0.0.0/33"] }'),
    expected:
      'telemetry.metrics_from[1]: must be an IP address or range, as in 192.0.2.7 or 10.0.0.0/8, not "10.0.0.0/33"',
  },
  // Stories
  {
    mistake: 'verdicts without a judge',
    text: 'timelines: {}\nstories: { enabled: true, source: verdicts }\n',
    expected:
      'stories.source: `verdicts` ranks what the judges of curating pipelines scored, and there is none',
  },
  {
    mistake: 'an address for verdicts',
    text: besides('stories: { source: verdicts, base_url: "https://example.com" }'),
    expected: 'stories.base_url: has no effect with `source: verdicts`: remove it',
  },
];
