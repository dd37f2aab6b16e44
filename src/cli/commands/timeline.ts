import { type Command, InvalidArgumentError } from 'commander';
import type { TimelineChoice, TimelineState } from '../../app/timeline-desk.ts';
import type { App } from '../../app.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { orRefuse, userNamed } from '../find-user.ts';
import { Progress } from '../progress.ts';
import { RefusalError } from '../refusal.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { harmless } from '../width.ts';
import { withApp } from '../with-app.ts';
import { countWords, distanceWords } from '../words.ts';

interface ShowOptions extends EveryOption {
  readonly limit: number;
}

interface WhichOptions extends EveryOption {
  readonly all?: boolean;
}

/** `timeline show|rebuild|clear`: what operators can do with timelines (C26). */
export function timelineCommand(parts: CommandParts): Command {
  return commandNamed('timeline', 'see one user’s timeline, or clear and rebuild timelines')
    .helpCommand(false)
    .addCommand(showCommand(parts))
    .addCommand(againCommand(parts, 'rebuild', 'let go of timelines and read them anew at once'))
    .addCommand(againCommand(parts, 'clear', 'let go of timelines; they are read anew when somebody asks'));
}

function showCommand(parts: CommandParts): Command {
  return commandNamed('show', 'show how it stands with one user: follows, what is at hand, the newest drops')
    .argument('<user>', 'whose, by name or ID')
    .option('-l, --limit <number>', 'how many drops, 1 to 100', limit, 10)
    .action(
      action(parts, (terminal, options: ShowOptions, name: string) =>
        withApp(parts.house, options, async (app) => {
          const { id } = await userNamed(app, name);
          const state = await orRefuse(app.timelines.show(id, options.limit));
          if (state === null) throw new RefusalError(`there is no user "${name}"`, EXIT.notFound);
          if (options.json) terminal.json(state);
          else tell(terminal, state);
          return EXIT.ok;
        }),
      ),
    );
}

function againCommand(parts: CommandParts, what: 'rebuild' | 'clear', words: string): Command {
  return commandNamed(what, words)
    .argument('[timeline]', 'a user’s name or ID for that home, or local, or global')
    .option('--all', 'local, global and every home')
    .action(
      action(parts, (terminal, options: WhichOptions, named: string | undefined) =>
        withApp(parts.house, options, async (app) => {
          const which = await choiceOf(app, named, options.all ?? false);
          const progress = new Progress(terminal);
          let count: number | null;
          try {
            count = await orRefuse(
              app.timelines.clear(which, what === 'rebuild', (done) => progress.show('Timelines', done)),
            );
          } finally {
            progress.clear();
          }
          if (count === null)
            throw new RefusalError(
              'the timelines are in the memory of the newsroom that runs: start it anew, or keep them in Redis',
              EXIT.unavailable,
            );
          if (options.json) terminal.json({ [what === 'rebuild' ? 'rebuilt' : 'cleared']: count });
          else
            terminal.out(`${countWords(count, 'timeline')} ${what === 'rebuild' ? 'rebuilt' : 'cleared'}.`);
          return EXIT.ok;
        }),
      ),
    );
}

async function choiceOf(app: App, named: string | undefined, all: boolean): Promise<TimelineChoice> {
  if (all && named === undefined) return 'all';
  if (all || named === undefined)
    throw new RefusalError('name a user, or local, or global; or write --all', EXIT.usage);
  return named === 'local' || named === 'global' ? named : { homeOf: await userNamed(app, named) };
}

function tell(terminal: Terminal, state: TimelineState): void {
  const { user, followers, following, blocked, kept, elsewhere, newest } = state;
  terminal.out(
    terminal.style('bold', `${harmless(user.displayName)} (${harmless(user.name)}, ${user.kind})`),
  );
  terminal.out(`  ID         ${user.id}`);
  terminal.out(
    `  Follows    ${following}; followed by ${followers}${blocked > 0 ? `; has blocked ${blocked}` : ''}`,
  );
  const home =
    kept !== null
      ? `${countWords(kept, 'drop')} at hand`
      : elsewhere
        ? 'in the memory of the newsroom that runs'
        : 'not at hand: read anew when somebody asks';
  terminal.out(`  Home       ${home}`);
  if (newest.length === 0) {
    terminal.out('\nThere are no drops in it.');
    return;
  }
  const now = Date.now();
  terminal.out(
    `\n${table(
      newest,
      [
        { title: 'Posted', value: ({ createdAt }) => distanceWords(createdAt, now) },
        { title: 'Who sees it', value: (drop) => ('visibility' in drop ? drop.visibility : 'not known') },
        {
          title: 'Drop',
          value: (drop) => ('text' in drop ? harmless(drop.title ?? drop.text) : ''),
          shrinks: true,
        },
        { title: 'ID', value: ({ id }) => id },
      ],
      terminal.width,
      (title) => terminal.style('dim', title),
    )}`,
  );
}

function limit(written: string): number {
  const n = Number(written);
  if (!Number.isInteger(n) || n < 1 || n > 100)
    throw new InvalidArgumentError('Write a whole number from 1 to 100.');
  return n;
}
