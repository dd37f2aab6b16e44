import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pressMemoryContract } from '../contract/press-memory-contract.ts';
import { openSqlitePressMemory } from './open.ts';

pressMemoryContract('SQLite', async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-press-'));
  const path = join(folder, 'press.db');
  const memories = [openSqlitePressMemory(path, clock), openSqlitePressMemory(path, clock)] as const;
  return {
    mine: memories[0],
    theirs: memories[1],
    async dispose() {
      for (const memory of memories) await memory[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
