import type { Command } from 'commander';
import type { SweepReport } from '../../ledger/ledger.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { pipelinesOf } from '../find-item.ts';
import { Progress } from '../progress.ts';
import { Stopping } from '../stopping.ts';
import { table } from '../table.ts';
import { withApp } from '../with-app.ts';

interface SweepOptions extends EveryOption {
  readonly pipeline?: string;
  readonly dryRun?: boolean;
}

/** `sweep`: removes what is older than its keep time, now. */
export function sweepCommand(parts: CommandParts): Command {
  return commandNamed('sweep', 'remove items that are older than their keep time')
    .option('-p, --pipeline <id>', 'only in this pipeline')
    .option('-n, --dry-run', 'count them and remove nothing')
    .action(
      action(parts, (terminal, options: SweepOptions) =>
        withApp(parts.house, options, async (app) => {
          const stopping = new Stopping(terminal);
          const progress = new Progress(terminal);
          const reports: ({ pipeline: string } & SweepReport)[] = [];
          try {
            for (const pipeline of pipelinesOf(app, options.pipeline)) {
              const report = await pipeline.sweep({
                dryRun: options.dryRun ?? false,
                onProgress: (done) => progress.show(`Sweeping ${pipeline.id}`, done),
                signal: stopping.signal,
              });
              reports.push({ pipeline: pipeline.id, ...report });
              if (stopping.signal.aborted) break;
            }
          } finally {
            progress.clear();
            stopping[Symbol.dispose]();
          }
          if (options.json) terminal.json(reports);
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
