import type { Command } from 'commander';
import type { StoreUsage } from '../../app/engine.ts';
import type { Config } from '../../config/config.ts';
import type { JudgeSpend } from '../../judge/judge.ts';
import type { PipelineStatus } from '../../server/http/newsroom.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import type { StorySetStatus } from '../../stories/story-service.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { checkRecordedTimes, describeEmbedder } from '../doctor-checks.ts';
import { EXIT } from '../errors.ts';
import {
  type Column,
  formatDollars,
  formatName,
  formatRelativeTime,
  formatTable,
  sanitise,
} from '../format.ts';
import { noteMissingSecrets } from '../missing-secrets.ts';
import type { Terminal } from '../terminal.ts';

/** `status`: state of pipelines and sources, and use of the judges' budgets. */
export function statusCommand(deps: CommandDependencies): Command {
  return defineCommand('status', 'show what each pipeline, source and remote judge is doing').action(
    action(deps, (terminal, options: GlobalOptions) =>
      withAppForReading(
        deps.context,
        options,
        async ({ config, newsroom, engine, stories: storyService, futureTimestamps }, missing) => {
          const [pipelines, sources, judges, readiness, usage, stories, future] = await Promise.all([
            newsroom.pipelines('owner'),
            newsroom.sources('owner'),
            newsroom.judges(),
            newsroom.readiness(),
            engine.usageToday?.(),
            storyService?.status(),
            futureTimestamps(),
          ]);
          if (options.json)
            terminal.json({
              info: newsroom.info,
              pipelines,
              sources,
              judges,
              embedder: embedderOf(config),
              readiness,
              usage,
              stories,
              future,
            });
          else {
            const embedder = describeEmbedder(config);
            printStatus(terminal, { pipelines, sources, judges, embedder, usage, stories }, Date.now());
          }
          const times = checkRecordedTimes(future, Date.now());
          if (times.state !== 'good') terminal.note(`\n${times.what}: ${times.detail}.`);
          noteMissingSecrets(terminal, missing);
          if (readiness.ready) return EXIT.ok;
          for (const [name, part] of Object.entries(readiness.parts))
            if (!part.ok)
              terminal.note(`${name} is not ready${part.detail === undefined ? '' : `: ${part.detail}`}`);
          return EXIT.unavailable;
        },
      ),
    ),
  );
}

function embedderOf({ embedder }: Config): { readonly kind: string; readonly model: string } | null {
  return embedder === undefined ? null : { kind: embedder.kind, model: embedder.model };
}

interface StatusReport {
  readonly pipelines: readonly PipelineStatus[];
  readonly sources: readonly SourceStatus[];
  readonly judges: readonly JudgeSpend[];
  readonly embedder: string;
  readonly usage: StoreUsage | undefined;
  readonly stories: readonly StorySetStatus[] | undefined;
}

function printStatus(terminal: Terminal, shown: StatusReport, now: number): void {
  const { pipelines, sources, judges, embedder, usage, stories } = shown;
  const dim = (title: string): string => terminal.style('dim', title);
  if (pipelines.length === 0) terminal.out('There are no pipelines.');
  else terminal.out(formatTable(pipelines, pipelineColumns(terminal, now), terminal.width, dim));
  for (const { id, detail } of pipelines) if (detail !== null) terminal.out(`${id}: ${detail}`);
  const parked = pipelines.filter(({ counts }) => counts.byState.parked > 0);
  if (parked.length > 0)
    terminal.note(
      '\nParked items need a decision: kawaraban items --state parked, then kawaraban explain, retry or resolve.',
    );
  if (sources.length > 0)
    terminal.out(`\n${formatTable(sources, sourceColumns(terminal, now), terminal.width, dim)}`);
  if (judges.length > 0)
    terminal.out(`\n${formatTable(judges, judgeColumns(terminal), terminal.width, dim)}`);
  for (const { judge, trouble } of judges)
    if (trouble !== null)
      terminal.out(
        terminal.style(
          'yellow',
          sanitise(
            `${judge}: ${formatName(trouble.why)} (${formatRelativeTime(trouble.at, now)}): ${trouble.detail}`,
          ),
        ),
      );
  terminal.out(`\n${dim('Same story:')} ${sanitise(embedder)}`);
  if (stories !== undefined)
    terminal.out(`\n${formatTable(stories, storyColumns(now), terminal.width, dim)}`);
  if (usage !== undefined) terminal.out(`\n${usageText(usage)}`);
}

/** Today's use of Firestore against its free tier (A19). */
function usageText({ used, free }: StoreUsage): string {
  const of = (what: keyof StoreUsage['used']): string =>
    `${used[what].toLocaleString('en')} of ${free[what].toLocaleString('en')} ${what}`;
  return `Firestore today: ${of('reads')}, ${of('writes')}, ${of('deletes')} of the free tier`;
}

/** Each set of stories: last result and cost of its worker, and the cost of reading. */
function storyColumns(now: number): Column<StorySetStatus>[] {
  const figure = (title: string, of: (status: StorySetStatus) => number): Column<StorySetStatus> => ({
    title,
    value: (status) => of(status).toLocaleString('en'),
    align: 'right',
  });
  return [
    { title: 'Stories', value: ({ title }) => title },
    { title: 'Last run', value: ({ lastRun }) => formatRelativeTime(lastRun?.startedAt ?? null, now) },
    { title: 'Result', value: ({ lastRun }) => lastRun?.summary ?? lastRun?.outcome ?? '', shrinks: true },
    figure('Run reads', ({ lastRun }) => lastRun?.counts.reads ?? 0),
    figure('Run writes', ({ lastRun }) => lastRun?.counts.writes ?? 0),
    figure('Requests today', ({ today }) => today.requests),
    figure('Request reads', ({ today }) => today.reads),
    figure('Request writes', ({ today }) => today.writes),
  ];
}

/** Use of a budget and its limit. */
function judgeColumns(terminal: Terminal): Column<JudgeSpend>[] {
  const column = (
    title: string,
    of: (judge: JudgeSpend) => readonly [spent: number, limit: number | undefined],
    words: (n: number) => string = String,
  ): Column<JudgeSpend> => ({
    title,
    value: (judge) => {
      const [spent, limit] = of(judge);
      return limit === undefined ? words(spent) : `${words(spent)} of ${words(limit)}`;
    },
    align: 'right',
    style: (cell, judge) => {
      const [spent, limit] = of(judge);
      return limit !== undefined && spent >= limit ? terminal.style('yellow', cell) : cell;
    },
  });
  return [
    { title: 'Judge', value: ({ judge }) => judge, shrinks: true },
    column('Calls in a minute', ({ lastMinute, limits }) => [lastMinute.calls, limits.callsPerMinute]),
    column('Calls today', ({ today, limits }) => [today.calls, limits.callsPerDay]),
    column('Tokens today', ({ today, limits }) => [today.tokens, limits.tokensPerDay]),
    column('Spent today', ({ today, limits }) => [today.microUsd, limits.microUsdPerDay], formatDollars),
  ];
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
    { title: 'Last run', value: ({ lastRun }) => formatRelativeTime(lastRun?.startedAt ?? null, now) },
    { title: 'Next run', value: ({ nextRunAt }) => formatRelativeTime(nextRunAt, now) },
    { title: 'Oldest', value: ({ counts }) => formatRelativeTime(counts.oldestOpen, now) },
    count('Leased', ({ counts }) => counts.leased),
    count('Open', ({ counts: { byState } }) => byState.waiting + byState.deferred + byState.accepted),
    count('Published', ({ counts }) => counts.byState.published),
    count('Rejected', ({ counts }) => counts.byState.rejected),
    count('Failed', ({ counts }) => counts.byState.failed),
    {
      ...count('Parked', ({ counts }) => counts.byState.parked),
      style: (cell, { counts }) => (counts.byState.parked > 0 ? terminal.style('yellow', cell) : cell),
    },
    { title: 'Schedule', value: ({ schedule }) => schedule ?? 'manual', shrinks: true },
  ];
}

function sourceColumns(terminal: Terminal, now: number): Column<SourceStatus>[] {
  return [
    { title: 'Source', value: ({ id }) => id },
    { title: 'Kind', value: ({ kind }) => kind },
    { title: 'Last read', value: ({ record }) => formatRelativeTime(record?.lastSuccessAt ?? null, now) },
    { title: 'Items', value: ({ record }) => String(record?.itemsSeen ?? 0), align: 'right' },
    {
      title: 'Last failure',
      value: ({ record }) => failureText(record),
      style: (cell) => terminal.style('yellow', cell),
      shrinks: true,
    },
  ];
}

function failureText(record: SourceStatus['record']): string {
  if (!record?.lastTrouble || record.failuresInARow === 0) return '';
  const { why, detail } = record.lastTrouble;
  return `${formatName(why)} (${record.failuresInARow}×): ${detail}`;
}
