import type { BadConfiguration } from './bad-configuration.testdata.ts';
import { MISTAKES_OF_CONTENT } from './mistakes-of-content.testdata.ts';
import { MISTAKES_OF_FORM } from './mistakes-of-form.testdata.ts';

export const BAD_CONFIGURATIONS: readonly BadConfiguration[] = [...MISTAKES_OF_FORM, ...MISTAKES_OF_CONTENT];
