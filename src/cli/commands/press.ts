import type { Command } from 'commander';
import { suggestion } from '../../config/problems.ts';
import type { TestMessageResult } from '../../publishers/test-message.ts';
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
import { formatCount, formatMoment } from '../format.ts';
import { findPipeline } from '../lookup.ts';
import { noteMissingSecrets, requireJudgeKey } from '../missing-secrets.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { Progress } from '../terminal.ts';

/** `press preview <pipeline>` and `press test <destination>`. */
export function pressCommand(deps: CommandDependencies): Command {
  return defineCommand('press', 'preview messages (preview), or send one marked as a test (test)')
    .helpCommand(false)
    .addCommand(previewCommand(deps))
    .addCommand(testCommand(deps));
}

function previewCommand(deps: CommandDependencies): Command {
  return defineCommand('preview', 'show the exact messages that a run would send now; nothing is sent')
    .argument('<pipeline>', 'ID of the pipeline')
    .action(
      action(deps, (terminal, options: GlobalOptions, id: string) =>
        withAppForReading(deps.context, options, async (app, missing) => {
          const pipeline = findPipeline(app, id);
          requireJudgeKey(app.config, id, missing);
          const stopping = new ShutdownSignal(terminal);
          const progress = new Progress(terminal);
          try {
            const { messages, report } = await pipeline.preview(stopping.signal, ({ stage, done }) =>
              progress.show(stage === 'sources' ? 'Reading sources' : 'Deciding', done),
            );
            progress.clear();
            if (options.json) terminal.json({ pipeline: id, messages, notes: report.notes });
            else {
              for (const { destination, body } of messages)
                terminal.out(
                  `${terminal.style('bold', `To ${destination}:`)}\n${drawMessage(terminal, app.config.publishers[destination]?.kind, body)}\n`,
                );
              for (const note of report.notes) terminal.note(note);
              terminal.note(
                `${messages.length === 0 ? 'No message' : formatCount(messages.length, 'message')} would be sent now. Nothing was written or sent.`,
              );
              noteMissingSecrets(terminal, missing);
            }
            return EXIT.ok;
          } finally {
            progress.clear();
            stopping[Symbol.dispose]();
          }
        }),
      ),
    );
}

function testCommand(deps: CommandDependencies): Command {
  return defineCommand('test', 'send one message, marked as a test, and print the response')
    .argument('<destination>', 'ID of a publisher')
    .action(
      action(deps, (terminal, options: GlobalOptions, destination: string) =>
        withApp(deps.context, options, async (app) => {
          const known = Object.keys(app.config.publishers);
          if (!known.includes(destination))
            throw new CommandError(
              `there is no destination \`${destination}\`: ${suggestion(destination, known)}`,
              EXIT.notFound,
            );
          const stopping = new ShutdownSignal(terminal);
          try {
            const test = await app.sendTestMessage(destination, stopping.signal);
            if (options.json) terminal.json(test);
            else terminal.out(formatAnswer(test));
            return exitOf(test.answer.outcome);
          } finally {
            stopping[Symbol.dispose]();
          }
        }),
      ),
    );
}

function formatAnswer({ destination, answer }: TestMessageResult): string {
  switch (answer.outcome) {
    case 'sent':
      return `${destination} accepted the test message: ${answer.remoteId}${answer.url === undefined ? '' : ` at ${answer.url}`}.`;
    case 'refused':
      return `${destination} refused the test message: ${answer.detail}`;
    case 'held':
      return `${destination} accepts no messages at the moment${answer.until === null ? '' : ` (until ${formatMoment(answer.until)})`}: ${answer.detail}`;
    case 'unknown':
      return `${destination} gave no clear answer; check there whether the test message arrived: ${answer.detail}`;
  }
}

function exitOf(outcome: TestMessageResult['answer']['outcome']): ExitCode {
  if (outcome === 'sent') return EXIT.ok;
  return outcome === 'refused' ? EXIT.failure : EXIT.unavailable;
}
