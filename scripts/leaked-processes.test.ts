import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { canariesIn, plantCanaries } from './canaries.ts';
import { leftProcesses, RUN_MARK } from './leaked-processes.ts';

describe('what a test run leaves behind', () => {
  it.runIf(process.platform === 'linux')(
    'a process is found by its mark, and is gone once it ended',
    async () => {
      const mark = randomUUID();
      const env = { ...process.env, [RUN_MARK]: mark };
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env, stdio: 'ignore' });
      await once(child, 'spawn');
      try {
        const left = await leftProcesses(mark, 0);
        expect(left.map(({ pid }) => pid)).toEqual([child.pid]);
      } finally {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      expect(await leftProcesses(mark, 0)).toEqual([]);
    },
  );
});

describe('X7 canaries', () => {
  it('X7 are found as they are, in an address and in Base64, and nowhere else', () => {
    const canaries = plantCanaries();
    const key = canaries.GEMINI_API_KEY ?? '';
    expect(canariesIn('nothing here', canaries)).toEqual([]);
    expect(canariesIn(`GET /v1?key=${key}`, canaries)).toEqual(['GEMINI_API_KEY']);
    expect(canariesIn(Buffer.from(key).toString('base64'), canaries)).toEqual(['GEMINI_API_KEY']);
    expect(canariesIn(`POST ${canaries.DISCORD_WEBHOOK_URL}`, canaries)).toEqual(['DISCORD_WEBHOOK_URL']);
  });
});
