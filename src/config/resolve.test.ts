import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseConfig } from './config.ts';
import { effectiveSettings } from './resolve.ts';

const FOLDER = new URL('../../recipes/', import.meta.url);

describe('the effective configuration', () => {
  it.each(readdirSync(FOLDER))('X12 %s with defaults written out is equivalent to the file', (name) => {
    const text = readFileSync(new URL(name, FOLDER), 'utf8');
    const written = parseConfig(text, '/srv/k.yaml', {}, { secrets: 'ignore' });
    const whole = stringify(effectiveSettings(parse(text)));
    const again = parseConfig(whole, '/srv/k.yaml', {}, { secrets: 'ignore' });
    if (!written.ok || !again.ok) throw new Error('should load');
    expect(again.config).toEqual(written.config);
  });

  it('X12 shows defaults and keeps secrets as references', () => {
    const shown = effectiveSettings({
      judges: { g: { kind: 'gemini', model: 'm', key: { env: 'KEY' } } },
      sources: { s: { youtube: '@talks' } },
      engine: { kind: 'distributed', project: 'p' },
    });
    expect(shown).toMatchObject({
      server: { port: 8080 },
      judges: { g: { key: { env: 'KEY' }, timeout: '60s', limits: { calls_per_day: 1000 } } },
      sources: { s: { look_back: '2.5h', enabled: true } },
      engine: { redis: { nodes: ['localhost:6379'] } },
    });
  });
});
