import type { NewDrop } from './services.ts';

type Said = Pick<NewDrop, 'text' | 'visibility'> & {
  readonly title?: string | undefined;
  readonly url?: string | undefined;
};

/** A drop that a person posts. `once`: with the same word it is there only once; words of people are their own. */
export function ownDrop(
  userId: string,
  { text, visibility, title, url }: Said,
  once: string | null,
): NewDrop {
  return {
    userId,
    visibility,
    text,
    ...(title !== undefined && { title }),
    ...(url !== undefined && { url }),
    // Nobody can use up the word of another's next drop.
    ...(once !== null && { dedupeKey: `${userId} ${once}` }),
  };
}
