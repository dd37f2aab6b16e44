import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

interface Work {
  readonly does: string;
  readonly size?: number;
  readonly path?: string;
  readonly bytes?: Uint8Array;
}

/** A task for the tests of isolation: it does what its input requests, harmful things included. */
export default async function isolatedWork(input: Work): Promise<unknown> {
  switch (input.does) {
    case 'answer':
      return { size: input.size, environment: Object.keys(process.env).length };
    case 'measure':
      return input.bytes?.byteLength;
    case 'write':
      return codeOf(() => writeFileSync(input.path ?? '', 'x'));
    case 'spawn':
      return codeOf(() => spawnSync(process.execPath, ['--version']));
    case 'throw':
      throw new RangeError('secret words of a page');
    case 'loop':
      for (;;);
    case 'wait':
      return new Promise(() => setInterval(() => {}, 1000));
    case 'overflow':
      return overflow(0);
    case 'heap': {
      const kept: string[][] = [];
      for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => `${index}${kept.length}`));
    }
    case 'buffers': {
      const kept: Buffer[] = [];
      for (;;) kept.push(Buffer.alloc(8 * 1024 * 1024, 1));
    }
    case 'exit':
      return process.exit(3);
    case 'kill':
      return process.kill(process.pid, 'SIGKILL');
    default:
      return null;
  }
}

function codeOf(attempt: () => unknown): unknown {
  try {
    attempt();
    return 'allowed';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : 'unknown';
  }
}

function overflow(depth: number): number {
  return overflow(depth + 1) + 1;
}
