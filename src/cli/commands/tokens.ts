import { type Command, InvalidArgumentError, Option } from 'commander';
import type { App } from '../../app/app.ts';
import type { AccessToken } from '../../auth/account-store.ts';
import { SCOPES, type Scope, scopesOf } from '../../auth/identity.ts';
import type { User } from '../../social/social-store.ts';
import { DAY, MINUTE, parseDuration } from '../../time/duration.ts';
import {
  action,
  type CommandDependencies,
  defineCommand,
  type GlobalOptions,
  withAppForReading,
} from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { formatMoment, formatTable, sanitise } from '../format.ts';
import { findUser, orCommandError } from '../lookup.ts';

/** Same limits as in the API. */
const MAX_LIFETIME = 366 * DAY;
const MAX_LABEL = 100;

interface CreateOptions extends GlobalOptions {
  readonly scope: readonly Scope[];
  readonly expires: number;
  readonly label: string;
}

/** `tokens create|list|revoke`: credentials of programs that act for a person. */
export function tokensCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'tokens',
    'let programs read and post as a person: create, list or revoke Bearer tokens',
  )
    .helpCommand(false)
    .addCommand(createCommand(deps))
    .addCommand(listCommand(deps))
    .addCommand(revokeCommand(deps));
}

function createCommand(deps: CommandDependencies): Command {
  return defineCommand('create', 'create a token for the HTTP API, streams and gRPC; it is shown once')
    .argument('<user>', 'name or ID of the user')
    .addOption(
      new Option('-s, --scope <scope...>', 'what it allows; control is for owners')
        .choices(SCOPES)
        .default(['read'], 'read'),
    )
    .addOption(
      new Option('-e, --expires <time>', 'how long it is valid: 12h, 90d; at most 366d')
        .argParser(lifetime)
        .default(90 * DAY, '90d'),
    )
    .addOption(new Option('-l, --label <words>', 'what it is for').argParser(label).default('command line'))
    .action(
      action(deps, (terminal, options: CreateOptions, name: string) =>
        withAppForReading(deps.context, options, async (app) => {
          const user = await personNamed(app, name);
          const { accounts, tokens } = app.auth;
          const role = (await accounts.find(user.id))?.role ?? 'reader';
          const missing = options.scope.find((scope) => !scopesOf(role).has(scope));
          if (missing !== undefined)
            throw new CommandError(
              `${user.name} is a ${role}: a token with the scope ${missing} is for owners`,
              EXIT.usage,
            );
          const account = await accounts.findOrAdd(user);
          if (account === null)
            throw new CommandError(`the account "${user.name}" is of another user`, EXIT.failure);
          const ask = { label: options.label, scopes: options.scope, lifetimeMs: options.expires };
          const { token, record } = await tokens.issue(account, ask);
          if (options.json) terminal.json({ ...shown(record), token });
          else {
            terminal.out(token);
            terminal.note(
              `Token of ${sanitise(user.name)}, valid until ${formatMoment(record.expiresAt)}, to ${record.scopes.join(', ')}. It is not shown again.`,
            );
          }
          return EXIT.ok;
        }),
      ),
    );
}

function listCommand(deps: CommandDependencies): Command {
  return defineCommand('list', 'list the tokens of a person, the newest first')
    .argument('<user>', 'name or ID of the user')
    .action(
      action(deps, (terminal, options: GlobalOptions, name: string) =>
        withAppForReading(deps.context, options, async (app) => {
          const user = await personNamed(app, name);
          const tokens = await app.auth.tokens.list(user.id);
          const now = Date.now();
          if (options.json) terminal.json({ tokens: tokens.map(shown) });
          else if (tokens.length === 0) terminal.out(`${sanitise(user.name)} has no tokens.`);
          else
            terminal.out(
              formatTable(
                tokens,
                [
                  { title: 'Label', value: (each) => sanitise(each.label), shrinks: true },
                  { title: 'Scopes', value: ({ scopes }) => scopes.join(', ') },
                  { title: 'Created', value: ({ createdAt }) => formatMoment(createdAt) },
                  { title: 'Valid until', value: (each) => validWords(each, now) },
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

function revokeCommand(deps: CommandDependencies): Command {
  return defineCommand('revoke', 'revoke a token; streams that it has open end')
    .argument('<user>', 'name or ID of the user')
    .argument('<id>', 'the ID of the token, from `tokens list`')
    .action(
      action(deps, (terminal, options: GlobalOptions, name: string, id: string) =>
        withAppForReading(deps.context, options, async (app) => {
          const user = await personNamed(app, name);
          if (!(await app.auth.tokens.revoke(user.id, id)))
            throw new CommandError(
              `${user.name} has no valid token "${id}": \`kawaraban tokens list ${user.name}\` shows them`,
              EXIT.notFound,
            );
          if (options.json) terminal.json({ revoked: id });
          else terminal.out('Revoked.');
          return EXIT.ok;
        }),
      ),
    );
}

async function personNamed(app: App, idOrName: string): Promise<User> {
  const user = await orCommandError(findUser(app, idOrName));
  if (user.kind !== 'person')
    throw new CommandError(`"${user.name}" is a ${user.kind}: only people have tokens`, EXIT.usage);
  return user;
}

function shown({ userId: _, ...token }: AccessToken): Omit<AccessToken, 'userId'> {
  return token;
}

function validWords({ revokedAt, expiresAt }: AccessToken, now: number): string {
  if (revokedAt !== null) return `revoked ${formatMoment(revokedAt)}`;
  return `${formatMoment(expiresAt)}${expiresAt <= now ? ' (expired)' : ''}`;
}

function lifetime(written: string): number {
  const ms = parseDuration(written);
  if (ms === null || ms < MINUTE || ms > MAX_LIFETIME)
    throw new InvalidArgumentError('Write a time from 1m to 366d, such as 12h or 90d.');
  return ms;
}

function label(written: string): string {
  const words = written.trim();
  if (words === '' || words.length > MAX_LABEL)
    throw new InvalidArgumentError(`Write 1 to ${MAX_LABEL} characters.`);
  return words;
}
