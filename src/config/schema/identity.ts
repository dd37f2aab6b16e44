import { section } from './section.ts';
import { list, oneOf, toggle, whole } from './values.ts';

/** The rules by which two addresses are one article (X3). */
export const URL_RULES = [
  'tracking_parameters',
  'fragment',
  'default_port',
  'host_case',
  'trailing_slash',
] as const;

export const identity = section({
  off: list(oneOf(URL_RULES), 'rules').prefault([]).describe('Rules that are switched off.'),
  same_story: section({
    enabled: toggle()
      .default(true)
      .describe('Recognise one story in several sources by near-equal titles and texts.'),
    likeness: whole(50, 100).default(85).describe('How alike two must be, in percent.'),
  })
    .prefault({})
    .describe('One story from several sources.'),
});
