import type { Words } from './catalogues.ts';
import { ja } from './ja.ts';
import { readerJa } from './reader-ja.ts';

export const words: Words = { ...ja, reader: readerJa };
