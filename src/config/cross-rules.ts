import { AddressPolicy } from '../fetch/address-policy.ts';
import { wordKey } from '../item/word-key.ts';
import type { ConfiguredPlugins } from '../plugins/configured-plugins.ts';
import { type ParsedTemplate, parseTemplate, TEMPLATE_NAMES } from '../publishers/template.ts';
import { parseDuration } from '../time/duration.ts';
import { nearest, suggestion } from './problems.ts';
import { DEFAULT_CONTEXT_TOKENS, OWN_JUDGE_NAMES } from './schema/judges.ts';
import { OWN_PUBLISHER_NAMES } from './schema/publishers.ts';
import { isGroup } from './schema/section.ts';
import { normaliseFeedUrl, OWN_SOURCE_NAMES } from './schema/sources.ts';
import { parseSize } from './size.ts';

/** A conflict between settings, each of which may be valid by itself. */
export interface RuleViolation {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type Group = Readonly<Record<string, unknown>>;

const BUILT_IN_JUDGES = ['local'];
const BUILT_IN_PUBLISHERS = ['timeline'];

/** Names that the run records use for internal work. */
export const RESERVED_PIPELINES: readonly string[] = ['retention'];

/**
 * All rules between settings. They read the document as written and skip malformed parts, so that their problems are
 * reported together with those of the schemas. `plugins`: `null` if those of the document were not loaded.
 */
export function crossRules(document: unknown, plugins: ConfiguredPlugins | null = null): RuleViolation[] {
  if (!isGroup(document)) return [];
  return [
    ...minimumRules(document),
    ...kindRules(document, plugins),
    ...sourceRules(document),
    ...judgeRules(document),
    ...publisherRules(document),
    ...entries(document.pipelines).flatMap(([id, pipeline]) => [...pipelineRules(document, id, pipeline)]),
    ...timelineRules(group(document.timelines)),
    ...redisRules(['engine', 'redis'], group(group(document.engine).redis)),
    ...redisRules(['timelines', 'redis'], group(group(document.timelines).redis)),
    ...storyRules(document),
    ...serverRules(group(document.server)),
  ];
}

function* minimumRules(document: Group): Iterable<RuleViolation> {
  const idle = entries(document.pipelines).length === 0 && group(document.stories).enabled !== true;
  const broken = 'pipelines' in document && !isGroup(document.pipelines);
  // A timeline service alone needs neither sources nor pipelines, and sources alone are read by people.
  if (idle && !broken && !('timelines' in document) && !('sources' in document))
    yield {
      path: [],
      message:
        'configures no work: add sources below `sources:`, a pipeline below `pipelines:`, or `stories: { enabled: true }`, or `timelines: {}`',
    };
}

/** Whether the document names plugins. */
export function declaresPlugins(document: unknown): document is Group {
  return isGroup(document) && array(document.plugins).length > 0;
}

/** Kinds that neither the program nor a plugin has. Without the plugins of the document they are not known. */
function* kindRules(document: Group, plugins: ConfiguredPlugins | null): Iterable<RuleViolation> {
  if (plugins === null && declaresPlugins(document)) return;
  const unknown = (noun: string, kind: string, known: readonly string[]): string =>
    `there is no ${noun} of kind \`${kind.slice(0, 40)}\`: ${known.length > 0 ? suggestion(kind, known) : 'name the plugin that has it below `plugins:`'}`;
  for (const [section, noun, own] of [
    ['judges', 'judge', OWN_JUDGE_NAMES],
    ['publishers', 'publisher', OWN_PUBLISHER_NAMES],
  ] as const) {
    const known = [...own.kinds, ...(plugins?.kinds(section) ?? [])];
    for (const [id, { kind }] of entries(document[section]))
      if (typeof kind === 'string' && !known.includes(kind))
        yield { path: [section, id, 'kind'], message: unknown(noun, kind, known) };
  }
  const sourceKinds = plugins?.kinds('sources') ?? [];
  for (const [id, source] of entries(document.sources)) {
    const { kind } = source;
    if (typeof kind !== 'string' || OWN_SOURCE_NAMES.kinds.some((own) => own in source)) continue;
    const path = ['sources', id, 'kind'];
    if (OWN_SOURCE_NAMES.kinds.includes(kind))
      yield { path, message: `write \`${kind}: …\` in place of \`kind: ${kind}\`` };
    else if (!sourceKinds.includes(kind)) yield { path, message: unknown('source', kind, sourceKinds) };
  }
  const { kind: store } = group(group(document.polling).store);
  const storeKinds = plugins?.kinds('sourceStores') ?? [];
  if (typeof store === 'string' && !storeKinds.includes(store))
    yield { path: ['polling', 'store', 'kind'], message: unknown('source store', store, storeKinds) };
}

function* sourceRules(document: Group): Iterable<RuleViolation> {
  const allow = strings(group(document.network).allow);
  const seen = new Map<string, string>();
  for (const [id, source] of entries(document.sources)) {
    const address = normaliseFeedUrl(source.feed) ?? source.youtube;
    if (typeof address !== 'string') continue;
    const earlier = seen.get(address);
    if (earlier !== undefined)
      yield {
        path: ['sources', id, 'feed' in source ? 'feed' : 'youtube'],
        message: `is the same as that of the source \`${earlier}\`: remove one of them and use the other's ID`,
      };
    else seen.set(address, id);
    const objection = blockedAddress(source.feed, allow);
    if (objection !== null) yield { path: ['sources', id, 'feed'], message: objection };
  }
}

/** Reports URLs that the fetcher would refuse on every poll. Host names are resolved only when they are read. */
export function blockedAddress(written: unknown, allow: readonly string[]): string | null {
  const url = typeof written === 'string' ? URL.parse(written) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const policy = addressPolicyOf(allow);
  if (policy === null) return null;
  const literal = /^[\d.]+$/.test(host) || host.includes(':');
  return literal ? policy.objection(host, host, port) : policy.portObjection(host, port);
}

/** `null` if the list itself is invalid, which its schema reports. */
function addressPolicyOf(allow: readonly string[]): AddressPolicy | null {
  try {
    return new AddressPolicy(allow);
  } catch {
    return null;
  }
}

function* judgeRules(document: Group): Iterable<RuleViolation> {
  const embedder = group(document.embedder);
  if (typeof group(embedder.limits).usd_per_day === 'number' && !('price' in embedder))
    yield {
      path: ['embedder', 'limits', 'usd_per_day'],
      message:
        'cannot be kept without a price: add `price: { input: … }`, in US dollars for a million tokens',
    };
  const known = judgeIds(document);
  for (const [id, judge] of entries(document.judges)) {
    const fallback = judge.fallback;
    const path = ['judges', id, 'fallback'];
    if (typeof fallback === 'string') {
      if (fallback === id)
        yield { path, message: 'names the judge itself: name another one, such as `local`' };
      else if (!known.includes(fallback)) yield { path, message: noSuch('judge', fallback, known) };
      else if (hasFallbackCycle(document, id))
        yield {
          path,
          message: 'forms a cycle: let the last one fall back to `local`, or remove its `fallback`',
        };
    }
    // What else a judge of a plugin has is its own.
    if (!OWN_JUDGE_NAMES.kinds.includes(String(judge.kind))) continue;
    if (typeof group(judge.limits).usd_per_day === 'number' && !('price' in judge))
      yield {
        path: ['judges', id, 'limits', 'usd_per_day'],
        message:
          'cannot be kept without a price: add `price: { input: …, output: … }`, in US dollars for a million tokens',
      };
    yield* outputRules(id, judge);
  }
}

/** An answer must fit into the context of its model and into the daily budget. */
function* outputRules(id: string, judge: Group): Iterable<RuleViolation> {
  const tokens = judge.max_output_tokens;
  if (typeof tokens !== 'number') return;
  const path = ['judges', id, 'max_output_tokens'];
  const context = judge.context_tokens ?? DEFAULT_CONTEXT_TOKENS;
  if (judge.kind === 'openai' && typeof context === 'number' && tokens >= context)
    yield {
      path,
      message: `leaves no room for a text: the model takes ${context} tokens (\`context_tokens\`)`,
    };
  const limits = group(judge.limits);
  if (typeof limits.tokens_per_day === 'number' && tokens >= limits.tokens_per_day)
    yield {
      path,
      message: `is more than the day allows: \`limits.tokens_per_day\` is ${limits.tokens_per_day}`,
    };
  const { output } = group(judge.price);
  if (
    typeof limits.usd_per_day === 'number' &&
    typeof output === 'number' &&
    tokens * output >= limits.usd_per_day * 1e6
  )
    yield { path, message: 'may cost more than the day allows: lower it, or raise `limits.usd_per_day`' };
}

/** Whether the fallbacks form a cycle. Only the first judge of a cycle, by name, reports it. */
function hasFallbackCycle(document: Group, start: string): boolean {
  const judges = group(document.judges);
  const passed = new Set<string>();
  for (let id: unknown = start; typeof id === 'string'; id = group(judges[id]).fallback) {
    if (passed.has(id)) return id === start && [...passed].toSorted()[0] === start;
    passed.add(id);
  }
  return false;
}

function* publisherRules(document: Group): Iterable<RuleViolation> {
  for (const [id, publisher] of entries(document.publishers)) {
    if (!OWN_PUBLISHER_NAMES.kinds.includes(String(publisher.kind))) continue;
    if (publisher.sensitive === true && !('content_warning' in publisher))
      yield {
        path: ['publishers', id, 'sensitive'],
        message: 'needs a `content_warning` to show in place of the text',
      };
    if (publisher.forum === true && 'thread' in publisher)
      yield {
        path: ['publishers', id, 'forum'],
        message: 'and `thread` exclude each other: a message goes into one thread, or starts one of its own',
      };
    for (const field of ['content_warning', 'image_description']) {
      const words = publisher[field];
      const read = typeof words === 'string' ? parseTemplate(words, { plain: true }) : null;
      if (read?.ok === false) yield { path: ['publishers', id, field], message: templateProblem(read) };
    }
    const template = publisher.template;
    if (typeof template !== 'string') continue;
    const path = ['publishers', id, 'template'];
    const parsed = parseTemplate(template, { plain: true });
    if (!parsed.ok) {
      yield { path, message: templateProblem(parsed) };
      continue;
    }
    const names = parsed.template.parts.flatMap((part) => ('name' in part ? [part.name] : []));
    if (isDiscord(publisher)) {
      if (names.includes('title'))
        yield { path, message: 'leave {title} out: the title stands above the text, and is the link' };
    } else if (!names.includes('url'))
      yield { path, message: 'has no {url}: without it readers cannot open the article' };
  }
}

function isDiscord({ kind }: Group): boolean {
  return kind === 'discord-webhook' || kind === 'discord-bot';
}

function templateProblem({ problem, unknown }: Extract<ParsedTemplate, { ok: false }>): string {
  if (unknown === undefined) return problem;
  const names = Object.keys(TEMPLATE_NAMES);
  return nearest(unknown, names) === null
    ? problem
    : `{${unknown}} is not known: ${suggestion(unknown, names)}`;
}

function* pipelineRules(document: Group, id: string, pipeline: Group): Iterable<RuleViolation> {
  const here = ['pipelines', id];
  if (RESERVED_PIPELINES.includes(id))
    yield { path: here, message: `\`${id}\` is the name of the weekly sweep: choose another ID` };
  yield* referenceRules(document, here, pipeline);
  yield* ledgerRules(document, id, pipeline);
  yield* scheduleRules(here, pipeline);
  const backoff = group(pipeline.backoff);
  if (longer(backoff.first ?? '10m', backoff.most ?? '24h'))
    yield {
      path: [...here, 'backoff'],
      message: '`first` is longer than `most`: make `most` the longer one',
    };
  if (pipeline.kind === 'curate') yield* curateRules(here, pipeline);
  if (pipeline.kind === 'summarise') yield* summariseRules(here, pipeline);
  if (pipeline.kind === 'process') yield* processRules(document, here, pipeline);
}

/** Two pipelines on one ledger would each process the other's items. */
function* ledgerRules(document: Group, id: string, pipeline: Group): Iterable<RuleViolation> {
  const name = pipeline.renamed_from;
  if (typeof name !== 'string' || name === id) return;
  const path = ['pipelines', id, 'renamed_from'];
  for (const [other, settings] of entries(document.pipelines))
    if (other !== id && (settings.renamed_from ?? other) === name)
      yield { path, message: `the ledger of \`${name}\` is that of the pipeline \`${other}\`` };
}

function* referenceRules(document: Group, here: readonly string[], pipeline: Group): Iterable<RuleViolation> {
  const sources = Object.keys(group(document.sources));
  const publishers = [...Object.keys(group(document.publishers)), ...BUILT_IN_PUBLISHERS];
  yield* listedReferences(pipeline.sources, [...here, 'sources'], 'source', sources);
  yield* listedReferences(pipeline.publish, [...here, 'publish'], 'publisher', publishers);
  for (const [holder, path] of [
    [pipeline, here],
    [group(pipeline.processor), [...here, 'processor']],
  ] as const) {
    const judge = holder.judge;
    const known = judgeIds(document);
    if (typeof judge === 'string' && !known.includes(judge))
      yield { path: [...path, 'judge'], message: noSuch('judge', judge, known) };
  }
  const named = strings(pipeline.sources).map((source) => group(group(document.sources)[source]));
  const hasFolders = array(pipeline.folders).length > 0;
  const isEmpty = pipeline.sources === undefined || (Array.isArray(pipeline.sources) && named.length === 0);
  if (isEmpty && !hasFolders)
    yield {
      path: 'sources' in pipeline ? [...here, 'sources'] : here,
      message:
        'names no source: write `sources: [my-source]`, or `folders: [Tech]` for all sources of a folder',
    };
  if (
    pipeline.enabled !== false &&
    !hasFolders &&
    named.length > 0 &&
    named.every((source) => source.enabled === false)
  )
    yield {
      path: [...here, 'sources'],
      message: 'are all disabled: enable at least one source, or write `enabled: false` for the pipeline',
    };
}

function* listedReferences(
  value: unknown,
  path: readonly string[],
  noun: string,
  known: readonly string[],
): Iterable<RuleViolation> {
  if (!Array.isArray(value)) return;
  const seen = new Set<unknown>();
  for (const [n, name] of value.entries()) {
    if (typeof name !== 'string') continue;
    if (seen.has(name))
      yield { path: [...path, n], message: `names the ${noun} \`${name}\` a second time: remove one` };
    else if (!known.includes(name)) yield { path: [...path, n], message: noSuch(noun, name, known) };
    seen.add(name);
  }
}

function* scheduleRules(here: readonly string[], pipeline: Group): Iterable<RuleViolation> {
  if ('every' in pipeline && 'schedule' in pipeline)
    yield { path: [...here, 'schedule'], message: 'and `every` exclude each other: keep one of them' };
  if ('time_zone' in pipeline && 'every' in pipeline && !('schedule' in pipeline))
    yield {
      path: [...here, 'time_zone'],
      message: 'has no effect with `every`: use `schedule`, or remove it',
    };
}

function* curateRules(here: readonly string[], pipeline: Group): Iterable<RuleViolation> {
  const least = pipeline.min_articles ?? 3;
  const most = pipeline.max_articles ?? 5;
  if (typeof least === 'number' && typeof most === 'number' && least > most)
    yield {
      path: [...here, 'min_articles' in pipeline ? 'min_articles' : 'max_articles'],
      message: `\`min_articles\` (${least}) is more than \`max_articles\` (${most}), so nothing would ever be posted: make it ${most} or less`,
    };
  const seen = new Map<string, string>();
  for (const [n, interest] of array(pipeline.interests).entries()) {
    const words = [group(interest).topic, ...strings(group(interest).aliases)];
    for (const [w, word] of words.entries()) {
      if (typeof word !== 'string') continue;
      const earlier = seen.get(wordKey(word));
      const path = [...here, 'interests', n, ...(w === 0 ? ['topic'] : ['aliases', w - 1])];
      if (earlier !== undefined)
        yield {
          path,
          message: `"${word}" is in \`interests\` already (${earlier}): each topic and alias must be unique`,
        };
      else seen.set(wordKey(word), w === 0 ? 'as a topic' : 'as an alias');
    }
  }
}

function* summariseRules(here: readonly string[], pipeline: Group): Iterable<RuleViolation> {
  const sentences = group(pipeline.sentences);
  const [least, most] = [sentences.least ?? 3, sentences.most ?? 5];
  if (typeof least === 'number' && typeof most === 'number' && least > most)
    yield {
      path: [...here, 'sentences'],
      message: `\`least\` (${least}) is more than \`most\` (${most}): swap them`,
    };
  const attachments = group(pipeline.attachments);
  const [one, all] = [attachments.size ?? '20MB', attachments.total ?? '50MB'].map((each) =>
    typeof each === 'string' ? parseSize(each) : null,
  );
  if (typeof one === 'number' && typeof all === 'number' && one > all)
    yield {
      path: [...here, 'attachments'],
      message: '`size` of one document is more than `total`: make `total` the larger one',
    };
}

function* processRules(document: Group, here: readonly string[], pipeline: Group): Iterable<RuleViolation> {
  const sources = group(document.sources);
  for (const [n, name] of array(pipeline.sources).entries()) {
    const source = typeof name === 'string' ? sources[name] : undefined;
    if (isGroup(source) && !('youtube' in source))
      yield {
        path: [...here, 'sources', n],
        message: `\`${String(name)}\` is not a YouTube channel, and a process pipeline uses nothing else: use \`kind: summarise\` or \`kind: curate\` for it`,
      };
  }
  if (longer(pipeline.every ?? '2h', pipeline.look_back ?? '2.5h'))
    yield {
      path: [...here, 'look_back' in pipeline ? 'look_back' : 'every'],
      message:
        '`look_back` is shorter than `every`, so videos would be missed between two polls: make it longer',
    };
  if (pipeline.queue === 'pubsub' && group(document.engine).kind !== 'distributed')
    yield {
      path: [...here, 'queue'],
      message:
        '`pubsub` needs the distributed engine: write `queue: ledger`, or `engine: { kind: distributed, project: … }`',
    };
}

function* timelineRules(timelines: Group): Iterable<RuleViolation> {
  const fanOut = group(timelines.fan_out);
  const [active, merge] = [fanOut.active_only_above ?? 10_000, fanOut.merge_above ?? 100_000];
  if (typeof active === 'number' && typeof merge === 'number' && active > merge)
    yield {
      path: ['timelines', 'fan_out'],
      message: '`active_only_above` is more than `merge_above`: swap them',
    };
  if (timelines.store === 'memory' && 'redis' in timelines)
    yield {
      path: ['timelines', 'redis'],
      message: 'has no effect with `store: memory`: remove it, or write `store: redis`',
    };
  if ('user_service' in timelines !== 'post_service' in timelines)
    yield {
      path: ['timelines', 'user_service' in timelines ? 'user_service' : 'post_service'],
      message: 'must be set together with the other: set both `user_service` and `post_service`, or neither',
    };
  yield* clientTlsRules(['timelines', 'service_tls'], group(timelines.service_tls));
}

function* redisRules(path: readonly string[], redis: Group): Iterable<RuleViolation> {
  if ('sentinel' in redis) {
    if ('nodes' in redis)
      yield {
        path: [...path, 'nodes'],
        message: 'has no effect with `sentinel`, which names the master: remove one of them',
      };
    if (redis.cluster === true)
      yield { path: [...path, 'cluster'], message: 'and `sentinel` exclude each other: keep one of them' };
  }
  yield* clientTlsRules([...path, 'tls'], group(redis.tls));
}

function* clientTlsRules(path: readonly string[], tls: Group): Iterable<RuleViolation> {
  if ('certificate' in tls !== 'key' in tls)
    yield {
      path: [...path, 'certificate' in tls ? 'certificate' : 'key'],
      message: 'must be set together with the other: set both `certificate` and `key`, or neither',
    };
}

function* storyRules(document: Group): Iterable<RuleViolation> {
  const stories = group(document.stories);
  const scored = entries(document.pipelines).some(([, pipeline]) => pipeline.kind === 'curate');
  if (stories.enabled === true && (stories.source === 'verdicts' || stories.source === 'both') && !scored)
    yield {
      path: ['stories', 'source'],
      message: `\`${stories.source}\` ranks what the judges of curating pipelines scored, and there is none: add a pipeline with \`kind: curate\`, or write \`source: hackernews\``,
    };
  if (stories.source === 'verdicts' && 'base_url' in stories)
    yield { path: ['stories', 'base_url'], message: 'has no effect with `source: verdicts`: remove it' };
}

function* serverRules(server: Group): Iterable<RuleViolation> {
  const signIn = group(server.sign_in);
  if ('jwks' in signIn && !('issuer' in signIn))
    yield {
      path: ['server', 'sign_in', 'jwks'],
      message: 'needs an `issuer`: otherwise tokens of any issuer with these keys would be accepted',
    };
  const port = server.port ?? 8080;
  const grpc = group(server.grpc);
  if (grpc.enabled === true && port !== 0 && (grpc.port ?? 50_051) === port)
    yield {
      path: ['server', 'grpc', 'port'],
      message: `is also the port of the web page (${String(port)}): choose another`,
    };
}

function noSuch(noun: string, written: string, known: readonly string[]): string {
  if (nearest(written, known) === null && known.length === 0)
    return `there is no ${noun} \`${written}\`: add it below \`${noun}s:\``;
  return `there is no ${noun} \`${written}\`: ${suggestion(written, known)}`;
}

function judgeIds(document: Group): string[] {
  return [...Object.keys(group(document.judges)), ...BUILT_IN_JUDGES];
}

function longer(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const [left, right] = [parseDuration(a), parseDuration(b)];
  return left !== null && right !== null && left > right;
}

function group(value: unknown): Group {
  return isGroup(value) ? value : {};
}

function entries(value: unknown): [string, Group][] {
  return Object.entries(group(value)).flatMap(([id, each]) => (isGroup(each) ? [[id, each]] : []));
}

function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): string[] {
  return array(value).filter((each) => typeof each === 'string');
}
