import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPrompts, PromptError } from './prompts.ts';

describe('prompts', () => {
  it('are files that can be replaced, and the version follows the text', async () => {
    const home = await mkdtemp(join(tmpdir(), 'kawaraban-prompts-'));
    const own = await loadPrompts();
    await writeFile(join(home, 'evaluate.md'), 'Judge {{interests}} within {{fence}}.');
    const mine = await loadPrompts(home);
    expect(mine.fill('evaluate', { interests: '- tea', fence: 'f00' })).toBe('Judge - tea within f00.');
    expect(mine.version('evaluate')).not.toBe(own.version('evaluate'));
    expect(mine.version('screen')).toBe(own.version('screen'));
    await rm(home, { recursive: true });
  });

  it('without the fence or the interests are refused, with all that is missing', async () => {
    const home = await mkdtemp(join(tmpdir(), 'kawaraban-prompts-'));
    await writeFile(join(home, 'evaluate.md'), 'Just judge.');
    const refusal = await loadPrompts(home).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PromptError);
    expect((refusal as PromptError).problems).toEqual([
      'evaluate.md has no {{interests}}',
      'evaluate.md has no {{fence}}',
    ]);
    await rm(home, { recursive: true });
  });

  it('X6 what is filled in is not filled in again', async () => {
    const prompts = await loadPrompts();
    const filled = prompts.fill('evaluate', { interests: '- "{{fence}}"', fence: 'f00' });
    expect(filled).toContain('- "{{fence}}"');
  });
});
