import type { App } from '../app.ts';
import { DropError, ServiceUnavailableError, UserError } from '../social/refusals.ts';
import type { User } from '../social/services.ts';
import { EXIT } from './exit-codes.ts';
import { RefusalError } from './refusal.ts';

/** The user with this name or ID, or a refusal. */
export async function userNamed({ timelines }: App, idOrName: string): Promise<User> {
  const user = await timelines.user(idOrName);
  if (user === null)
    throw new RefusalError(
      `there is no user "${idOrName}": \`kawaraban users list\` shows everybody`,
      EXIT.notFound,
    );
  return user;
}

/** Refusals of the social store are sentences for people. */
export async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UserError || error instanceof DropError)
      throw new RefusalError(error.message, EXIT.usage);
    if (error instanceof ServiceUnavailableError) throw new RefusalError(error.message, EXIT.unavailable);
    throw error;
  }
}
