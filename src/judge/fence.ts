import { randomBytes } from 'node:crypto';
import { visibleText } from './plain-words.ts';

/** Makes names that nobody outside can guess. */
export type FenceNames = () => string;

export const randomFenceName: FenceNames = () => randomBytes(12).toString('hex');

/**
 * Puts text from outside between two lines that it cannot contain: the name of the fence is made anew for every question, so an
 * article cannot close it and go on as if it were us (X6). What a reader could not see is taken out.
 */
export interface Fence {
  readonly name: string;
  enclose(sections: readonly { readonly label: string; readonly text: string }[]): string;
}

export function createFence(texts: readonly string[], names: FenceNames = randomFenceName): Fence {
  let name = names();
  for (let tries = 0; tries < 20 && texts.some((text) => text.includes(name)); tries++) name = names();
  return {
    name,
    enclose(sections) {
      return sections
        .map(({ label, text }) => {
          const body = visibleText(text).split(name).join('');
          return `<<<${label} ${name}>>>\n${body}\n<<<END ${label} ${name}>>>`;
        })
        .join('\n\n');
    },
  };
}
