import { text as readAll } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { App } from '../../app/app.ts';
import { newPersonalDrop } from '../../social/rules.ts';
import type { NewDrop } from '../../social/social-store.ts';
import type { TimelineChoice, TimelineState } from '../../timelines/timeline-admin.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withTimelines,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { formatCount, formatRelativeTime, formatTable, sanitise } from '../format.ts';
import { findUser, orCommandError } from '../lookup.ts';
import { Progress, type Terminal } from '../terminal.ts';

interface ShowOptions extends GlobalOptions {
  readonly limit: number;
}

interface WhichOptions extends GlobalOptions {
  readonly all?: boolean;
}

/** `timeline show|rebuild|clear`: what operators can do with timelines (C26). */
export function timelineCommand(deps: CommandDependencies): Command {
  return defineCommand('timeline', 'see one user’s timeline, or clear and rebuild timelines')
    .helpCommand(false)
    .addCommand(showCommand(deps))
    .addCommand(clearOrRebuildCommand(deps, 'rebuild', 'evict timelines and rebuild them at once'))
    .addCommand(clearOrRebuildCommand(deps, 'clear', 'evict timelines; they are rebuilt on the next read'));
}

function showCommand(deps: CommandDependencies): Command {
  return defineCommand('show', 'show one user’s timeline: follows, stored drops, the newest drops')
    .argument('<user>', 'name or ID of the user')
    .option('-l, --limit <number>', 'how many drops, 1 to 100', limit, 10)
    .action(
      action(deps, (terminal, options: ShowOptions, name: string) =>
        withTimelines(deps.context, options, async (app) => {
          const { id } = await findUser(app, name);
          const state = await orCommandError(app.timelineAdmin.show(id, options.limit));
          if (state === null) throw new CommandError(`there is no user "${name}"`, EXIT.notFound);
          if (options.json) terminal.json(state);
          else printTimeline(terminal, state);
          return EXIT.ok;
        }),
      ),
    );
}

function clearOrRebuildCommand(deps: CommandDependencies, what: 'rebuild' | 'clear', words: string): Command {
  return defineCommand(what, words)
    .argument('[timeline]', 'a user’s name or ID for that home, or local, or global')
    .option('--all', 'local, global and every home')
    .action(
      action(deps, (terminal, options: WhichOptions, named: string | undefined) =>
        withTimelines(deps.context, options, async (app) => {
          const which = await choiceOf(app, named, options.all ?? false);
          const progress = new Progress(terminal);
          let count: number | null;
          try {
            count = await orCommandError(
              app.timelineAdmin.clear(which, what === 'rebuild', (done) => progress.show('Timelines', done)),
            );
          } finally {
            progress.clear();
          }
          if (count === null)
            throw new CommandError(
              'the timelines are in the memory of the running newsroom: restart it, or store them in Redis',
              EXIT.unavailable,
            );
          if (options.json) terminal.json({ [what === 'rebuild' ? 'rebuilt' : 'cleared']: count });
          else
            terminal.out(`${formatCount(count, 'timeline')} ${what === 'rebuild' ? 'rebuilt' : 'cleared'}.`);
          return EXIT.ok;
        }),
      ),
    );
}

async function choiceOf(app: App, named: string | undefined, all: boolean): Promise<TimelineChoice> {
  if (all && named === undefined) return 'all';
  if (all || named === undefined)
    throw new CommandError('name a user, or local, or global; or write --all', EXIT.usage);
  return named === 'local' || named === 'global' ? named : { homeOf: await findUser(app, named) };
}

function printTimeline(terminal: Terminal, state: TimelineState): void {
  const { user, followers, following, blocked, kept, elsewhere, newest } = state;
  terminal.out(
    terminal.style('bold', `${sanitise(user.displayName)} (${sanitise(user.name)}, ${user.kind})`),
  );
  terminal.out(`  ID         ${user.id}`);
  terminal.out(
    `  Follows    ${following}; followed by ${followers}${blocked > 0 ? `; has blocked ${blocked}` : ''}`,
  );
  const home =
    kept !== null
      ? `${formatCount(kept, 'drop')} stored`
      : elsewhere
        ? 'in the memory of the running newsroom'
        : 'not stored; rebuilt on the next read';
  terminal.out(`  Home       ${home}`);
  if (newest.length === 0) {
    terminal.out('\nThere are no drops in it.');
    return;
  }
  const now = Date.now();
  terminal.out(
    `\n${formatTable(
      newest,
      [
        { title: 'Posted', value: ({ createdAt }) => formatRelativeTime(createdAt, now) },
        { title: 'Visibility', value: (drop) => ('visibility' in drop ? drop.visibility : 'unknown') },
        {
          title: 'Drop',
          value: (drop) => ('text' in drop ? sanitise(drop.title ?? drop.text) : ''),
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

interface PostOptions extends GlobalOptions {
  readonly as: string;
  readonly title?: string;
  readonly url?: string;
  readonly visibility: NewDrop['visibility'];
  readonly once?: string;
}

/** `drop …`: posts and deletes drops manually. */
export function dropCommand(deps: CommandDependencies): Command {
  return defineCommand('drop', 'post a drop to the timelines, or delete one')
    .helpCommand(false)
    .addCommand(postCommand(deps))
    .addCommand(deleteCommand(deps));
}

function postCommand(deps: CommandDependencies): Command {
  return defineCommand('post', 'post a drop as one of the users')
    .argument('[text]', 'its text; - reads it from standard input')
    .requiredOption('-a, --as <user>', 'its author, by name or ID')
    .option('-t, --title <words>', 'a headline')
    .option('-u, --url <address>', 'a link')
    .addOption(
      new Option('-v, --visibility <who>', 'its audience')
        .choices(['public', 'followers', 'private'])
        .default('public'),
    )
    .option('--once <key>', 'idempotency key: post nothing if a drop with this key exists')
    .action(
      action(deps, (terminal, options: PostOptions, written: string | undefined) =>
        withTimelines(deps.context, options, async (app) => {
          const author = await findUser(app, options.as);
          const text = written === '-' ? await readAll(deps.context.stdin) : (written ?? '');
          const { drop, created } = await orCommandError(
            app.social.post(
              newPersonalDrop(author.id, { ...options, text: text.trim() }, options.once ?? null),
            ),
          );
          if (options.json) terminal.json({ drop, created });
          else terminal.out(created ? `Posted as ${drop.id}.` : `Already posted: ${drop.id}.`);
          return EXIT.ok;
        }),
      ),
    );
}

function deleteCommand(deps: CommandDependencies): Command {
  return defineCommand('delete', 'delete a drop from every timeline')
    .argument('<id>', 'the ID of the drop')
    .action(
      action(deps, (terminal, options: GlobalOptions, id: string) =>
        withTimelines(deps.context, options, async ({ social }) => {
          const drop = await orCommandError(social.deleteDrop(id));
          if (drop === null) throw new CommandError(`there is no drop "${id}"`, EXIT.notFound);
          if (options.json) terminal.json({ deleted: drop.id });
          else terminal.out('Deleted.');
          return EXIT.ok;
        }),
      ),
    );
}
