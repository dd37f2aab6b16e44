import type { SourceTrial } from '../app/source-trial.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { harmless } from './width.ts';
import { countWords, momentWords } from './words.ts';

const NEWEST = 5;

export type ReadTrial = Extract<SourceTrial, { outcome: 'read' }>;

/** What a source has, with its newest items. */
export function showTrial(terminal: Terminal, trial: ReadTrial): void {
  terminal.out(terminal.style('bold', harmless(trial.title ?? '(it does not say what it is called)')));
  if (trial.feed !== null) terminal.out(`Feed      ${harmless(trial.feed)}`);
  terminal.out(`Items     ${countWords(trial.items.length, 'item')} there now`);
  if (trial.identity !== null)
    terminal.out(`Identity  by ${trial.identity.by} (${harmless(trial.identity.why)})`);
  for (const warning of trial.warnings) terminal.out(`Odd       ${harmless(warning)}`);
  if (trial.items.length === 0) return;
  terminal.out(
    `\n${table(
      trial.items.slice(0, NEWEST),
      [
        { title: 'Published', value: ({ publishedAt }) => momentWords(publishedAt) },
        { title: 'Title', value: ({ title }) => title, shrinks: true },
        { title: 'Address', value: ({ url }) => url, shrinks: true },
      ],
      terminal.width,
      (title) => terminal.style('dim', title),
    )}`,
  );
}

/** The same for programs. */
export function trialJson(trial: SourceTrial): object {
  if (trial.outcome === 'failed') return trial;
  const { title, feed, identity, warnings, items } = trial;
  const newest = items.slice(0, NEWEST).map(({ key, url, title, publishedAt }) => ({
    key,
    url,
    title,
    publishedAt,
  }));
  return { outcome: 'read', title, feed, identity, warnings, items: items.length, newest };
}
