import type { Command } from 'commander';
import type { Swept } from '../../app/retention.ts';
import type { SweepReport } from '../../ledger/ledger.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { pipelineNamed } from '../find-item.ts';
import { Progress } from '../progress.ts';
import { RefusalError } from '../refusal.ts';
import { Stopping } from '../stopping.ts';
import { table } from '../table.ts';
import { withApp } from '../with-app.ts';
import { countWords } from '../words.ts';

interface SweepOptions extends EveryOption {
  readonly pipeline?: string;
  readonly dryRun?: boolean;
}

/** `sweep`: removes what is older than its keep time, now. */
export function sweepCommand(parts: CommandParts): Command {
  return commandNamed(
    'sweep',
    'remove items that are older than their keep time, and what judges remember of them',
  )
    .option('-p, --pipeline <id>', 'only in this pipeline')
    .option('-n, --dry-run', 'count them and remove nothing')
    .action(
      action(parts, (terminal, options: SweepOptions) =>
        withApp(parts.house, options, async (app) => {
          if (options.pipeline !== undefined) pipelineNamed(app, options.pipeline);
          const stopping = new Stopping(terminal);
          const progress = new Progress(terminal);
          let swept: Swept | null;
          try {
            swept = await app.retention.sweep(
              {
                dryRun: options.dryRun ?? false,
                onProgress: (pipeline, done) => progress.show(`Sweeping ${pipeline}`, done),
                ...(options.pipeline !== undefined && { pipeline: options.pipeline }),
              },
              stopping.signal,
            );
          } finally {
            progress.clear();
            stopping[Symbol.dispose]();
          }
          if (swept === null)
            throw new RefusalError(
              'nothing was swept: another sweep is under way, here or in the running newsroom',
              EXIT.unavailable,
            );
          const { pipelines: reports, judges } = swept;
          if (options.json) terminal.json(swept);
          else
            terminal.out(
              table(
                reports,
                [
                  { title: 'Pipeline', value: ({ pipeline }) => pipeline, shrinks: true },
                  { title: options.dryRun ? 'Would go' : 'Removed', value: sweptWords, shrinks: true },
                  {
                    title: 'Tombstones removed',
                    value: (report) => String(report.tombstonesRemoved),
                    align: 'right',
                  },
                ],
                terminal.width,
                (title) => terminal.style('dim', title),
              ),
            );
          if (judges !== null && !options.json && judges.calls + judges.verdicts > 0)
            terminal.out(
              `Judges forgot ${countWords(judges.verdicts, 'verdict')} and ${countWords(judges.calls, 'call')}.`,
            );
          const complete = reports.every((report) => report.complete);
          if (!complete) terminal.note('Stopped before the end; the next sweep goes on from there.');
          return complete ? EXIT.ok : EXIT.failure;
        }),
      ),
    );
}

function sweptWords({ swept }: SweepReport): string {
  const words = Object.entries(swept)
    .filter(([, n]) => n > 0)
    .map(([state, n]) => `${n} ${state}`);
  return words.length > 0 ? words.join(', ') : 'nothing';
}
