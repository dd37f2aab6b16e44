import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import type { User } from '../../social/services.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { orRefuse, userNamed } from '../find-user.ts';
import { table } from '../table.ts';
import { harmless } from '../width.ts';
import { withApp } from '../with-app.ts';
import { momentWords } from '../words.ts';

interface AddOptions extends EveryOption {
  readonly displayName?: string;
  readonly kind: Exclude<User['kind'], 'source'>;
}

/** `users …`: who posts and who follows whom. */
export function usersCommand(parts: CommandParts): Command {
  return commandNamed('users', 'who posts drops, and who follows and blocks whom')
    .helpCommand(false)
    .addCommand(listCommand(parts))
    .addCommand(addCommand(parts))
    .addCommand(betweenCommand(parts, 'follow', 'let one user follow another'))
    .addCommand(betweenCommand(parts, 'unfollow', 'let one user no longer follow another'))
    .addCommand(
      betweenCommand(parts, 'block', 'end following in both directions, and keep it from beginning again'),
    )
    .addCommand(
      betweenCommand(parts, 'unblock', 'take a block back; following does not come back by itself'),
    );
}

function listCommand(parts: CommandParts): Command {
  return commandNamed('list', 'list everybody who can post: people, pipelines and sources').action(
    action(parts, (terminal, options: EveryOption) =>
      withApp(parts.house, options, async ({ social }) => {
        const users = await orRefuse(social.listUsers());
        if (options.json) terminal.json(users);
        else if (users.length === 0) terminal.out('There are no users. Add one:  kawaraban users add <name>');
        else
          terminal.out(
            table(
              users,
              [
                { title: 'Name', value: ({ name }) => harmless(name) },
                { title: 'Shown as', value: ({ displayName }) => harmless(displayName), shrinks: true },
                { title: 'Kind', value: ({ kind }) => kind },
                { title: 'Since', value: ({ createdAt }) => momentWords(createdAt) },
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

function addCommand(parts: CommandParts): Command {
  return commandNamed('add', 'add a user who can post and be followed')
    .argument('<name>', 'letters, digits, "-", "_" or "."; nobody else’s')
    .option('-d, --display-name <words>', 'how it is shown (default: the name)')
    .addOption(
      new Option('-k, --kind <kind>', 'what it is').choices(['person', 'pipeline']).default('person'),
    )
    .action(
      action(parts, (terminal, options: AddOptions, name: string) =>
        withApp(parts.house, options, async ({ social }) => {
          const { kind, displayName = name } = options;
          const user = await orRefuse(social.addUser({ name, displayName, kind }));
          if (options.json) terminal.json(user);
          else terminal.out(`${harmless(user.name)} is there now (${user.id}).`);
          return EXIT.ok;
        }),
      ),
    );
}

type Between = 'follow' | 'unfollow' | 'block' | 'unblock';

const WORDS: Readonly<Record<Between, readonly [done: string, before: string]>> = {
  follow: ['follows', 'already followed'],
  unfollow: ['no longer follows', 'did not follow'],
  block: ['has blocked', 'had already blocked'],
  unblock: ['no longer blocks', 'had not blocked'],
};

function betweenCommand(parts: CommandParts, what: Between, words: string): Command {
  return commandNamed(what, words)
    .argument('<user>', 'who')
    .argument('<other>', 'whom')
    .action(
      action(parts, (terminal, options: EveryOption, who: string, whom: string) =>
        withApp(parts.house, options, async (app) => {
          const user = await userNamed(app, who);
          const other = await userNamed(app, whom);
          const changed = await orRefuse(change(app, what, user.id, other.id));
          const [done, before] = WORDS[what];
          if (options.json) terminal.json({ user: user.name, other: other.name, changed });
          else if (changed) terminal.out(`${harmless(user.name)} ${done} ${harmless(other.name)}.`);
          else terminal.out(`Nothing changed: ${harmless(user.name)} ${before} ${harmless(other.name)}.`);
          return EXIT.ok;
        }),
      ),
    );
}

async function change({ social }: App, what: Between, userId: string, otherId: string): Promise<boolean> {
  if (what === 'block') return (await social.block(userId, otherId)).changed;
  return social[what](userId, otherId);
}
