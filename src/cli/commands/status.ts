import type { Command } from 'commander';
import type { PipelineStatus, SourceStatus } from '../../server/newsroom.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { type Column, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { withApp } from '../with-app.ts';
import { distanceWords, plainWords } from '../words.ts';

/** `status`: what each pipeline and each source is doing. */
export function statusCommand(parts: CommandParts): Command {
  return commandNamed('status', 'show what each pipeline and each source is doing').action(
    action(parts, (terminal, options: EveryOption) =>
      withApp(parts.house, options, async ({ newsroom }) => {
        const [pipelines, sources, readiness] = await Promise.all([
          newsroom.pipelines(),
          newsroom.sources(),
          newsroom.readiness(),
        ]);
        if (options.json) terminal.json({ info: newsroom.info, pipelines, sources, readiness });
        else tell(terminal, pipelines, sources, Date.now());
        if (readiness.ready) return EXIT.ok;
        for (const [name, part] of Object.entries(readiness.parts))
          if (!part.ok)
            terminal.note(`${name} is not ready${part.detail === undefined ? '' : `: ${part.detail}`}`);
        return EXIT.unavailable;
      }),
    ),
  );
}

function tell(
  terminal: Terminal,
  pipelines: readonly PipelineStatus[],
  sources: readonly SourceStatus[],
  now: number,
): void {
  const dim = (title: string): string => terminal.style('dim', title);
  if (pipelines.length === 0) terminal.out('There are no pipelines.');
  else terminal.out(table(pipelines, pipelineColumns(terminal, now), terminal.width, dim));
  for (const { id, detail } of pipelines) if (detail !== null) terminal.out(`${id}: ${detail}`);
  const parked = pipelines.filter(({ counts }) => counts.byState.parked > 0);
  if (parked.length > 0)
    terminal.note(
      '\nParked items wait for you: kawaraban items --state parked, then kawaraban explain, retry or resolve.',
    );
  if (sources.length === 0) return;
  terminal.out('');
  terminal.out(table(sources, sourceColumns(terminal, now), terminal.width, dim));
}

function pipelineColumns(terminal: Terminal, now: number): Column<PipelineStatus>[] {
  const count = (title: string, of: (status: PipelineStatus) => number): Column<PipelineStatus> => ({
    title,
    value: (status) => String(of(status)),
    align: 'right',
  });
  return [
    { title: 'Pipeline', value: ({ id }) => id },
    { title: 'Kind', value: ({ kind }) => kind },
    {
      title: 'State',
      value: ({ state }) => state,
      style: (cell, { state }) => (state === 'failing' ? terminal.style('red', cell) : cell),
    },
    { title: 'Last run', value: ({ lastRun }) => distanceWords(lastRun?.startedAt ?? null, now) },
    { title: 'Next run', value: ({ nextRunAt }) => distanceWords(nextRunAt, now) },
    count('Open', ({ counts: { byState } }) => byState.waiting + byState.deferred + byState.accepted),
    count('Published', ({ counts }) => counts.byState.published),
    count('Rejected', ({ counts }) => counts.byState.rejected),
    count('Failed', ({ counts }) => counts.byState.failed),
    {
      ...count('Parked', ({ counts }) => counts.byState.parked),
      style: (cell, { counts }) => (counts.byState.parked > 0 ? terminal.style('yellow', cell) : cell),
    },
    { title: 'Schedule', value: ({ schedule }) => schedule ?? 'by hand', shrinks: true },
  ];
}

function sourceColumns(terminal: Terminal, now: number): Column<SourceStatus>[] {
  return [
    { title: 'Source', value: ({ id }) => id },
    { title: 'Kind', value: ({ kind }) => kind },
    { title: 'Last read', value: ({ record }) => distanceWords(record?.lastSuccessAt ?? null, now) },
    { title: 'Items', value: ({ record }) => String(record?.itemsSeen ?? 0), align: 'right' },
    {
      title: 'Trouble',
      value: ({ record }) => troubleWords(record),
      style: (cell) => terminal.style('yellow', cell),
      shrinks: true,
    },
  ];
}

function troubleWords(record: SourceStatus['record']): string {
  if (!record?.lastTrouble || record.failuresInARow === 0) return '';
  const { why, detail } = record.lastTrouble;
  return `${plainWords(why)} (${record.failuresInARow}×): ${detail}`;
}
