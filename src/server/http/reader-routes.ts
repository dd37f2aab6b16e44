import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Entry, MAX_CHANGED_IDS, MAX_ENTRY_PAGE } from '../../reader/entry-store.ts';
import {
  MAX_SAVED_SEARCHES,
  REACTIONS_OF_READERS,
  READER_ORDERS,
  type ShownStory,
} from '../../reader/reader.ts';
import { type EntryList, VIEWS, type View } from '../../reader/reader-lists.ts';
import type { ReaderService } from '../../reader/reader-service.ts';
import type { StoryEditResult } from '../../reader/story-editor.ts';
import { describeStoryReason, withoutPerson } from '../../same-story/story-reason.ts';
import { proxyPictures } from './article-html.ts';
import { requireIdentity, requireScope } from './auth.ts';
import { iconPath } from './icon-routes.ts';
import type { SignedImageUrls } from './image-routes.ts';
import type { Newsroom, Viewer } from './newsroom.ts';
import { rejectBadCursor } from './newsroom-routes.ts';
import { notFound, ProblemError } from './problem.ts';
import { addRoute, cursorParameter, limitParameter } from './route.ts';
import {
  cursorSchema,
  entrySchema,
  overviewSchema,
  savedSearchSchema,
  showRules,
  storyReasonSchema,
  timeSchema,
  whySchema,
} from './schemas.ts';
import { abortOnDisconnect } from './source-routes.ts';

export interface ReaderRouteDependencies {
  readonly service: ReaderService;
  readonly newsroom: Pick<Newsroom, 'why'>;
  /** `null`: pictures are off. */
  readonly images: SignedImageUrls | null;
}

/** Views that belong to a person. */
const PERSONAL_VIEWS: readonly View[] = ['starred', 'later', 'home'];
const ARTICLE_TIMEOUT_MS = 60_000;
const NO_PICTURES = { pathFor: () => null };

const nameParameter = (about: string) =>
  z.string().min(1, 'is empty').max(500, 'is too long').optional().describe(about);
const sourceParameter = nameParameter('Only entries of this source.');
const folderParameter = nameParameter('Only entries of sources in this folder: its path, joined by "/".');
const textParameter = z
  .string()
  .trim()
  .max(200, 'has at most 200 characters')
  .optional()
  .describe('Full-text search: every word, "phrases", -without.');
const timeParameter = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a time in milliseconds since 1970')
  .transform(Number)
  .optional();
const viewParameter = z.enum(VIEWS, `must be one of ${VIEWS.join(', ')}`).default('all');

/** Parameters that name a list. */
export const listQuery = z.strictObject({
  view: viewParameter,
  source: sourceParameter,
  folder: folderParameter,
  q: textParameter,
});
const entriesQuery = listQuery.extend({
  since: timeParameter.describe('Only what was published then or later.'),
  before: timeParameter.describe('Only what was published before.'),
  order: z
    .enum(READER_ORDERS, `must be one of ${READER_ORDERS.join(', ')}`)
    .default('newest')
    .describe('`for_you`: what the caller probably wants comes first, learned from what they do.'),
  limit: limitParameter(MAX_ENTRY_PAGE, 50),
  cursor: cursorParameter(2000),
});

const entryId = z.int('must be a whole number').min(1, 'must be at least 1');
const idParameter = z.object({
  id: z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number),
});
const storyUndoSchema = z.object({ undo: z.string().describe('Takes it back.') });
const undoSchema = z.object({
  undo: z.string().nullable().describe('Takes the change back within a day; null if nothing changed.'),
});

/** The reader: lists, articles and the state of each person (R5–R9, R11–R14). */
export function readerRoutes(server: FastifyInstance, deps: ReaderRouteDependencies): void {
  const { service, newsroom, images } = deps;
  const { reader, overview, articles, stories } = service;
  const everybody = { group: 'Reader', access: 'everybody' } as const;
  const person = { group: 'Reader', access: 'person' } as const;
  // Stories are the same for everybody, and pipelines follow them too.
  const owners = { group: 'Reader', access: 'owner' } as const;

  const show = ({ entry, state, sources, others, learned }: ShownStory) => {
    const { key: _key, imageUrl, sourceIds: _ids, storyReason: _reason, ...facts } = entry;
    const [enclosure = null] = facts.enclosures;
    return {
      ...facts,
      enclosure,
      image: images?.pathFor(imageUrl ?? undefined) ?? null,
      sources,
      state,
      others,
      ...(learned !== undefined && { learned: showRules(learned, 'you') }),
    };
  };

  addRoute(
    server,
    {
      ...everybody,
      method: 'GET',
      url: '/reader/overview',
      about: 'All sources and folders with the number of unread entries; for guests every count is 0.',
      answer: overviewSchema,
    },
    async ({ request }) => {
      const { sources, ...rest } = await overview.read(personOf(request));
      return {
        ...rest,
        sources: sources.map((source) => ({
          ...source,
          icon: source.icon === null ? null : iconPath(source.id, source.icon),
        })),
      };
    },
  );
  addRoute(
    server,
    {
      ...everybody,
      method: 'GET',
      url: '/reader/entries',
      about:
        'A page of entries, each story once, with its other sources. `home`, `starred` and `later` need a person.',
      query: entriesQuery,
      answer: z.object({ entries: z.array(entrySchema), next: cursorSchema, newestId: z.int() }),
      problems: [404],
    },
    async ({ query, request }) => {
      const { order, limit, cursor } = query;
      const page = await reader
        .list(viewerOfList(query.view, request), toList(query), { order, limit, ...(cursor && { cursor }) })
        .catch(rejectBadCursor);
      if (page === null) throw noSuchList(query);
      return { entries: page.entries.map(show), next: page.next, newestId: page.newestId };
    },
  );
  addRoute(
    server,
    {
      ...everybody,
      method: 'GET',
      url: '/reader/hot',
      about: 'The stories that most sources told in the last day.',
      query: z.strictObject({
        folder: folderParameter,
        view: z
          .enum(['all', 'home'], 'must be all or home')
          .default('all')
          .describe('`home`: only the sources that the caller follows.'),
      }),
      answer: z.object({ entries: z.array(entrySchema.extend({ sourceCount: z.int() })) }),
      problems: [404],
    },
    async ({ query, request }) => {
      const { view, folder } = query;
      const found = await reader.hot(viewerOfList(view, request), { view, ...(folder && { folder }) });
      if (found === null) throw noSuchList(query);
      return { entries: found.map((story) => ({ ...show(story), sourceCount: story.sourceCount })) };
    },
  );
  addRoute(
    server,
    {
      ...everybody,
      method: 'GET',
      url: '/reader/entries/:id',
      about: 'One entry, with the decisions of the pipelines, why it is in its story, and the summary.',
      params: idParameter,
      answer: entrySchema.extend({
        why: z.array(whySchema),
        story: storyReasonSchema.nullable(),
        summary: z.string().nullable(),
      }),
      problems: [404],
    },
    async ({ params, request }) => {
      const found = await reader.entry(personOf(request), params.id);
      if (found === null) throw notFound('such entry');
      const why = await newsroom.why(found.entry.key, audienceOf(request));
      return {
        ...show(found),
        why: why.map(({ summary: _, learned, ...shown }) => ({
          ...shown,
          ...(learned !== undefined && { learned: showRules(learned, 'people') }),
        })),
        story: storyReason(found.entry, audienceOf(request)),
        summary: why.find(({ summary }) => summary !== null)?.summary ?? null,
      };
    },
  );
  addRoute(
    server,
    {
      ...everybody,
      method: 'GET',
      url: '/reader/entries/:id/article',
      about: 'The text of the article: that of the feed if it is complete, otherwise that of the page.',
      params: idParameter,
      answer: z.object({
        html: z.string().describe('Sanitised; pictures have addresses of the proxy.'),
        origin: z.enum(['feed', 'page']),
        byline: z.string().nullable(),
        fetchedAt: timeSchema,
        url: z.string(),
      }),
      problems: [404, 502],
      timeoutMs: ARTICLE_TIMEOUT_MS,
    },
    async ({ params, reply }) => {
      const entry = await reader.find(params.id);
      if (entry === null) throw notFound('such entry');
      const read = await articles.textOf(entry, abortOnDisconnect(reply));
      if (read.outcome === 'unavailable')
        throw new ProblemError({
          status: read.why === 'not_found' ? 404 : 502,
          code: 'article_unavailable',
          title: 'Failed to read the article',
          detail: read.reason,
          parameters: { why: read.why, url: entry.url },
        });
      const { html, ...text } = read.text;
      return { ...text, html: proxyPictures(html, images ?? NO_PICTURES), url: entry.url };
    },
  );
  addRoute(
    server,
    {
      ...person,
      method: 'POST',
      url: '/reader/state',
      about:
        'Marks entries, and with each all entries about the same event, as read, starred or to be read later. `more`, `less` and `finished` (read to the end) say what the caller likes, and change no state.',
      body: z.strictObject({
        kind: z.enum(
          ['read', 'unread', 'star', 'unstar', 'later', 'notLater', ...REACTIONS_OF_READERS],
          'must be read, unread, star, unstar, later, notLater, more, less or finished',
        ),
        ids: z
          .array(entryId)
          .min(1, 'name at least one entry')
          .max(MAX_CHANGED_IDS, `has at most ${MAX_CHANGED_IDS} entries`),
      }),
      answer: undoSchema,
    },
    async ({ body, request }) => ({ undo: await reader.change(requireIdentity(request).userId, body) }),
  );
  addRoute(
    server,
    {
      ...person,
      method: 'POST',
      url: '/reader/read-all',
      about:
        'Marks everything of a list that arrived up to an entry as read; what arrived later stays unread.',
      body: z.strictObject({
        source: sourceParameter,
        folder: folderParameter,
        view: z.literal('home', 'must be home').optional(),
        upTo: z.int('must be a whole number').min(0).describe('`newestId` of the list as it was shown.'),
        before: timeSchema.optional().describe('Only what was published before.'),
      }),
      answer: undoSchema,
      problems: [404],
    },
    async ({ body, request }) => {
      const done = await reader.readAll(requireIdentity(request).userId, withoutAbsent(body));
      if (done === null) throw noSuchList(body);
      return done;
    },
  );
  addRoute(
    server,
    {
      ...person,
      method: 'POST',
      url: '/reader/undo',
      about: 'Takes a change of state back, within a day.',
      body: z.strictObject({ token: z.string('is missing').min(1, 'is empty').max(500, 'is too long') }),
      problems: [404],
    },
    async ({ body, request }) => {
      if (!(await reader.undo(requireIdentity(request).userId, body.token)))
        throw notFound('such change that can be taken back');
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/reader/stories/split',
      about: 'Takes an entry out of its story, for everybody; later entries and runs of pipelines follow it.',
      body: z.strictObject({ id: entryId }),
      answer: storyUndoSchema,
      problems: [404, 409],
    },
    async ({ body, request }) =>
      edited(await stories.split(requireIdentity(request).name, body.id), 'It is the only one of its story.'),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/reader/stories/join',
      about:
        'Makes one story of those of two entries, for everybody; later entries and runs of pipelines follow it.',
      body: z.strictObject({ id: entryId, with: entryId }),
      answer: storyUndoSchema,
      problems: [404, 409],
    },
    async ({ body, request }) =>
      edited(
        await stories.join(requireIdentity(request).name, body.id, body.with),
        'They are one story already.',
      ),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/reader/stories/undo',
      about: 'Takes a split or a join of stories back.',
      body: z.strictObject({ token: z.string('is missing').min(1, 'is empty').max(500, 'is too long') }),
      problems: [404],
    },
    async ({ body }) => {
      if (!(await stories.undo(body.token))) throw notFound('such change that can be taken back');
    },
  );
  addRoute(
    server,
    {
      ...person,
      method: 'GET',
      url: '/reader/searches',
      about: 'The saved searches of the caller.',
      answer: z.object({ searches: z.array(savedSearchSchema).readonly() }),
    },
    async ({ request }) => ({ searches: await reader.savedSearches(requireIdentity(request).userId) }),
  );
  const searchId = z.object({
    id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'has 1 to 64 letters, digits, - or _'),
  });
  addRoute(
    server,
    {
      ...person,
      method: 'PUT',
      url: '/reader/searches/:id',
      about: 'Saves a search, or replaces the one with this ID.',
      params: searchId,
      body: z.strictObject({
        name: z.string('is missing').trim().min(1, 'is empty').max(100, 'has at most 100 characters'),
        text: z.string('must be a text').trim().max(200, 'has at most 200 characters'),
        folder: folderParameter.unwrap().nullable().default(null),
        sourceId: sourceParameter.unwrap().nullable().default(null),
        unread: z.boolean('must be true or false').default(false),
      }),
      problems: [404, 409],
    },
    async ({ params, body, request }) => {
      const saved = await reader.saveSearch(requireIdentity(request).userId, { id: params.id, ...body });
      if (saved === 'unknown')
        throw noSuchList({ folder: body.folder ?? undefined, source: body.sourceId ?? undefined });
      if (saved === 'too_many')
        throw new ProblemError({
          status: 409,
          code: 'too_many_searches',
          title: 'Too many saved searches',
          detail: `There are at most ${MAX_SAVED_SEARCHES}. Remove one first.`,
          parameters: { maximum: MAX_SAVED_SEARCHES },
        });
    },
  );
  addRoute(
    server,
    {
      ...person,
      method: 'DELETE',
      url: '/reader/searches/:id',
      about: 'Removes a saved search.',
      params: searchId,
      problems: [404],
    },
    async ({ params, request }) => {
      if (!(await reader.removeSearch(requireIdentity(request).userId, params.id)))
        throw notFound('such saved search');
    },
  );
}

function edited(result: StoryEditResult, unchanged: string): { readonly undo: string } {
  switch (result.outcome) {
    case 'done':
      return { undo: result.undo };
    case 'unknown':
      throw notFound('such entry');
    case 'unchanged':
      throw new ProblemError({
        status: 409,
        code: 'story_unchanged',
        title: 'Nothing to change',
        detail: unchanged,
      });
  }
}

function storyReason({ storyReason: reason }: Entry, viewer: Viewer) {
  if (reason === undefined) return null;
  const shown = viewer === 'owner' ? reason : withoutPerson(reason);
  const { with: _key, ...rest } = shown;
  return { ...rest, text: describeStoryReason(shown) };
}

function personOf({ identity }: FastifyRequest): string | null {
  return identity?.userId ?? null;
}

/** The person whose list it is; a guest has none of their own. */
function viewerOfList(view: View, request: FastifyRequest): string | null {
  return PERSONAL_VIEWS.includes(view) ? requireScope(request, 'read').userId : personOf(request);
}

function audienceOf({ identity }: FastifyRequest): Viewer {
  return identity?.role === 'owner' ? 'owner' : 'guest';
}

export function toList(
  query: z.infer<typeof listQuery> & Pick<Partial<z.infer<typeof entriesQuery>>, 'since' | 'before'>,
): EntryList {
  const { view, source, folder, q: text, since, before } = query;
  return withoutAbsent({ view, source, folder, text: text === '' ? undefined : text, since, before });
}

export function noSuchList({
  source,
  folder,
}: {
  readonly source?: string | undefined;
  readonly folder?: string | undefined;
}): ProblemError {
  const [kind, name = ''] = source === undefined ? ['folder', folder] : ['source', source];
  return notFound(
    `${kind} "${name.slice(0, 80)}"${source !== undefined && folder !== undefined ? ' in this folder' : ''}`,
  );
}

type WithoutAbsent<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function withoutAbsent<T extends object>(fields: T): WithoutAbsent<T> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as WithoutAbsent<T>;
}
