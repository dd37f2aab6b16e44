import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../time/manual-clock.ts';
import { SqliteSocialStore } from './sqlite-social-store.ts';

describe('two programs with one social store', () => {
  let folder: string;
  let ours: SqliteSocialStore;
  let theirs: SqliteSocialStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kawaraban-notices-'));
    theirs = open();
    ours = open();
  });
  const open = () => SqliteSocialStore.open({ path: join(folder, 'social.db'), clock: new ManualClock() });
  afterEach(async () => {
    await ours[Symbol.asyncDispose]();
    await theirs[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it('tell each other what they did from their opening on, each thing once and in order', async () => {
    const ann = await theirs.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
    const ben = await theirs.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
    await theirs.post({ userId: ben.id, visibility: 'public', text: 'before' });
    await ours[Symbol.asyncDispose]();
    ours = open();
    await theirs.follow(ann.id, ben.id);
    const { drop } = await theirs.post({ userId: ben.id, visibility: 'public', text: 'after' });
    await theirs.deleteDrop(drop.id);
    await theirs.block(ben.id, ann.id);
    await theirs.board.askToClear(['timeline:local'], true);
    await ours.post({ userId: ben.id, visibility: 'public', text: 'our own' });
    expect(await ours.board.read()).toEqual([
      { kind: 'followed', userId: ann.id, authorId: ben.id },
      { kind: 'posted', dropId: drop.id },
      { kind: 'deleted', dropId: drop.id, userId: ben.id },
      { kind: 'unfollowed', userId: ann.id, authorId: ben.id },
      { kind: 'clear', timelines: ['timeline:local'], rebuild: true },
    ]);
    expect(await ours.board.read()).toEqual([]);
  });

  it('say nothing of what changed nothing', async () => {
    const ann = await theirs.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
    await ours.board.read();
    await theirs.follow(ann.id, ann.id);
    await theirs.unfollow(ann.id, 'nobody');
    await theirs.deleteDrop('nothing');
    await expect(theirs.post({ userId: 'nobody', visibility: 'public', text: 'x' })).rejects.toThrow();
    expect(await ours.board.read()).toEqual([]);
  });
});
