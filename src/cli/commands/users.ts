import { type Command, Option } from 'commander';
import type { App } from '../../app/app.ts';
import type { User } from '../../social/social-store.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { EXIT } from '../errors.ts';
import { formatMoment, formatTable, sanitise } from '../format.ts';
import { findUser, orCommandError } from '../lookup.ts';

interface AddOptions extends GlobalOptions {
  readonly displayName?: string;
  readonly kind: Exclude<User['kind'], 'source'>;
}

/** `users …`: who posts and who follows whom. */
export function usersCommand(deps: CommandDependencies): Command {
  return defineCommand('users', 'manage users, follows and blocks')
    .helpCommand(false)
    .addCommand(listCommand(deps))
    .addCommand(addCommand(deps))
    .addCommand(relationCommand(deps, 'follow', 'let one user follow another'))
    .addCommand(relationCommand(deps, 'unfollow', 'let one user unfollow another'))
    .addCommand(relationCommand(deps, 'block', 'remove follows in both directions, and prevent new ones'))
    .addCommand(relationCommand(deps, 'unblock', 'remove a block; follows are not restored'));
}

function listCommand(deps: CommandDependencies): Command {
  return defineCommand('list', 'list all users: people, pipelines and sources').action(
    action(deps, (terminal, options: GlobalOptions) =>
      withAppForReading(deps.context, options, async ({ social }) => {
        const users = await orCommandError(social.listUsers());
        if (options.json) terminal.json(users);
        else if (users.length === 0) terminal.out('There are no users. Add one:  kawaraban users add <name>');
        else
          terminal.out(
            formatTable(
              users,
              [
                { title: 'Name', value: ({ name }) => sanitise(name) },
                { title: 'Shown as', value: ({ displayName }) => sanitise(displayName), shrinks: true },
                { title: 'Kind', value: ({ kind }) => kind },
                { title: 'Since', value: ({ createdAt }) => formatMoment(createdAt) },
                { title: 'ID', value: ({ id }) => id },
              ],
              terminal.width,
              (title) => terminal.style('dim', title),
            ),
          );
        return EXIT.ok;
      }),
    ),
  );
}

function addCommand(deps: CommandDependencies): Command {
  return defineCommand('add', 'add a user who can post and be followed')
    .argument('<name>', 'unique; letters, digits, "-", "_" or "."')
    .option('-d, --display-name <words>', 'display name (default: the name)')
    .addOption(
      new Option('-k, --kind <kind>', 'kind of user').choices(['person', 'pipeline']).default('person'),
    )
    .action(
      action(deps, (terminal, options: AddOptions, name: string) =>
        withAppForReading(deps.context, options, async ({ social }) => {
          const { kind, displayName = name } = options;
          const user = await orCommandError(social.addUser({ name, displayName, kind }));
          if (options.json) terminal.json(user);
          else terminal.out(`${sanitise(user.name)} was created (${user.id}).`);
          return EXIT.ok;
        }),
      ),
    );
}

type Relation = 'follow' | 'unfollow' | 'block' | 'unblock';

const RELATION_DESCRIPTIONS: Readonly<Record<Relation, readonly [done: string, before: string]>> = {
  follow: ['follows', 'already followed'],
  unfollow: ['no longer follows', 'did not follow'],
  block: ['has blocked', 'had already blocked'],
  unblock: ['no longer blocks', 'had not blocked'],
};

function relationCommand(deps: CommandDependencies, what: Relation, words: string): Command {
  return defineCommand(what, words)
    .argument('<user>', 'who')
    .argument('<other>', 'whom')
    .action(
      action(deps, (terminal, options: GlobalOptions, who: string, whom: string) =>
        withAppForReading(deps.context, options, async (app) => {
          const user = await findUser(app, who);
          const other = await findUser(app, whom);
          const changed = await orCommandError(change(app, what, user.id, other.id));
          const [done, before] = RELATION_DESCRIPTIONS[what];
          if (options.json) terminal.json({ user: user.name, other: other.name, changed });
          else if (changed) terminal.out(`${sanitise(user.name)} ${done} ${sanitise(other.name)}.`);
          else terminal.out(`Nothing changed: ${sanitise(user.name)} ${before} ${sanitise(other.name)}.`);
          return EXIT.ok;
        }),
      ),
    );
}

async function change({ social }: App, what: Relation, userId: string, otherId: string): Promise<boolean> {
  if (what === 'block') return (await social.block(userId, otherId)).changed;
  return social[what](userId, otherId);
}
