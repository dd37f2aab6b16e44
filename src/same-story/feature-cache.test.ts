import { describe, expect, it } from 'vitest';
import { FeatureCache } from './feature-cache.ts';
import { StoryFeatures } from './story-features.ts';

const title = 'ferry returns to the islands';

function read(): StoryFeatures {
  return new StoryFeatures({ title });
}

describe('cached features', () => {
  it('X3 keeps no more characters than it may, and first what was asked for last', () => {
    const readings = new FeatureCache(title.length * 20);
    for (let number = 0; number < 1_000; number++) {
      readings.set(number, read());
      readings.get(0);
    }
    const kept = Array.from({ length: 1_000 }, (_, number) => number).filter(
      (number) => readings.get(number) !== undefined,
    );
    expect(kept.length).toBeLessThanOrEqual(24);
    expect(kept).toEqual(expect.arrayContaining([0, 995, 996, 997, 998, 999]));
    expect(kept).not.toContain(1);
  });

  it('X3 gives back the very reading that it was given', () => {
    const readings = new FeatureCache();
    const [one, other] = [read(), read()];
    readings.set(1, one);
    readings.set(2, other);
    expect(readings.get(1)).toBe(one);
    expect(readings.get(2)).toBe(other);
    expect(readings.get(3)).toBeUndefined();
  });
});
