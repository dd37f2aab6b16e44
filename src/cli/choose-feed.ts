import type { Candidate } from '../app/discover.ts';
import { EXIT } from './exit-codes.ts';
import { RefusalError } from './refusal.ts';
import type { Terminal } from './terminal.ts';
import { harmless } from './width.ts';
import { countWords } from './words.ts';

export interface ChooseOptions {
  /** The number that the person gave, as written. */
  readonly feed?: string;
  readonly pipeline?: readonly string[];
  readonly id?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
}

/** Which of several feeds is meant: the one that was named by number, or the answer of the person at the terminal. */
export async function chooseFeed(
  terminal: Terminal,
  candidates: readonly Candidate[],
  written: string,
  options: ChooseOptions,
): Promise<Candidate> {
  const [only] = candidates;
  if (options.feed !== undefined) return numbered(candidates, options.feed);
  if (only !== undefined && candidates.length === 1) return only;
  if (!terminal.interactive)
    throw new RefusalError(
      `nothing was added: this page names ${countWords(candidates.length, 'feed')}. Say which:\n${candidates
        .map((each, index) => `  ${commandFor(written, index + 1, options)}\n      ${about(each)}`)
        .join('\n')}`,
      EXIT.usage,
    );
  terminal.note(`This page names ${countWords(candidates.length, 'feed')}:\n`);
  for (const [index, each] of candidates.entries())
    terminal.note(`  ${String(index + 1).padStart(2)}  ${about(each)}\n      ${harmless(each.address)}`);
  const answer = (await terminal.ask(`\nWhich one (1-${candidates.length}, Enter for none)? `)).trim();
  if (answer === '') throw new RefusalError('nothing was added', EXIT.failure);
  return numbered(candidates, answer);
}

function numbered(candidates: readonly Candidate[], written: string): Candidate {
  const chosen = /^\d+$/.test(written) ? candidates[Number(written) - 1] : undefined;
  if (chosen !== undefined) return chosen;
  const there = candidates.length === 1 ? 'there is one feed' : `there are feeds 1 to ${candidates.length}`;
  throw new RefusalError(`nothing was added: ${there}, and no feed "${written}"`, EXIT.usage);
}

/** What it is called, how much is in it, and its newest title. */
function about({ title, address, trial }: Candidate): string {
  const name = harmless(title ?? address);
  if (trial.outcome === 'failed') return `${name}: ${trial.detail}`;
  const [newest] = trial.items;
  const there = countWords(trial.items.length, 'item');
  return newest === undefined ? `${name}: ${there}` : `${name}: ${there}, newest "${harmless(newest.title)}"`;
}

function commandFor(written: string, number: number, options: ChooseOptions): string {
  const words = ['kawaraban', 'sources', 'add', written, '--feed', String(number)];
  if (options.id !== undefined) words.push('--id', options.id);
  if (options.name !== undefined) words.push('--name', options.name);
  if (options.dryRun === true) words.push('--dry-run');
  if (options.pipeline !== undefined) words.push('--pipeline', ...options.pipeline);
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
