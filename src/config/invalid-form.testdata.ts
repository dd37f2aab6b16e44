import { besides, curate, type InvalidConfig, source } from './invalid-config.testdata.ts';

/** The YAML itself, keys, and single values. */
export const INVALID_FORM: readonly InvalidConfig[] = [
  // The YAML itself
  {
    mistake: 'empty',
    text: '',
    expected:
      'FILE is empty: run `kawaraban init` to have one written, or begin with `sources:` and `pipelines:`',
  },
  {
    mistake: 'a list',
    text: '- a\n- b\n',
    expected: 'FILE:1:1 must be a map of keys such as `sources:` and `pipelines:`',
  },
  { mistake: 'a bare word', text: 'hello', expected: 'FILE:1:1 must be a map of keys' },
  {
    mistake: 'a bracket left open',
    text: 'sources: [a, b\npipelines: {}\n',
    expected: 'a bracket is opened and not closed',
  },
  {
    mistake: 'a quote left open',
    text: 'data: "./data\n',
    expected: 'a quote is opened and never closed: add the closing quote',
  },
  {
    mistake: 'a tab',
    text: 'server:\n\tport: 80\n',
    expected: 'FILE:2:1 a tab is used for indentation: use spaces',
  },
  {
    mistake: 'a key twice',
    text: 'data: ./a\ndata: ./b\n',
    expected: 'FILE:2:1 this key stands here a second time: keep one of them',
  },
  {
    mistake: 'an unquoted handle',
    text: 'sources:\n  s: { youtube: @talks }\n',
    expected: 'FILE:2:17 a value cannot start with this character: put the value in quotes',
  },
  { mistake: 'a wrong indentation', text: 'server:\n  port: 80\n host: x\n', expected: 'FILE:' },
  {
    mistake: 'two documents',
    text: 'data: ./a\n---\ndata: ./b\n',
    expected: 'a second document starts here',
  },
  {
    mistake: 'an unknown alias',
    text: 'data: *folder\n',
    expected: 'uses aliases (`*name`) that are unknown',
  },
  {
    mistake: 'an unknown tag',
    text: 'data: !secret x\n',
    expected: 'a tag (!…) is used that means nothing here',
  },

  // Keys
  {
    mistake: 'a name that JavaScript keeps for itself',
    text: 'timelines: {}\nsources:\n  __proto__: { feed: "https://example.org/" }\n',
    expected: 'FILE:3:3 `__proto__` cannot be used as a key: choose another name',
  },
  {
    mistake: 'a misspelt section',
    text: besides('sorces: {}'),
    expected: 'FILE:6:1 sorces: unknown key `sorces`: did you mean `sources`?',
  },
  {
    mistake: 'a misspelt setting',
    text: curate(', min_artcles: 2'),
    expected: 'pipelines.morning.min_artcles: unknown key `min_artcles`: did you mean `min_articles`?',
  },
  {
    mistake: 'camelCase',
    text: curate(', minArticles: 2'),
    expected: 'unknown key `minArticles`: did you mean `min_articles`?',
  },
  {
    mistake: 'a key of another kind',
    text: curate(', retires: 2'),
    expected: 'pipelines.morning.retires: unknown key `retires`: ',
  },
  {
    mistake: 'a key from nowhere',
    text: besides('identity: { zebra: 1 }'),
    expected: 'identity.zebra: unknown key `zebra`: known here: off, same_story',
  },
  {
    mistake: 'an empty section',
    text: besides('server:'),
    expected: 'FILE:6:1 server: is empty: remove it, or write keys below it',
  },
  {
    mistake: 'a list for a group',
    text: besides('server: [8080]'),
    expected: 'server: must be a group of keys (host, port',
  },
  {
    mistake: 'a list for a map',
    text: 'sources: [a]\ntimelines: {}\n',
    expected: 'sources: must be a map: below it, one `id:` for each source',
  },
  {
    mistake: 'an ID with a space',
    text: 'sources:\n  "my blog": { feed: "https://example.org/" }\ntimelines: {}\n',
    expected: 'FILE:2:3 sources.my blog: an ID is made of letters, digits, - and _',
  },

  // Values
  {
    mistake: 'a port too high',
    text: besides('server: { port: 99999 }'),
    expected: 'FILE:6:17 server.port: must be a whole number from 0 to 65535, not the number 99999',
  },
  {
    mistake: 'a port in words',
    text: besides('server: { port: http }'),
    expected: 'server.port: must be a whole number from 0 to 65535, not "http"',
  },
  {
    mistake: 'yes for true',
    text: besides('server: { public: yes }'),
    expected: 'server.public: must be true or false, not "yes"',
  },
  {
    mistake: 'a duration without a unit',
    text: source('{ feed: "https://example.org/", every: 30 }'),
    expected: 'sources.s.every: must be a length of time such as 90s, 30m, 2.5h or 7d, not the number 30',
  },
  {
    mistake: 'a duration in an unknown unit',
    text: source('{ feed: "https://example.org/", every: 3 fortnights }'),
    expected: 'not "3 fortnights"',
  },
  {
    mistake: 'a size without a unit',
    text: besides('network: { max_feed: 10 }'),
    expected: 'network.max_feed: must be a size such as 512KB or 10MB, not the number 10',
  },
  {
    mistake: 'no cron expression',
    text: curate(', schedule: "every morning"'),
    expected:
      'pipelines.morning.schedule: must be a cron expression in quotes, such as "0 9 * * *" (every day at 09:00), not "every morning"',
  },
  {
    mistake: 'an impossible cron expression',
    text: curate(', schedule: "0 25 * * *"'),
    expected: 'must be a cron expression',
  },
  {
    mistake: 'no time zone',
    text: curate(', time_zone: Tokyo'),
    expected:
      'pipelines.morning.time_zone: must be a time zone such as Asia/Tokyo, Europe/Berlin or UTC, not "Tokyo"',
  },
  {
    mistake: 'a number for a text',
    text: curate(', name: 2024'),
    expected:
      'pipelines.morning.name: must be a name for people, not the number 2024: put it in quotes, "2024"',
  },
  {
    mistake: 'an unknown log level',
    text: besides('telemetry: { log_level: wran }'),
    expected: 'must be one of debug, info, warn, error, silent, not "wran": did you mean `warn`?',
  },
  {
    mistake: 'no private range',
    text: besides('network: { allow: [10.0.0.0/99] }'),
    expected: 'network.allow[0]: "10.0.0.0/99" is not an address to allow: write 10.1.2.3, 10.0.0.0/8',
  },
  {
    mistake: 'an unknown identity rule',
    text: besides('identity: { off: [fragments] }'),
    expected: 'identity.off[0]: must be one of ',
  },
];
