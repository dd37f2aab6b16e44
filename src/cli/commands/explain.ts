import type { Command } from 'commander';
import type { Item, Verdict } from '../../item/item.ts';
import type { ItemExplanation } from '../../server/newsroom.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { findItem } from '../find-item.ts';
import { RefusalError } from '../refusal.ts';
import type { Terminal } from '../terminal.ts';
import { harmless } from '../width.ts';
import { withApp } from '../with-app.ts';
import { momentWords, plainWords } from '../words.ts';

interface ExplainOptions extends EveryOption {
  readonly pipeline?: string;
}

/** `explain <item>`: everything that is known of one item, and why it is where it is (X4). */
export function explainCommand(parts: CommandParts): Command {
  return commandNamed('explain', 'tell the whole story of one item: when, why, by whom, posted where')
    .argument('<item>', 'its address, or a part of its title')
    .option('-p, --pipeline <id>', 'in this pipeline')
    .action(
      action(parts, (terminal, options: ExplainOptions, words: string) =>
        withApp(parts.house, options, async (app) => {
          const { pipeline, item } = await findItem(app, words, options.pipeline);
          const explanation = await app.newsroom.explain(pipeline.id, item.key, 'owner');
          if (explanation === null) throw new RefusalError(`${item.key} is gone`, EXIT.notFound);
          if (options.json) terminal.json(explanation);
          else tell(terminal, explanation);
          return EXIT.ok;
        }),
      ),
    );
}

function tell(terminal: Terminal, { pipeline, item, alsoSeenIn, told }: ItemExplanation): void {
  const line = (title: string, words: string): void =>
    terminal.out(`${terminal.style('dim', title.padEnd(10))} ${harmless(words)}`);
  terminal.out(terminal.style('bold', harmless(item.title)));
  line('Address', item.url);
  line('Pipeline', pipeline);
  line(
    'State',
    [item.state, item.reason === 'none' ? '' : plainWords(item.reason), item.detail ?? '']
      .filter(Boolean)
      .join(': '),
  );
  line(
    'Source',
    [item.sourceName, ...(alsoSeenIn.length > 0 ? [`also seen in ${alsoSeenIn.join(', ')}`] : [])].join('; '),
  );
  line('Published', momentWords(item.publishedAt));
  line('Attempts', String(item.attempts));
  if (item.dueAt !== null) line('Due', momentWords(item.dueAt));
  if (item.verdict !== null) tellVerdict(item, item.verdict, line);
  const past = told.flatMap(({ at, text }) =>
    at === null ? [] : [`  ${momentWords(at)}  ${harmless(text)}`],
  );
  const now = told.flatMap(({ at, text }) => (at === null ? [`  ${harmless(text)}`] : []));
  terminal.out([terminal.style('bold', '\nWhat happened'), ...past].join('\n'));
  terminal.out([terminal.style('bold', '\nNow'), ...now].join('\n'));
}

function tellVerdict({ state }: Item, verdict: Verdict, line: (title: string, words: string) => void): void {
  const score = verdict.score === null ? 'not scored' : `${verdict.score} of 100`;
  const topics = verdict.topics.length > 0 ? `, topics: ${verdict.topics.join(', ')}` : '';
  const again = state === 'published' ? '' : ', to be judged again';
  line('Verdict', `${score}${topics}${verdict.provisional ? ` (provisional${again})` : ''}`);
  line('By', `${verdict.judge} (${verdict.model}), ${momentWords(verdict.madeAt)}`);
  line('Because', verdict.reason);
  if (verdict.summary !== null) line('Summary', verdict.summary);
}
