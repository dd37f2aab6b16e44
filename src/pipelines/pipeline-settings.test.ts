import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config/config.ts';
import { SqlitePipelineSettingsStore } from '../storage/sqlite/pipeline-settings-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { LivePipelineSettings } from './pipeline-settings.ts';
import { SettingsChanges } from './settings-changes.ts';

const FILE = `
sources: { one: { feed: "https://one.example/feed" } }
pipelines:
  morning: { kind: curate, sources: [one], interests: [{ topic: ink }], schedule: "0 9 * * *", time_zone: UTC }
  bot: { kind: summarise, sources: [one], every: 15m }
`;

describe('the settings of a pipeline in force', () => {
  let clock: ManualClock;
  let store: SqlitePipelineSettingsStore;
  const pipelinesOf = (file: string) => {
    const parsed = parseConfig(file, 'kawaraban.yaml', {});
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    return parsed.config.pipelines;
  };
  const changes = (file = FILE): SettingsChanges =>
    new SettingsChanges({ store, clock, pipelines: pipelinesOf(file) });
  const open = (follows = changes(), file = FILE): LivePipelineSettings =>
    new LivePipelineSettings({ pipelines: pipelinesOf(file), changes: follows });
  beforeEach(() => {
    clock = new ManualClock();
    store = new SqlitePipelineSettingsStore(':memory:', clock);
  });
  afterEach(() => store[Symbol.asyncDispose]());

  it('R23 are those of the file, until they are changed and after they are reset', async () => {
    const settings = open();
    const before = await settings.report('morning');
    expect(before).toMatchObject({ effective: { minScore: 70, enabled: true }, changed: null });
    await settings.change('morning', { minScore: 55, enabled: false }, 'kiku');
    expect(await settings.report('morning')).toEqual({
      configured: before.configured,
      effective: { ...before.configured, minScore: 55, enabled: false },
      changed: { by: 'kiku', at: clock.now() },
    });
    expect((await settings.report('bot')).changed).toBeNull();
    await settings.change('morning', { schedule: null, minScore: null, enabled: null }, 'kiku');
    expect(await settings.report('morning')).toEqual(before);
  });

  it('R23 a change counts at once here, and soon in another process', async () => {
    const followed = [changes(), changes()] as const;
    const [mine, theirs] = [open(followed[0]), open(followed[1])];
    const stop = new AbortController();
    const following = followed.map((each) => each.follow(silentEvents, stop.signal));
    await clock.advance(0);
    expect((await theirs.effective('morning')).minScore).toBe(70);
    await mine.change('morning', { minScore: 55 }, 'kiku');
    expect((await mine.effective('morning')).minScore).toBe(55);
    expect((await theirs.effective('morning')).minScore).toBe(70);
    await clock.advance(MINUTE);
    expect((await theirs.effective('morning')).minScore).toBe(55);
    stop.abort();
    await Promise.all(following);
  });

  it('R23 X22 a pipeline under a new ID keeps them, and has its own once it is changed', async () => {
    await open().change('morning', { minScore: 55, enabled: false }, 'kiku');
    const file = FILE.replace('morning: {', 'tech: { renamed_from: morning,');
    const renamed = open(changes(file), file);
    expect(await renamed.effective('tech')).toMatchObject({ minScore: 55, enabled: false });
    await renamed.change('tech', { minScore: 60 }, 'kiku');
    expect(await renamed.effective('tech')).toMatchObject({ minScore: 60, enabled: false });
    await renamed.change('tech', { minScore: null, enabled: null }, 'kiku');
    expect(await renamed.effective('tech')).toMatchObject({ minScore: 70, enabled: true });
    expect((await open().effective('morning')).minScore).toBe(55);
  });

  it('R23 settings are polled where no process reports changes', async () => {
    const [mine, theirs] = [open(), open()];
    expect((await theirs.effective('morning')).minScore).toBe(70);
    await mine.change('morning', { minScore: 55 }, 'kiku');
    expect((await theirs.effective('morning')).minScore).toBe(55);
  });

  it('R23 wakes the scheduler that waits for the next start', async () => {
    const settings = open();
    const schedule = settings.schedule('morning');
    const woken = schedule.wait(MINUTE, new AbortController().signal);
    await settings.change('morning', { enabled: false }, 'kiku');
    expect(await woken).toBe(true);
    expect(await schedule.read()).toBeNull();
  });

  it('R23 starts before a new schedule or a resume are not caught up; a new minimum changes nothing about that', async () => {
    const settings = open();
    const since = async () => (await settings.schedule('morning').read())?.since;
    expect(await since()).toBeNull();
    await settings.change('morning', { minScore: 55 }, 'kiku');
    expect(await since()).toBe(0);
    await clock.advance(MINUTE);
    const cron = { kind: 'cron', expression: '0 7 * * *', timeZone: 'UTC' } as const;
    await settings.change('morning', { schedule: cron }, 'kiku');
    expect(await since()).toBe(clock.now());
    const changedAt = clock.now();
    await settings.change('morning', { enabled: false }, 'kiku');
    await clock.advance(MINUTE);
    await settings.change('morning', { minScore: 60 }, 'kiku');
    await settings.change('morning', { enabled: true }, 'kiku');
    expect(await since()).toBe(clock.now());
    expect(clock.now()).toBeGreaterThan(changedAt);
  });

  it('R23 two owners who change different settings at once both succeed', async () => {
    const [mine, theirs] = [open(), open()];
    await Promise.all([
      mine.change('morning', { minScore: 55 }, 'kiku'),
      theirs.change('morning', { enabled: false }, 'ran'),
    ]);
    await clock.advance(MINUTE);
    expect(await mine.effective('morning')).toMatchObject({ minScore: 55, enabled: false });
  });
});
