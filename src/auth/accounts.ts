import type { ReactionStore } from '../learning/reaction-store.ts';
import type { EntryStore } from '../reader/entry-store.ts';
import { UserError } from '../social/rules.ts';
import type { SocialStore, User } from '../social/social-store.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, HOUR } from '../time/duration.ts';
import { type Account, type AccountStore, foldedName, type Link } from './account-store.ts';
import type { Role } from './identity.ts';
import type { SignInThrottle } from './passwords.ts';
import { type AccountProblem, MAX_PASSWORD_LENGTH, type Passwords, passwordProblem } from './passwords.ts';
import type { OpenedSession, Sessions } from './sessions.ts';
import { hashToken, isTokenFormat, newSecretToken } from './sessions.ts';

export interface AccountDependencies {
  readonly store: AccountStore;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
  readonly social: Pick<SocialStore, 'addUser' | 'findUser' | 'listUsers' | 'follow'>;
  readonly entries: Pick<EntryStore, 'removePerson'>;
  readonly reactions: Pick<ReactionStore, 'removePerson'>;
  readonly clock: Clock;
  /** Whether a folded name belongs to a pipeline or source and is not available to people. */
  readonly isReserved: (foldedName: string) => boolean;
}

/** A new link. Its secret is given out once. */
export interface IssuedLink {
  readonly token: string;
  readonly purpose: Link['purpose'];
  readonly expiresAt: number;
}

export type SignInResult =
  | { readonly ok: true; readonly opened: OpenedSession }
  /** The same for a wrong password and an unknown name. */
  | { readonly ok: false; readonly why: 'wrong' }
  | { readonly ok: false; readonly why: 'wait'; readonly waitMs: number };

export type LinkRedemption =
  | { readonly ok: true; readonly opened: OpenedSession }
  | { readonly ok: false; readonly why: 'link' }
  | ({
      readonly ok: false;
      readonly why: 'field';
      readonly field: 'name' | 'password';
    } & AccountProblem);

const LINK_TTL_MS: Readonly<Record<Link['purpose'], number>> = {
  owner: 24 * HOUR,
  invite: 7 * DAY,
  reset: HOUR,
};

/** Use cases of accounts: redeem a link, sign in, change a password. */
export class Accounts {
  readonly #deps: AccountDependencies;

  constructor(deps: AccountDependencies) {
    this.#deps = deps;
  }

  async hasOwner(): Promise<boolean> {
    return (await this.#deps.store.listAccounts()).some(({ role }) => role === 'owner');
  }

  /** Link for the first start; `null` when there is an owner. Revokes an earlier unused link. */
  async ownerLink(): Promise<IssuedLink | null> {
    if (await this.hasOwner()) return null;
    await this.#deps.store.revokeLinks('owner');
    return this.#issue('owner', 'owner', null);
  }

  invite(role: Role = 'reader'): Promise<IssuedLink> {
    return this.#issue('invite', role, null);
  }

  /** Link for a forgotten password; `null` for an unknown account. Without a name, the owner's. */
  async resetLink(
    idOrName?: string,
  ): Promise<{ readonly link: IssuedLink; readonly account: Account } | null> {
    const account = await this.#accountOf(idOrName);
    if (account === null) return null;
    return { link: await this.#issue('reset', account.role, account.userId), account };
  }

  /** Reads a link without consuming it. */
  async inspectLink(token: string): Promise<{ readonly link: Link; readonly name: string | null } | null> {
    if (!isTokenFormat(token)) return null;
    const { store, clock } = this.#deps;
    const link = await store.findLink(hashToken(token));
    if (link === null || link.expiresAt <= clock.now()) return null;
    const account = link.userId === null ? null : await store.findAccount({ userId: link.userId });
    return { link, name: account?.name ?? null };
  }

  /** Consumes a link: adds a person or resets a password, and signs the person in. */
  async redeemLink(
    token: string,
    who: { readonly name?: string; readonly displayName?: string; readonly password: string },
    device: string,
  ): Promise<LinkRedemption> {
    const inspected = await this.inspectLink(token);
    if (inspected === null) return { ok: false, why: 'link' };
    const name = inspected.name ?? who.name ?? '';
    if (name === '')
      return {
        ok: false,
        why: 'field',
        field: 'name',
        code: 'required',
        detail: 'is missing: choose a name',
      };
    const problem = passwordProblem(who.password, name);
    if (problem !== null) return { ok: false, why: 'field', field: 'password', ...problem };
    return inspected.link.purpose === 'reset'
      ? this.#reset(token, who.password, device)
      : this.#join(
          token,
          inspected.link,
          { name, displayName: who.displayName ?? name },
          who.password,
          device,
        );
  }

  async signIn(name: string, password: string, address: string, device: string): Promise<SignInResult> {
    const { store, throttle, passwords, sessions, clock } = this.#deps;
    const folded = foldedName(name).slice(0, 100);
    const waitMs = throttle.retryAfterMs(folded, address);
    if (waitMs > 0) return { ok: false, why: 'wait', waitMs };
    const account = await store.findAccount({ name: name.slice(0, 100) });
    const fits = await passwords.verify(
      password.slice(0, MAX_PASSWORD_LENGTH + 1),
      account?.passwordHash ?? null,
    );
    if (account === null || !fits) {
      throttle.recordFailure(folded, address);
      return { ok: false, why: 'wrong' };
    }
    throttle.recordSuccess(folded, address);
    if (passwords.isOutdated(account.passwordHash))
      await store.setPassword(account.userId, await passwords.hash(password), clock.now());
    return { ok: true, opened: await sessions.open(account, device) };
  }

  /** Ends every other session and revokes all tokens. Throttled like sign-in, so that a stolen session cannot be used to guess passwords. */
  async changePassword(
    userId: string,
    change: {
      readonly current: string;
      readonly next: string;
      readonly address: string;
      readonly keep: string;
    },
  ): Promise<
    | { readonly ok: true; readonly ended: number }
    | { readonly ok: false; readonly why: 'wrong' }
    | { readonly ok: false; readonly why: 'wait'; readonly waitMs: number }
    | ({ readonly ok: false; readonly why: 'password' } & AccountProblem)
  > {
    const { store, throttle, passwords, sessions, clock } = this.#deps;
    const account = await store.findAccount({ userId });
    if (account === null) return { ok: false, why: 'wrong' };
    const folded = foldedName(account.name);
    const waitMs = throttle.retryAfterMs(folded, change.address);
    if (waitMs > 0) return { ok: false, why: 'wait', waitMs };
    if (!(await passwords.verify(change.current, account.passwordHash))) {
      throttle.recordFailure(folded, change.address);
      return { ok: false, why: 'wrong' };
    }
    const problem = passwordProblem(change.next, account.name);
    if (problem !== null) return { ok: false, why: 'password', ...problem };
    await store.setPassword(userId, await passwords.hash(change.next), clock.now());
    const ended = await sessions.endAll(userId, change.keep);
    await this.#revokeTokens(userId);
    return { ok: true, ended };
  }

  find(userId: string): Promise<Account | null> {
    return this.#deps.store.findAccount({ userId });
  }

  /**
   * The account of a person in the social store. An account added here is a reader's, with an unknown random
   * password: a reset link replaces it. `null`: another person's account has the name.
   */
  async findOrAdd({ id, name }: Pick<User, 'id' | 'name'>): Promise<Account | null> {
    const { store, passwords, clock } = this.#deps;
    const found = await this.find(id);
    if (found !== null) return found;
    const now = clock.now();
    const passwordHash = await passwords.hash(newSecretToken().token);
    const times = { createdAt: now, passwordChangedAt: now };
    const account: Account = { userId: id, name, role: 'reader', passwordHash, ...times };
    // `taken` also if another process has added it meanwhile.
    return (await store.addAccount(account)) === 'added' ? account : this.find(id);
  }

  list(): Promise<readonly Account[]> {
    return this.#deps.store.listAccounts();
  }

  /** Removes an account with what the person read and reacted to, and ends its access. The last owner cannot be removed. */
  async remove(userId: string): Promise<'removed' | 'unknown' | 'last_owner'> {
    const { store, sessions, entries, reactions } = this.#deps;
    const outcome = await store.removeAccount(userId);
    if (!outcome.removed) return outcome.why;
    sessions.evict(outcome.ended);
    await entries.removePerson(userId);
    await reactions.removePerson(userId);
    return 'removed';
  }

  /** Anyone who knew the old password may have issued tokens with it. */
  async #revokeTokens(userId: string): Promise<void> {
    const { store, sessions, clock } = this.#deps;
    sessions.evict(await store.revokeTokens(userId, clock.now()));
  }

  async #issue(purpose: Link['purpose'], role: Role, userId: string | null): Promise<IssuedLink> {
    const { store, clock } = this.#deps;
    const { token, id } = newSecretToken();
    const now = clock.now();
    const expiresAt = now + LINK_TTL_MS[purpose];
    await store.addLink({ id, purpose, role, userId, createdAt: now, expiresAt });
    return { token, purpose, expiresAt };
  }

  async #accountOf(idOrName: string | undefined): Promise<Account | null> {
    const { store } = this.#deps;
    if (idOrName === undefined)
      return (await store.listAccounts()).find(({ role }) => role === 'owner') ?? null;
    return (await store.findAccount({ userId: idOrName })) ?? (await store.findAccount({ name: idOrName }));
  }

  async #reset(token: string, password: string, device: string): Promise<LinkRedemption> {
    const { store, sessions, passwords, clock } = this.#deps;
    const hash = await passwords.hash(password);
    const link = await store.consumeLink(hashToken(token), clock.now());
    if (link?.userId == null || !(await store.setPassword(link.userId, hash, clock.now())))
      return { ok: false, why: 'link' };
    await sessions.endAll(link.userId);
    await this.#revokeTokens(link.userId);
    const account = await store.findAccount({ userId: link.userId });
    if (account === null) return { ok: false, why: 'link' };
    return { ok: true, opened: await sessions.open(account, device) };
  }

  /** Consumes the link last, so that a person whose name is taken can choose another. */
  async #join(
    token: string,
    { role, purpose }: Link,
    { name, displayName }: { readonly name: string; readonly displayName: string },
    password: string,
    device: string,
  ): Promise<LinkRedemption> {
    const { store, sessions, passwords, social, clock, isReserved } = this.#deps;
    const nameProblem = (
      code: AccountProblem['code'] = 'name_taken',
      detail = 'is taken: choose another',
    ): LinkRedemption => ({ ok: false, why: 'field', field: 'name', code, detail });
    if (isReserved(foldedName(name))) return nameProblem();
    if ((await store.findAccount({ name })) !== null || (await social.findUser(name)) !== null)
      return nameProblem();
    const hash = await passwords.hash(password);
    if (purpose === 'owner' && (await this.hasOwner())) return { ok: false, why: 'link' };
    const link = await store.consumeLink(hashToken(token), clock.now());
    if (link === null) return { ok: false, why: 'link' };
    // A recoverable failure after this point must not cost the link: it is added again.
    const user = await social.addUser({ name, displayName, kind: 'person' }).catch((error: unknown) => error);
    if (user instanceof Error || typeof user !== 'object' || user === null || !('id' in user)) {
      await store.addLink(link);
      if (user instanceof UserError)
        return nameProblem(user.problem === 'taken' ? 'name_taken' : 'name_invalid', user.message);
      throw user;
    }
    const now = clock.now();
    const account: Account = {
      userId: String(user.id),
      name,
      role,
      passwordHash: hash,
      createdAt: now,
      passwordChangedAt: now,
    };
    if ((await store.addAccount(account)) === 'taken') {
      await store.addLink(link);
      return nameProblem();
    }
    await this.#followPipelines(account.userId);
    return { ok: true, opened: await sessions.open(account, device) };
  }

  /** So that a new home timeline is not empty. */
  async #followPipelines(userId: string): Promise<void> {
    const { social } = this.#deps;
    for (const user of await social.listUsers())
      if (user.kind === 'pipeline') await social.follow(userId, user.id);
  }
}
