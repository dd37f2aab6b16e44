import type { Row } from '../../sqlite/connection.ts';
import type { ListedStory, Story } from '../story.ts';

export const LISTED = 'stories.id AS id, score, time, descendants, by, title, url';
export const WHOLE = `${LISTED}, updated, kids`;

export function toListed(row: Row): ListedStory {
  return {
    by: row.by as string,
    descendants: row.descendants as number,
    id: row.id as number,
    score: row.score as number,
    time: row.time as number,
    title: row.title as string,
    url: row.url as string,
  };
}

export function toStory(row: Row): Story {
  return {
    ...toListed(row),
    kids: JSON.parse(row.kids as string) as number[],
    updated: row.updated as number,
  };
}
