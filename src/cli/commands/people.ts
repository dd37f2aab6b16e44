import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { formatMoment, formatTable, sanitise } from '../format.ts';

interface InviteOptions extends GlobalOptions {
  readonly owner?: boolean;
}

/** `people list|invite|reset-link|remove`: who can sign in. */
export function peopleCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'people',
    'manage accounts: list, invite, remove, or create a link to reset a password',
  )
    .helpCommand(false)
    .addCommand(listCommand(deps))
    .addCommand(inviteCommand(deps))
    .addCommand(resetCommand(deps))
    .addCommand(removeCommand(deps));
}

function listCommand(deps: CommandDependencies): Command {
  return defineCommand('list', 'list the accounts').action(
    action(deps, (terminal, options: GlobalOptions) =>
      withAppForReading(deps.context, options, async (app) => {
        const people = (await app.auth.accounts.list()).map(({ passwordHash: _, ...person }) => person);
        if (options.json) terminal.json({ people });
        else if (people.length === 0)
          terminal.out('There are no accounts. "kawaraban people reset-link" creates a link for the owner.');
        else
          terminal.out(
            formatTable(
              people,
              [
                { title: 'Name', value: ({ name }) => sanitise(name), shrinks: true },
                { title: 'Role', value: ({ role }) => role },
                { title: 'Since', value: ({ createdAt }) => formatMoment(createdAt) },
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

function inviteCommand(deps: CommandDependencies): Command {
  return defineCommand('invite', 'create a one-time link for a new account')
    .option('--owner', 'as an owner, not as a reader')
    .action(
      action(deps, (terminal, options: InviteOptions) =>
        withAppForReading(deps.context, options, async (app) => {
          const link = await app.auth.accounts.invite(options.owner ? 'owner' : 'reader');
          const url = app.oneTimeLinkUrl(link.token);
          if (options.json) terminal.json({ url, expiresAt: link.expiresAt });
          else terminal.out(`${url}\nValid once, until ${formatMoment(link.expiresAt)}.`);
          return EXIT.ok;
        }),
      ),
    );
}

function resetCommand(deps: CommandDependencies): Command {
  return defineCommand('reset-link', 'create a link to reset a password; for the owner if no name is given')
    .argument('[name]', 'name of the account')
    .action(
      action(deps, (terminal, options: GlobalOptions, name: string | undefined) =>
        withAppForReading(deps.context, options, async (app) => {
          const { link, whose } = await resetLink(app, name);
          const url = app.oneTimeLinkUrl(link.token);
          if (options.json) terminal.json({ url, name: whose, expiresAt: link.expiresAt });
          else
            terminal.out(
              `${url}\nFor ${whose === null ? 'the first owner' : sanitise(whose)}, once, until ${formatMoment(link.expiresAt)}.`,
            );
          return EXIT.ok;
        }),
      ),
    );
}

async function resetLink({ auth }: App, name: string | undefined) {
  const made = await auth.accounts.resetLink(name);
  if (made !== null) return { link: made.link, whose: made.account.name };
  const first = name === undefined ? await auth.accounts.ownerLink() : null;
  if (first !== null) return { link: first, whose: null };
  throw new CommandError(`there is no account "${name ?? ''}"`, EXIT.notFound);
}

function removeCommand(deps: CommandDependencies): Command {
  return defineCommand('remove', 'remove an account with its sessions and tokens')
    .argument('<name>', 'name of the account')
    .action(
      action(deps, (terminal, options: GlobalOptions, name: string) =>
        withAppForReading(deps.context, options, async ({ auth }) => {
          const account = (await auth.accounts.list()).find(
            (each) => each.name.toLowerCase() === name.toLowerCase(),
          );
          const outcome = account === undefined ? 'unknown' : await auth.accounts.remove(account.userId);
          if (outcome === 'unknown') throw new CommandError(`there is no account "${name}"`, EXIT.notFound);
          if (outcome === 'last_owner')
            throw new CommandError(`${name} is the only owner: invite another one first`, EXIT.failure);
          if (options.json) terminal.json({ removed: name });
          else terminal.out(`${sanitise(name)} can no longer sign in.`);
          return EXIT.ok;
        }),
      ),
    );
}
