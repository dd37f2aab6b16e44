import type { Command } from 'commander';
import type { PressTest } from '../../app/press-test.ts';
import { suggestion } from '../../config/nearest.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { pipelineNamed } from '../find-item.ts';
import { readableBody } from '../messages.ts';
import { Progress } from '../progress.ts';
import { RefusalError } from '../refusal.ts';
import { Stopping } from '../stopping.ts';
import { withApp } from '../with-app.ts';
import { countWords, momentWords } from '../words.ts';

/** `press preview <pipeline>` and `press test <destination>`. */
export function pressCommand(parts: CommandParts): Command {
  return commandNamed('press', 'see messages before they go out (preview), or send a marked one (test)')
    .helpCommand(false)
    .addCommand(previewCommand(parts))
    .addCommand(testCommand(parts));
}

function previewCommand(parts: CommandParts): Command {
  return commandNamed('preview', 'show the exact messages that a run would send now; nothing is sent')
    .argument('<pipeline>', 'ID of the pipeline')
    .action(
      action(parts, (terminal, options: EveryOption, id: string) =>
        withApp(parts.house, options, async (app) => {
          const pipeline = pipelineNamed(app, id);
          const stopping = new Stopping(terminal);
          const progress = new Progress(terminal);
          try {
            const { messages, report } = await pipeline.preview(stopping.signal, ({ stage, done }) =>
              progress.show(stage === 'sources' ? 'Reading sources' : 'Deciding', done),
            );
            progress.clear();
            if (options.json) terminal.json({ pipeline: id, messages, notes: report.notes });
            else {
              for (const { destination, body } of messages)
                terminal.out(`${terminal.style('bold', `To ${destination}:`)}\n${readableBody(body)}\n`);
              for (const note of report.notes) terminal.note(note);
              terminal.note(
                `${messages.length === 0 ? 'No message' : countWords(messages.length, 'message')} would be sent now. Nothing was written or sent.`,
              );
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

function testCommand(parts: CommandParts): Command {
  return commandNamed('test', 'send one message, marked as a test, and say what came back')
    .argument('<destination>', 'ID of a publisher')
    .action(
      action(parts, (terminal, options: EveryOption, destination: string) =>
        withApp(parts.house, options, async (app) => {
          const known = Object.keys(app.config.publishers);
          if (!known.includes(destination))
            throw new RefusalError(
              `there is no destination \`${destination}\`: ${suggestion(destination, known)}`,
              EXIT.notFound,
            );
          const stopping = new Stopping(terminal);
          try {
            const test = await app.testPress(destination, stopping.signal);
            if (options.json) terminal.json(test);
            else terminal.out(answerWords(test));
            return exitOf(test.answer.outcome);
          } finally {
            stopping[Symbol.dispose]();
          }
        }),
      ),
    );
}

function answerWords({ destination, answer }: PressTest): string {
  switch (answer.outcome) {
    case 'sent':
      return `${destination} took the test message: ${answer.remoteId}${answer.url === undefined ? '' : ` at ${answer.url}`}.`;
    case 'refused':
      return `${destination} refused the test message: ${answer.detail}`;
    case 'held':
      return `${destination} takes nothing now${answer.until === null ? '' : ` (until ${momentWords(answer.until)})`}: ${answer.detail}`;
    case 'unknown':
      return `${destination} gave no clear answer; look there whether the test message arrived: ${answer.detail}`;
  }
}

function exitOf(outcome: PressTest['answer']['outcome']): ExitCode {
  if (outcome === 'sent') return EXIT.ok;
  return outcome === 'refused' ? EXIT.failure : EXIT.unavailable;
}
