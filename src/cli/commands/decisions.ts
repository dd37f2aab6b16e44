import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import type { LifecycleEvent } from '../../item/lifecycle.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions, withApp } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { formatCount, sanitise } from '../format.ts';
import { type FoundItem, findItem } from '../lookup.ts';
import type { Terminal } from '../terminal.ts';

interface DecisionOptions extends GlobalOptions {
  readonly pipeline?: string;
  readonly because?: string;
}

/** `retry <item>`: retries an item that was rejected, failed, deferred or parked. */
export function retryCommand(deps: CommandDependencies): Command {
  return decision(
    deps,
    'retry',
    'retry an item that was deferred, rejected, failed or parked',
    async (found) => {
      const answer = await found.pipeline.retryItem(found.item.key, personName());
      const resent = await decideMessages(found, 'again');
      if (!answer.done && resent === 0) throw new CommandError(`nothing was changed: ${answer.why}`);
      const messages = resent === 0 ? [] : [`${formatCount(resent, 'message')} will be sent again`];
      return `"${sanitise(found.item.title)}": ${[...(answer.done ? ['queued for a retry'] : []), ...messages].join(', ')}.`;
    },
  );
}

/** `park <item>`: stops work on an item until an operator decides. */
export function parkCommand(deps: CommandDependencies): Command {
  return decision(
    deps,
    'park',
    'park an item: nothing is done with it until you decide',
    async (found, { because }) => {
      const detail = because === undefined ? {} : { detail: because };
      return `${await decide(found, { type: 'park', reason: 'by_person', ...detail })} is parked.`;
    },
  );
}

/** `resolve <item> sent|drop`: an operator's decision about a message whose delivery is unknown. */
export function resolveCommand(deps: CommandDependencies): Command {
  return defineCommand('resolve', 'resolve a parked item: mark it as sent, or drop it')
    .argument('<item>', 'its address, or a part of its title')
    .addOption(new Option('--as <outcome>', 'the outcome').choices(['sent', 'dropped']).makeOptionMandatory())
    .option('-p, --pipeline <id>', 'in this pipeline')
    .action(
      action(
        deps,
        (terminal, options: DecisionOptions & { readonly as: 'sent' | 'dropped' }, words: string) =>
          withApp(deps.context, options, async (app) => {
            const found = await findItem(app, words, options.pipeline);
            const sent = options.as === 'sent';
            const title = await decide(found, { type: sent ? 'markSent' : 'drop' });
            await decideMessages(found, sent ? 'sent' : 'drop');
            return printDecision(
              terminal,
              options,
              found,
              `${title} is marked as ${sent ? 'published' : 'dropped'}.`,
            );
          }),
      ),
    );
}

function decision(
  deps: CommandDependencies,
  name: string,
  about: string,
  work: (found: FoundItem, options: DecisionOptions) => Promise<string>,
): Command {
  return defineCommand(name, about)
    .argument('<item>', 'its address, or a part of its title')
    .option('-p, --pipeline <id>', 'in this pipeline')
    .option('-b, --because <words>', 'your reason, kept in its history')
    .action(
      action(deps, (terminal, options: DecisionOptions, words: string) =>
        withApp(deps.context, options, async (app) => {
          const found = await findItem(app, words, options.pipeline);
          return printDecision(terminal, options, found, await work(found, options));
        }),
      ),
    );
}

async function decide({ pipeline, item }: FoundItem, event: LifecycleEvent): Promise<string> {
  const answer = await pipeline.ledger.intervene(item.key, event, personName());
  if (!answer.done) throw new CommandError(`nothing was changed: ${answer.why}`, EXIT.failure);
  return `"${sanitise(item.title)}"`;
}

/** Decides the parked and refused messages of an item; returns how many. */
async function decideMessages(
  { pipeline, item }: FoundItem,
  answer: 'sent' | 'again' | 'drop',
): Promise<number> {
  let decided = 0;
  for (const { key, state } of await pipeline.outbox.ofItem(item.key))
    if (state === 'parked' || state === 'refused')
      decided += Number(await pipeline.decideMessage(key, answer, personName()));
  return decided;
}

function printDecision(
  terminal: Terminal,
  options: GlobalOptions,
  { pipeline, item }: FoundItem,
  words: string,
): typeof EXIT.ok {
  if (options.json) terminal.json({ pipeline: pipeline.id, key: item.key, done: words });
  else terminal.out(words);
  return EXIT.ok;
}

export function personName(): string {
  try {
    return `${userInfo().username} (command line)`;
  } catch {
    return 'unknown user (command line)';
  }
}
