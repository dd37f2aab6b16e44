import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config/config.ts';
import { ServiceUnavailableError, UserError } from '../social/rules.ts';
import type { SocialStore } from '../social/social-store.ts';
import { findOrCreateAuthor } from '../social/user-accounts.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { SqliteSourceCatalogueStore } from '../storage/sqlite/source-catalogue-store.ts';
import { type LogFields, silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { SourceCatalogue } from './source-catalogue.ts';
import { SourceUsers } from './source-users.ts';

const LONG = 'x'.repeat(64);
const SHAPED_LIKE_AN_ID = '0190a000-0000-7000-8000-000000000000';

describe('the users of sources', () => {
  let social: SqliteSocialStore;
  let clock: ManualClock;
  let warnings: { readonly message: string; readonly fields: LogFields | undefined }[];
  beforeEach(() => {
    clock = new ManualClock();
    social = SqliteSocialStore.open({ path: ':memory:', clock });
    warnings = [];
  });
  afterEach(() => social[Symbol.asyncDispose]());

  function usersOf(
    ids: readonly string[],
    store: Pick<SocialStore, 'findUser' | 'addUser' | 'renameUser'> = social,
  ) {
    const sources = Object.fromEntries(
      ids.map((id) => [id, { feed: `https://${id}.example/`, name: `The ${id}` }]),
    );
    const loaded = parseConfig(JSON.stringify({ sources, timelines: {} }), 'kawaraban.yaml', {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const log = {
      ...silentLogger,
      warn: (message: string, fields?: LogFields) => warnings.push({ message, fields }),
    };
    const catalogue = new SourceCatalogue({
      config: loaded.config,
      store: new SqliteSourceCatalogueStore(':memory:'),
      clock,
      log,
    });
    return new SourceUsers({ catalogue, social: store, clock, log });
  }

  it('are created once, with the names that people know, however many replicas start at once', async () => {
    const replicas = [usersOf(['herald', 'wire']), usersOf(['herald', 'wire'])];
    expect(replicas[0]?.cached('herald')).toBeNull();
    expect(await replicas[0]?.find('herald')).toBeNull();
    await Promise.all(replicas.map((replica) => replica.createMissing()));
    expect(await social.listUsers()).toMatchObject([
      { name: 'herald', displayName: 'The herald', kind: 'source' },
      { name: 'wire', displayName: 'The wire', kind: 'source' },
    ]);
    expect(replicas[0]?.cached('herald')).toBe(replicas[1]?.cached('herald'));
    expect(await usersOf(['wire']).find('wire')).toBe(replicas[0]?.cached('wire'));
    expect(warnings).toEqual([]);
  });

  it.each([
    ['a person has its name', 'herald', 'herald', 'source.herald'],
    ['a pipeline has its name and it is long', LONG, LONG, /^source\.x{48}\.[0-9a-f]{8}$/],
    ['its ID looks like that of a user', SHAPED_LIKE_AN_ID, 'other', `source.${SHAPED_LIKE_AN_ID}`],
  ])('have another name where %s', async (_why, id, taken, name) => {
    const other = await social.addUser({
      name: taken,
      displayName: '',
      kind: taken === LONG ? 'pipeline' : 'person',
    });
    const users = usersOf([id]);
    await users.createMissing();
    const user = await social.findUser(users.cached(id) ?? '');
    expect(user).toMatchObject({ name: expect.stringMatching(name), kind: 'source' });
    expect(user?.id).not.toBe(other.id);
    expect(await usersOf([id]).find(id)).toBe(user?.id);
  });

  it('a source whose names are all taken is logged once and cannot be followed', async () => {
    for (const name of ['herald', 'source.herald'])
      await social.addUser({ name, displayName: name, kind: 'person' });
    const users = usersOf(['herald', 'wire']);
    expect(await users.createMissing()).toBe(true);
    expect(await users.createMissing()).toBe(true);
    expect(users.cached('herald')).toBeNull();
    expect(users.cached('wire')).not.toBeNull();
    expect(warnings).toMatchObject([{ fields: { source: 'herald' } }]);
  });

  it('a pipeline with the name of a source posts under its own name', async () => {
    const users = usersOf(['herald']);
    await users.createMissing();
    const author = await findOrCreateAuthor('herald', 'The herald desk', { users: social, retry: null });
    expect(author.id).not.toBe(users.cached('herald'));
    expect(await social.findUser(author.id)).toMatchObject({ name: 'pipeline.herald', kind: 'pipeline' });
    expect(await findOrCreateAuthor('herald', 'The herald desk', { users: social, retry: null })).toEqual(
      author,
    );
  });

  it('a pipeline with the name of a person posts under its own name, and never as that person', async () => {
    const hana = await social.addUser({ name: 'hana', displayName: 'Hana', kind: 'person' });
    const author = await findOrCreateAuthor('hana', 'The morning sheet', { users: social, retry: null });
    expect(author.id).not.toBe(hana.id);
    expect(await social.findUser(author.id)).toMatchObject({ name: 'pipeline.hana', kind: 'pipeline' });
    expect(await findOrCreateAuthor('hana', 'The morning sheet', { users: social, retry: null })).toEqual(
      author,
    );
    await social.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
    await social.addUser({ name: 'pipeline.ben', displayName: 'Ben', kind: 'person' });
    await expect(findOrCreateAuthor('ben', 'Ben', { users: social, retry: null })).rejects.toMatchObject({
      problem: 'taken',
    });
  });

  it('an unavailable store does not block the start, and they are created later', async () => {
    let unavailable = true;
    const users = usersOf(['herald'], {
      findUser: async (name) => {
        if (unavailable) throw new ServiceUnavailableError('avion.UserService', 'down', 'connection refused');
        return social.findUser(name);
      },
      addUser: (user) => social.addUser(user),
      renameUser: (id, name) => social.renameUser(id, name),
    });
    const stop = new AbortController();
    const making = users.keepComplete(stop.signal);
    await expect.poll(() => warnings.length).toBe(1);
    expect(users.cached('herald')).toBeNull();
    unavailable = false;
    await clock.advance(60_000);
    await expect.poll(() => users.cached('herald')).not.toBeNull();
    stop.abort();
    await making;
  });

  it('an older user service without sources is not fatal', async () => {
    const users = usersOf(['herald'], {
      findUser: async () => null,
      addUser: async ({ name }) => {
        throw new UserError('bad_name', name);
      },
      renameUser: async () => false,
    });
    expect(await users.createMissing()).toBe(true);
    expect(users.cached('herald')).toBeNull();
    expect(warnings).toHaveLength(1);
  });
});
