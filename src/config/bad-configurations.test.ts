import { describe, expect, it } from 'vitest';
import { BAD_CONFIGURATIONS } from './bad-configurations.testdata.ts';
import { parseConfig } from './config.ts';
import { formatProblem } from './problem.ts';

describe('X11 every mistake is told with its place and what to write', () => {
  it.each(BAD_CONFIGURATIONS)('X11 $mistake', ({ text, expected }) => {
    const loaded = parseConfig(text, 'FILE', { HOME: '/root' });
    const said = loaded.ok ? [] : loaded.problems.map(formatProblem);
    expect(
      said.filter((line) => line.includes(expected)),
      said.join('\n'),
    ).toHaveLength(1);
  });

  it('X11 a single mistake gives a single problem', () => {
    const several = BAD_CONFIGURATIONS.filter(({ text }) => {
      const loaded = parseConfig(text, 'FILE', { HOME: '/root' });
      return loaded.ok || loaded.problems.length !== 1;
    });
    expect(several.map(({ mistake }) => mistake)).toEqual([]);
  });
});
