import type { InvalidConfig } from './invalid-config.testdata.ts';
import { INVALID_CONTENT } from './invalid-content.testdata.ts';
import { INVALID_FORM } from './invalid-form.testdata.ts';

export const INVALID_CONFIGS: readonly InvalidConfig[] = [...INVALID_FORM, ...INVALID_CONTENT];
