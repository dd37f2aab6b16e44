import { describe, expect, it } from 'vitest';
import { ALL_ROLES, parseRoles, surfaceOf } from './roles.ts';

const read = (words: readonly string[]) => {
  const answer = parseRoles(words, 'distributed');
  return answer.ok ? [...answer.roles] : answer.why;
};

describe('roles', () => {
  it('C24 are read from a comma list, from repeated options and from both', () => {
    expect(read(['web,worker'])).toEqual(['web', 'worker']);
    expect(read(['web', ' scheduler , web'])).toEqual(['web', 'scheduler']);
    for (const words of [[], [''], ['all'], ['web,all']]) expect(read(words)).toEqual([...ALL_ROLES]);
  });

  it('C24 that do not exist are refused with those that do', () => {
    expect(read(['web,wroker'])).toBe(
      'there is no role `wroker`: choose from all, web, timeline, worker, scheduler',
    );
    expect(read(['constructor'])).toContain('there is no role `constructor`');
  });

  it('C24 the embedded engine knows only all of them together', () => {
    expect(parseRoles(['all'], 'embedded').ok).toBe(true);
    expect(parseRoles(['web,timeline,worker,scheduler'], 'embedded').ok).toBe(true);
    expect(parseRoles(['worker'], 'embedded')).toMatchObject({
      ok: false,
      why: expect.stringContaining('only the role `all`'),
    });
  });

  it('decide what is served', () => {
    expect(surfaceOf(ALL_ROLES)).toBe('everything');
    expect(surfaceOf(new Set(['timeline', 'worker']))).toBe('timelines');
    expect(surfaceOf(new Set(['worker', 'scheduler']))).toBe('health');
  });
});
