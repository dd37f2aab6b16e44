import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import type { Problem } from '../../config/problems.ts';
import { findEmptyLedgers } from '../../pipelines/renamed-pipelines.ts';
import {
  failedSourceLine,
  type ItemOutcome,
  type Outcome,
  type RunProgress,
  type RunReport,
  type Unfinished,
} from '../../scheduler/run-report.ts';
import { formatDuration } from '../../time/duration.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withApp,
  withAppForReading,
} from '../command.ts';
import { drawMessage } from '../draw-message.ts';
import { CommandError, EXIT, type ExitCode } from '../errors.ts';
import { formatCount, formatTable, sanitise } from '../format.ts';
import { findPipeline } from '../lookup.ts';
import { noteMissingSecrets, requireJudgeKey } from '../missing-secrets.ts';
import { ShutdownSignal } from '../shutdown.ts';
import type { Terminal } from '../terminal.ts';
import { Progress } from '../terminal.ts';

const MAX_UNFINISHED_SHOWN = 50;

interface RunOptions extends GlobalOptions {
  readonly dryRun?: boolean;
  readonly ifDue?: boolean;
  readonly fresh?: boolean;
}

/** `run <pipeline>`: one run now, regardless of the schedule. */
export function runCommand(deps: CommandDependencies): Command {
  return defineCommand('run', 'run one pipeline once, now')
    .argument('<pipeline>', 'ID of the pipeline')
    .option('-n, --dry-run', 'show what would be posted; write and send nothing')
    .option('--fresh', 'read its sources first, also those that are not due yet')
    .option(
      '--if-due',
      'only if its last scheduled run has not been done yet; for jobs that may be started twice',
    )
    .action(
      action(deps, (terminal, options: RunOptions, id: string) =>
        options.dryRun
          ? withAppForReading(deps.context, options, (app, missing) =>
              dryRun(terminal, app, missing, id, options),
            )
          : withApp(deps.context, options, (app) => runNow(terminal, app, id, options)),
      ),
    );
}

async function dryRun(
  terminal: Terminal,
  app: App,
  missing: readonly Problem[],
  id: string,
  { json }: RunOptions,
): Promise<ExitCode> {
  const pipeline = findPipeline(app, id);
  requireJudgeKey(app.config, id, missing);
  await noteEmptyLedgers(terminal, app, id);
  const { report, messages } = await withProgress(terminal, (signal, watch) =>
    pipeline.preview(signal, watch),
  );
  if (json) terminal.json({ report, messages });
  else {
    printReport(terminal, report, []);
    if (pipeline.kind === 'process') terminal.out('A dry run does not run the command of a processor.');
    for (const { destination, body } of messages)
      terminal.out(
        `\n${terminal.style('bold', `Would be sent to ${destination}:`)}\n${drawMessage(terminal, app.config.publishers[destination]?.kind, body)}`,
      );
  }
  noteMissingSecrets(terminal, missing);
  return EXIT.ok;
}

async function runNow(terminal: Terminal, app: App, id: string, options: RunOptions): Promise<ExitCode> {
  const pipeline = findPipeline(app, id);
  await noteEmptyLedgers(terminal, app, id);
  if (options.ifDue) return withProgress(terminal, (signal) => runIfDue(terminal, app, id, options, signal));
  const { fresh = false } = options;
  const result = await withProgress(terminal, (signal, watch) => pipeline.run(signal, watch, { fresh }));
  if (!result.ran) throw new CommandError(`${id} was not run: ${result.why}`, EXIT.unavailable);
  const { report } = result;
  // Such a run only enqueues; a worker in another process does the work.
  const unfinished = pipeline.kind === 'process' ? await pipeline.unfinished(MAX_UNFINISHED_SHOWN) : null;
  const toDo = adviceFor(report);
  if (options.json) terminal.json({ ...report, toDo, ...(unfinished !== null && { unfinished }) });
  else {
    if (unfinished !== null) printUnfinished(terminal, unfinished);
    printReport(terminal, report, toDo);
  }
  return exitCodeOf(report);
}

async function noteEmptyLedgers(terminal: Terminal, app: App, id: string): Promise<void> {
  for (const { detail, cure } of await findEmptyLedgers(app.config, app.engine.runs, id))
    terminal.note(`${detail}\n    → ${cure}`);
}

/** Shows progress and handles Ctrl-C while it works. */
async function withProgress<Result>(
  terminal: Terminal,
  work: (signal: AbortSignal, watch: (step: RunProgress) => void) => Promise<Result>,
): Promise<Result> {
  const stopping = new ShutdownSignal(terminal);
  const progress = new Progress(terminal);
  try {
    return await work(stopping.signal, (step) => progress.show(stepWords(step), step.done));
  } finally {
    progress.clear();
    stopping[Symbol.dispose]();
  }
}

/** For an external scheduler, such as a Cloud Run job. */
async function runIfDue(
  terminal: Terminal,
  app: App,
  id: string,
  { json }: RunOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const result = await app.runIfDue(id, null, signal);
  await findPipeline(app, id).dispatch(signal);
  if (json) terminal.json({ pipeline: id, ...result });
  else if (result?.outcome === 'ran') terminal.out(result.summary);
  else terminal.out(`${id} was not run: ${result?.outcome ?? 'there is no such pipeline'}.`);
  return ['ran', 'done already', 'paused'].includes(result?.outcome ?? '') ? EXIT.ok : EXIT.unavailable;
}

function stepWords(step: RunProgress): string {
  return step.stage === 'sources'
    ? 'Reading sources'
    : `Deciding ${step.item === undefined ? '' : step.item.title}`;
}

function printReport(terminal: Terminal, report: RunReport, toDo: readonly string[]): void {
  if (report.items.length > 0) terminal.out(outcomesTable(terminal, report.items));
  // In full: the table may have truncated them.
  const notRead = report.failedSources.map(failedSourceLine);
  for (const line of [...notRead, ...report.troubles, ...report.notes, ...toDo]) terminal.out(sanitise(line));
  const failed = report.sourcesFailed > 0 ? `, ${report.sourcesFailed} failed` : '';
  const decided = Object.entries(report.counts).map(([outcome, n]) => `${n} ${outcome}`);
  const items = `${formatCount(report.items.length, 'item')} decided${decided.length > 0 ? ` (${decided.join(', ')})` : ''}`;
  terminal.out(
    `${report.dryRun ? 'Nothing was written or sent. ' : ''}${formatCount(report.sourcesRead, 'source')} read${failed}, ${formatCount(report.admitted, 'new item')}, ${items}, in ${formatDuration(report.endedAt - report.startedAt)}.`,
  );
}

function outcomesTable(terminal: Terminal, items: readonly ItemOutcome[]): string {
  return formatTable(
    items,
    [
      { title: 'Outcome', value: (item) => item.outcome },
      {
        title: 'Score',
        value: (item) => (item.score === null ? '–' : String(item.score)),
        align: 'right',
      },
      { title: 'Title', value: (item) => item.title, shrinks: true },
      { title: 'Why', value: (item) => item.why, shrinks: true },
    ],
    terminal.width,
    (title) => terminal.style('dim', title),
  );
}

/** What to do about items that are not retried automatically. */
const ADVICE: Readonly<Partial<Record<Outcome, string>>> = {
  parked:
    'the reply was lost, so the delivery is unknown, and it is not sent again. Check the destination; then `kawaraban resolve <item> --as sent` if it arrived, otherwise `kawaraban retry <item>` to send it again or `kawaraban resolve <item> --as dropped`.',
  refused: 'the destination refuses the message. Fix the reported problem, then `kawaraban retry <item>`.',
  failed: 'not retried automatically. `kawaraban retry <item>` resets its attempts.',
};

function adviceFor({ counts }: RunReport): string[] {
  return Object.entries(ADVICE).flatMap(([outcome, advice]) => {
    const n = counts[outcome as Outcome] ?? 0;
    return n === 0 ? [] : [`${n} ${outcome}: ${advice}`];
  });
}

/** A run fails if items need attention or if every source failed. */
function exitCodeOf({ counts, sourcesRead, sourcesFailed }: RunReport): ExitCode {
  if (sourcesRead === 0 && sourcesFailed > 0) return EXIT.unavailable;
  return Object.keys(ADVICE).some((outcome) => counts[outcome as Outcome]) ? EXIT.failure : EXIT.ok;
}

function printUnfinished(terminal: Terminal, { waiting, items }: Unfinished): void {
  if (items.length > 0) terminal.out(outcomesTable(terminal, items));
  if (waiting > 0)
    terminal.out(`${formatCount(waiting, 'item')} to be processed. A running \`kawaraban start\` does it.`);
}
