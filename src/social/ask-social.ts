import type { SocialStore } from './services.ts';

/** An ID that no user has. */
export const NO_USER = 'kawaraban.health-check';

/** Asks both services something small that every one of them must offer (C4); throws where one does not answer. */
export async function askSocial(
  social: Pick<SocialStore, 'getFollowersPage' | 'getDropsByUserId'>,
): Promise<void> {
  await Promise.all([
    social.getFollowersPage(NO_USER, { limit: 1 }),
    social.getDropsByUserId(NO_USER, { limit: 1 }),
  ]);
}
