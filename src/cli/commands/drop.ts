import { text as readAll } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { ownDrop } from '../../social/own-drop.ts';
import type { NewDrop } from '../../social/services.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { orRefuse, userNamed } from '../find-user.ts';
import { RefusalError } from '../refusal.ts';
import { withApp } from '../with-app.ts';

interface PostOptions extends EveryOption {
  readonly as: string;
  readonly title?: string;
  readonly url?: string;
  readonly visibility: NewDrop['visibility'];
  readonly once?: string;
}

/** `drop …`: short posts by hand. */
export function dropCommand(parts: CommandParts): Command {
  return commandNamed('drop', 'post a drop to the timelines, or delete one')
    .helpCommand(false)
    .addCommand(postCommand(parts))
    .addCommand(deleteCommand(parts));
}

function postCommand(parts: CommandParts): Command {
  return commandNamed('post', 'post a drop as one of the users')
    .argument('[text]', 'what it says; - reads it from the input')
    .requiredOption('-a, --as <user>', 'who posts it')
    .option('-t, --title <words>', 'a headline')
    .option('-u, --url <address>', 'what it is about')
    .addOption(
      new Option('-v, --visibility <who>', 'who may see it')
        .choices(['public', 'followers', 'private'])
        .default('public'),
    )
    .option('--once <key>', 'post nothing if there was a drop with this key before')
    .action(
      action(parts, (terminal, options: PostOptions, written: string | undefined) =>
        withApp(parts.house, options, async (app) => {
          const author = await userNamed(app, options.as);
          const text = written === '-' ? await readAll(parts.house.stdin) : (written ?? '');
          const { drop, created } = await orRefuse(
            app.social.post(ownDrop(author.id, { ...options, text: text.trim() }, options.once ?? null)),
          );
          if (options.json) terminal.json({ drop, created });
          else terminal.out(created ? `Posted as ${drop.id}.` : `It is there already: ${drop.id}.`);
          return EXIT.ok;
        }),
      ),
    );
}

function deleteCommand(parts: CommandParts): Command {
  return commandNamed('delete', 'delete a drop from every timeline')
    .argument('<id>', 'the ID of the drop')
    .action(
      action(parts, (terminal, options: EveryOption, id: string) =>
        withApp(parts.house, options, async ({ social }) => {
          const drop = await orRefuse(social.deleteDrop(id));
          if (drop === null) throw new RefusalError(`there is no drop "${id}"`, EXIT.notFound);
          if (options.json) terminal.json({ deleted: drop.id });
          else terminal.out('Deleted.');
          return EXIT.ok;
        }),
      ),
    );
}
