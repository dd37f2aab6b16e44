import { IDENTITY_RULES, type RuleName } from '../../item/identity.ts';
import { camel, section, snake } from './section.ts';
import { list, oneOf, toggle } from './values.ts';

/** The rules by which two addresses are one article (X3), as the file names them. */
const [first = '', ...others] = IDENTITY_RULES.map((rule) => snake(rule.name));

export const identity = section({
  off: list(oneOf([first, ...others]), 'rules')
    .transform((names) => names.map((name) => camel(name) as RuleName))
    .prefault([])
    .describe('Rules that are switched off.'),
  same_story: section({
    enabled: toggle()
      .default(true)
      .describe('Recognise one story in several sources by near-equal titles and texts.'),
  })
    .prefault({})
    .describe('One story from several sources.'),
});
