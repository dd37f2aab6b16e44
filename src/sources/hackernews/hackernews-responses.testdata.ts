/** The time of the stories, in the seconds that Hacker News counts. */
export const SECONDS = Date.UTC(2026, 10, 15) / 1000 - 3600;

export function story(id: number, changes: object = {}): object {
  return {
    id,
    type: 'story',
    by: 'ann',
    time: SECONDS,
    title: `Story ${id}`,
    url: `https://news.example/${id}`,
    score: 10,
    descendants: 2,
    kids: [id + 1],
    ...changes,
  };
}

/** What may come instead of a list of IDs; each is a bad answer. */
export const brokenLists: readonly (readonly [name: string, list: unknown])[] = [
  ['null', null],
  ['words', '"no"'],
  ['an object', { a: 1 }],
  ['broken JSON', '[1,2'],
  ['an error', { error: 'Permission denied' }],
];

/** Items, whole and broken, and what each is to its reader. */
export const oddItems: readonly (readonly [
  name: string,
  json: unknown,
  expected: 'none' | 'readable' | 'settled' | 'waiting',
])[] = [
  ['a gap', null, 'none'],
  ['nothing', undefined, 'none'],
  ['a word', 'x', 'none'],
  ['a list', [1], 'none'],
  ['an empty object', {}, 'none'],
  ['an ID that is a word', { id: '12' }, 'none'],
  ['an ID of zero', { id: 0 }, 'none'],
  ['only an ID', { id: 1 }, 'waiting'],
  ['a story', story(1), 'readable'],
  ['a job', story(1, { type: 'job', score: undefined }), 'readable'],
  ['a poll without an address', story(1, { type: 'poll', url: undefined }), 'readable'],
  ['a comment', { id: 1, type: 'comment', by: 'a', text: 'x', time: 1 }, 'settled'],
  ['a deleted story', { id: 1, type: 'story', time: 1, deleted: true }, 'settled'],
  ['a dead story', story(1, { dead: true }), 'settled'],
  ['no author', story(1, { by: undefined }), 'readable'],
  ['no title', story(1, { title: undefined }), 'waiting'],
  ['a title of blanks', story(1, { title: '  ' }), 'waiting'],
  ['no time', story(1, { time: undefined }), 'waiting'],
  ['a time that is a word', story(1, { time: 'now' }), 'waiting'],
  ['no type', story(1, { type: undefined }), 'waiting'],
  ['no score', story(1, { score: null }), 'readable'],
  ['a score below zero', story(1, { score: -3 }), 'readable'],
  ['children that are none', story(1, { kids: 'x' }), 'readable'],
  ['an address that is a script', story(1, { url: 'javascript:alert(1)' }), 'readable'],
];
