import type { DiscoveredSource, SourceTrial } from '../sources/discovery.ts';
import { CommandError, EXIT } from './errors.ts';
import { formatCount, formatMoment, formatTable, sanitise } from './format.ts';
import type { Terminal } from './terminal.ts';

const MAX_NEWEST_SHOWN = 5;

export type ReadTrial = Extract<SourceTrial, { outcome: 'read' }>;

/** Prints what was read from a source, with its newest items. */
export function printTrial(terminal: Terminal, trial: ReadTrial): void {
  terminal.out(terminal.style('bold', sanitise(trial.title ?? '(no title)')));
  if (trial.feed !== null) terminal.out(`Feed      ${sanitise(trial.feed)}`);
  terminal.out(`Items     ${trial.items.length}`);
  if (trial.identity !== null)
    terminal.out(`Identity  by ${trial.identity.by} (${sanitise(trial.identity.why)})`);
  for (const warning of trial.warnings) terminal.out(`Warning   ${sanitise(warning)}`);
  if (trial.items.length === 0) return;
  terminal.out(
    `\n${formatTable(
      trial.items.slice(0, MAX_NEWEST_SHOWN),
      [
        { title: 'Published', value: ({ publishedAt }) => formatMoment(publishedAt) },
        { title: 'Title', value: ({ title }) => title, shrinks: true },
        { title: 'Address', value: ({ url }) => url, shrinks: true },
      ],
      terminal.width,
      (title) => terminal.style('dim', title),
    )}`,
  );
}

/** The JSON form of `printTrial`. */
export function trialToJson(trial: SourceTrial): object {
  if (trial.outcome === 'failed') return trial;
  const { title, feed, identity, warnings, items } = trial;
  const newest = items.slice(0, MAX_NEWEST_SHOWN).map(({ key, url, title, publishedAt }) => ({
    key,
    url,
    title,
    publishedAt,
  }));
  return { outcome: 'read', title, feed, identity, warnings, items: items.length, newest };
}

export interface ChooseOptions {
  /** The number given, as written. */
  readonly feed?: string;
  readonly pipeline?: readonly string[];
  readonly id?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
}

/** Chooses one of several feeds: by the number given, or by asking at the terminal. */
export async function chooseFeed(
  terminal: Terminal,
  candidates: readonly DiscoveredSource[],
  written: string,
  options: ChooseOptions,
): Promise<DiscoveredSource> {
  const [only] = candidates;
  if (options.feed !== undefined) return candidateByNumber(candidates, options.feed);
  if (only !== undefined && candidates.length === 1) return only;
  if (!terminal.interactive)
    throw new CommandError(
      `nothing was added: this page links to ${formatCount(candidates.length, 'feed')}. Choose one:\n${candidates
        .map(
          (each, index) => `  ${commandFor(written, index + 1, options)}\n      ${describeCandidate(each)}`,
        )
        .join('\n')}`,
      EXIT.usage,
    );
  terminal.note(`This page links to ${formatCount(candidates.length, 'feed')}:\n`);
  for (const [index, each] of candidates.entries())
    terminal.note(
      `  ${String(index + 1).padStart(2)}  ${describeCandidate(each)}\n      ${sanitise(each.address)}`,
    );
  const answer = (await terminal.ask(`\nWhich one (1-${candidates.length}, Enter for none)? `)).trim();
  if (answer === '') throw new CommandError('nothing was added', EXIT.failure);
  return candidateByNumber(candidates, answer);
}

function candidateByNumber(candidates: readonly DiscoveredSource[], written: string): DiscoveredSource {
  const chosen = /^\d+$/.test(written) ? candidates[Number(written) - 1] : undefined;
  if (chosen !== undefined) return chosen;
  const there = candidates.length === 1 ? 'there is one feed' : `there are feeds 1 to ${candidates.length}`;
  throw new CommandError(`nothing was added: ${there}, and no feed "${written}"`, EXIT.usage);
}

/** Title, number of items and newest title of a feed. */
function describeCandidate({ title, address, trial }: DiscoveredSource): string {
  const name = sanitise(title ?? address);
  if (trial.outcome === 'failed') return `${name}: ${trial.detail}`;
  const [newest] = trial.items;
  const there = formatCount(trial.items.length, 'item');
  return newest === undefined ? `${name}: ${there}` : `${name}: ${there}, newest "${sanitise(newest.title)}"`;
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
