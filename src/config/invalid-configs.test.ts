import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.ts';
import { INVALID_CONFIGS } from './invalid-configs.testdata.ts';
import { formatProblem } from './problems.ts';

describe('X11 every mistake is reported with its position and what to write', () => {
  it.each(INVALID_CONFIGS)('X11 $mistake', ({ text, expected }) => {
    const loaded = parseConfig(text, 'FILE', { HOME: '/root' });
    const messages = loaded.ok ? [] : loaded.problems.map(formatProblem);
    expect(
      messages.filter((line) => line.includes(expected)),
      messages.join('\n'),
    ).toHaveLength(1);
  });

  it('X11 a single mistake gives a single problem', () => {
    const several = INVALID_CONFIGS.filter(({ text }) => {
      const loaded = parseConfig(text, 'FILE', { HOME: '/root' });
      return loaded.ok || loaded.problems.length !== 1;
    });
    expect(several.map(({ mistake }) => mistake)).toEqual([]);
  });
});
