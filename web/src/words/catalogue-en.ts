import type { Words } from './catalogues.ts';
import { en } from './en.ts';
import { readerEn } from './reader-en.ts';

export const words: Words = { ...en, reader: readerEn };
