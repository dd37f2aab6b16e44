import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { RefusalError } from '../refusal.ts';
import { table } from '../table.ts';
import { harmless } from '../width.ts';
import { withApp } from '../with-app.ts';
import { momentWords } from '../words.ts';

interface InviteOptions extends EveryOption {
  readonly owner?: boolean;
}

/** `people list|invite|reset-link|remove`: who can sign in. */
export function peopleCommand(parts: CommandParts): Command {
  return commandNamed(
    'people',
    'who can sign in: list them, invite somebody, or make a link for a new password',
  )
    .helpCommand(false)
    .addCommand(listCommand(parts))
    .addCommand(inviteCommand(parts))
    .addCommand(resetCommand(parts))
    .addCommand(removeCommand(parts));
}

function listCommand(parts: CommandParts): Command {
  return commandNamed('list', 'list everybody who can sign in').action(
    action(parts, (terminal, options: EveryOption) =>
      withApp(parts.house, options, async (app) => {
        const people = (await app.signing.accounts.list()).map(({ passwordHash: _, ...person }) => person);
        if (options.json) terminal.json({ people });
        else if (people.length === 0)
          terminal.out('Nobody yet. "kawaraban people reset-link" makes a link for the owner.');
        else
          terminal.out(
            table(
              people,
              [
                { title: 'Name', value: ({ name }) => harmless(name), shrinks: true },
                { title: 'Role', value: ({ role }) => role },
                { title: 'Since', value: ({ createdAt }) => momentWords(createdAt) },
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

function inviteCommand(parts: CommandParts): Command {
  return commandNamed('invite', 'make a link by which one new person comes in')
    .option('--owner', 'as an owner, not as a reader')
    .action(
      action(parts, (terminal, options: InviteOptions) =>
        withApp(parts.house, options, async (app) => {
          const link = await app.signing.accounts.invite(options.owner ? 'owner' : 'reader');
          const url = app.welcomeAddress(link.token);
          if (options.json) terminal.json({ url, expiresAt: link.expiresAt });
          else terminal.out(`${url}\nGood for one person, until ${momentWords(link.expiresAt)}.`);
          return EXIT.ok;
        }),
      ),
    );
}

function resetCommand(parts: CommandParts): Command {
  return commandNamed(
    'reset-link',
    'make a link for somebody who forgot the password; the owner without a name',
  )
    .argument('[name]', 'whose')
    .action(
      action(parts, (terminal, options: EveryOption, name: string | undefined) =>
        withApp(parts.house, options, async (app) => {
          const { link, whose } = await resetLink(app, name);
          const url = app.welcomeAddress(link.token);
          if (options.json) terminal.json({ url, name: whose, expiresAt: link.expiresAt });
          else
            terminal.out(
              `${url}\nFor ${whose === null ? 'the first owner' : harmless(whose)}, once, until ${momentWords(link.expiresAt)}.`,
            );
          return EXIT.ok;
        }),
      ),
    );
}

async function resetLink({ signing }: App, name: string | undefined) {
  const made = await signing.accounts.resetLink(name);
  if (made !== null) return { link: made.link, whose: made.account.name };
  const first = name === undefined ? await signing.accounts.ownerLink() : null;
  if (first !== null) return { link: first, whose: null };
  throw new RefusalError(`there is nobody named "${name ?? ''}"`, EXIT.notFound);
}

function removeCommand(parts: CommandParts): Command {
  return commandNamed('remove', 'end somebody’s access: account, sessions and tokens')
    .argument('<name>', 'whose')
    .action(
      action(parts, (terminal, options: EveryOption, name: string) =>
        withApp(parts.house, options, async ({ signing }) => {
          const account = (await signing.accounts.list()).find(
            (each) => each.name.toLowerCase() === name.toLowerCase(),
          );
          const outcome = account === undefined ? 'unknown' : await signing.accounts.remove(account.userId);
          if (outcome === 'unknown') throw new RefusalError(`there is nobody named "${name}"`, EXIT.notFound);
          if (outcome === 'last_owner')
            throw new RefusalError(`${name} is the only owner: invite another one first`, EXIT.failure);
          if (options.json) terminal.json({ removed: name });
          else terminal.out(`${harmless(name)} can no longer sign in.`);
          return EXIT.ok;
        }),
      ),
    );
}
