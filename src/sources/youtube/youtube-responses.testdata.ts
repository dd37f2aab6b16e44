import type { SourceReading } from '../source.ts';

const badAnswer = { outcome: 'failed', why: 'bad_answer' } as const;
const nothingNew = { outcome: 'read', sightings: [] } as const;

/** What the Data API may say against its promise, where the feed says nothing either. */
export const brokenAnswers: readonly (readonly [
  name: string,
  body: string,
  expected: Partial<SourceReading>,
])[] = [
  ['no JSON', 'not json', badAnswer],
  ['nothing', '', badAnswer],
  ['null', 'null', badAnswer],
  ['a list', '[]', badAnswer],
  ['no items', '{}', nothingNew],
  ['items of the wrong kind', '{"items":{"a":1}}', nothingNew],
  ['items of nothing', '{"items":[null,1,"x",[],{}]}', nothingNew],
  [
    'half an item',
    '{"items":[{"snippet":{"title":5,"resourceId":null},"contentDetails":{"videoId":"../../etc"}}]}',
    nothingNew,
  ],
  [
    'a date that is none',
    '{"items":[{"snippet":{"channelId":"c","title":"t"},"contentDetails":{"videoId":"aaaaaaaaaaa","videoPublishedAt":"soon"}}]}',
    nothingNew,
  ],
];
