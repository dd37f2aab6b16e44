import { describe, expect, it } from 'vitest';
import { startSimulatorBeside } from './simulator-process.ts';

describe('the simulator in a process of its own', { timeout: 240_000 }, () => {
  it('answers, and ends with its parent process', async () => {
    const simulator = await startSimulatorBeside({});
    const { status } = await fetch(`${simulator.urls.control}/`);
    expect(status).toBe(200);
    await simulator[Symbol.asyncDispose]();
    await expect(fetch(`${simulator.urls.control}/`)).rejects.toThrow();
  });

  it('reports why it cannot start', async () => {
    const simulator = await startSimulatorBeside({});
    const port = Number(new URL(simulator.urls.control).port);
    await expect(startSimulatorBeside({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await simulator[Symbol.asyncDispose]();
  });
});
