import { beforeEach, describe, expect, it } from 'vitest';
import { newEntry } from '../reader/contract/entry-store-subject.ts';
import { MemoryReactionStore } from '../storage/memory/reaction-store.ts';
import { SqliteEntryStore } from '../storage/sqlite/reader/entry-store.ts';
import { DAY } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { Learning } from './learning.ts';
import { MAX_REACTIONS } from './reaction-store.ts';

let clock: ManualClock;
let entries: SqliteEntryStore;
let store: MemoryReactionStore;
let learning: Learning;

beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 10, 15, 12));
  entries = new SqliteEntryStore(':memory:');
  store = new MemoryReactionStore();
  learning = open();
});

function open(enabled = true): Learning {
  return new Learning({ store, entries, sourceNames: (id) => id, clock, enabled });
}

async function add(title: string, sourceId = 'news'): Promise<number> {
  const [added] = await entries.add([newEntry(title, { sourceId })], clock.now(), () => null);
  if (added === undefined) throw new Error('not added');
  return added.entry.id;
}

const kinds = async (person = 'ann') => (await learning.of(person)).reactions.map(({ kind }) => kind);

describe('learning', () => {
  it('Q20 Q22 records a reaction once, and takes it back', async () => {
    const id = await add('Rust news');
    const token = await learning.react('ann', 'more', [id]);
    expect(await learning.react('ann', 'more', [id])).toBeNull();
    expect(await kinds()).toEqual(['more']);
    expect(await learning.undo('bob', token ?? '')).toBe(false);
    expect(await learning.undo('ann', token ?? '')).toBe(true);
    expect(await learning.undo('ann', token ?? '')).toBe(false);
    expect(await kinds()).toEqual([]);
    expect(await learning.tasteOf('ann')).toBeNull();
  });

  it('Q22 "less" replaces "more", and taking it back brings "more" again', async () => {
    const id = await add('Rust news');
    await learning.react('ann', 'more', [id]);
    const token = await learning.react('ann', 'less', [id]);
    expect(await kinds()).toEqual(['less']);
    await learning.undo('ann', token ?? '');
    expect(await kinds()).toEqual(['more']);
    await clock.advance(2 * DAY);
    const late = await learning.react('ann', 'less', [id]);
    await clock.advance(2 * DAY);
    expect(await learning.undo('ann', late ?? '')).toBe(false);
  });

  it('Q22 a removed reaction does not come back by taking back an older change', async () => {
    const id = await add('Rust news');
    const token = await learning.react('ann', 'more', [id]);
    const [reaction] = (await learning.of('ann')).reactions;
    const replaced = await learning.react('ann', 'less', [id]);
    await learning.undo('ann', replaced ?? '');
    expect(await learning.remove('ann', reaction?.id ?? '')).toBe(true);
    expect(await learning.remove('ann', reaction?.id ?? '')).toBe(false);
    await learning.undo('ann', token ?? '');
    expect(await kinds()).toEqual([]);
  });

  it('Q22 forgets everything, and records nothing while it is off', async () => {
    const id = await add('Rust news');
    await learning.react('ann', 'star', [id]);
    await learning.setEnabled('ann', false);
    expect(await learning.tasteOf('ann')).toBeNull();
    expect(await learning.ofPipeline(['news'])).toBeNull();
    expect(await learning.react('ann', 'more', [id])).toBeNull();
    await learning.setEnabled('ann', true);
    expect(await kinds()).toEqual(['star']);
    expect(await learning.tasteOf('ann')).not.toBeNull();
    await learning.forget('ann');
    expect(await learning.of('ann')).toEqual({ available: true, enabled: true, reactions: [] });
    expect(await open(false).react('ann', 'star', [id])).toBeNull();
    expect(await open(false).tasteOf('ann')).toBeNull();
  });

  it('Q20 a pipeline learns from everybody, and only from articles of its sources', async () => {
    await learning.react('ann', 'star', [await add('Rust news', 'tech')]);
    await learning.react('bob', 'star', [await add('Rust book', 'books')]);
    const both = await learning.ofPipeline(['tech', 'books']);
    const facts = { title: 'Rust', excerpt: null, author: null, sourceIds: ['x'] };
    expect(both?.taste.move(facts, []).rules[0]?.reactions).toEqual({ star: 2 });
    expect((await learning.ofPipeline(['tech']))?.taste.move(facts, []).rules[0]?.reactions).toEqual({
      star: 1,
    });
    expect(await learning.ofPipeline(['sport'])).toBeNull();
  });

  it('Q20 of too many reactions those stay that say most', async () => {
    const star = await add('The one starred article');
    await learning.react('ann', 'star', [star]);
    for (let n = 0; n < MAX_REACTIONS + 5; n++) {
      await clock.advance(1000);
      await learning.react('ann', 'finished', [await add(`Read article ${n}`)]);
    }
    const { reactions } = await learning.of('ann');
    expect(reactions).toHaveLength(MAX_REACTIONS);
    expect(reactions.at(-1)).toMatchObject({ kind: 'star' });
    expect(reactions[0]?.title).toBe(`Read article ${MAX_REACTIONS + 4}`);
  });

  it('Q24 examples for models change at most once a day, and at once when one is removed', async () => {
    const examples = async () => (await learning.ofPipeline(['news']))?.examples ?? null;
    await learning.react('ann', 'star', [await add('Rust news')]);
    await learning.react('ann', 'less', [await add('Celebrity gossip')]);
    await learning.react('ann', 'finished', [await add('A long read')]);
    expect(await examples()).toBeNull();
    await clock.advance(DAY);
    const first = await examples();
    expect(first).toMatchObject({ liked: ['Rust news'], disliked: ['Celebrity gossip'] });
    await learning.react('ann', 'star', [await add('More Rust news')]);
    expect(await examples()).toEqual(first);
    await clock.advance(DAY);
    expect((await examples())?.liked).toEqual(['More Rust news', 'Rust news']);
    const gossip = (await learning.of('ann')).reactions.find(({ kind }) => kind === 'less');
    await learning.remove('ann', gossip?.id ?? '');
    expect((await examples())?.disliked).toEqual([]);
  });
});
