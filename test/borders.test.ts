import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBorderViolations } from '../scripts/borders.ts';

describe('the borders between the rooms', () => {
  it('hold', () => {
    expect(findBorderViolations(join(import.meta.dirname, '..'))).toEqual([]);
  });
});

describe('the check of the borders', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'borders-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  function plant(file: string, text: string): readonly string[] {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return findBorderViolations(root);
  }

  it.each([
    ['domain code imports an adapter', 'src/item/a.ts', "import '../ledger/sqlite/ledger.ts'"],
    ['domain code imports another room', 'src/item/a.ts', "import type { L } from '../ledger/ledger.ts'"],
    ['domain code imports a package', 'src/time/a.ts', "import { Cron } from 'croner'"],
    ['a port imports an SDK', 'src/ledger/ledger.ts', "import type { X } from '@google-cloud/firestore'"],
    ['core code imports an SDK', 'src/stories/ranking.ts', "import { createClient } from 'redis'"],
    [
      'core code imports an SDK lazily',
      'src/stories/a.ts',
      "const x = await import('@google-cloud/firestore')",
    ],
    ['core code opens a database', 'src/pipelines/a.ts', "import { DatabaseSync } from 'node:sqlite'"],
    ['core code imports an adapter', 'src/pipelines/a.ts', "import { S } from '../ledger/sqlite/s.ts'"],
    ['core code re-exports an adapter', 'src/press/all.ts', "export * from './discord/webhook.ts'"],
    ['a room’s door opens another room', 'src/judge/create-judge.ts', "import '../press/discord/a.ts'"],
    ['a shared part imports an adapter', 'src/judge/remote/a.ts', "import { g } from '../gemini/b.ts'"],
    ['a shared part imports an SDK', 'src/judge/remote/a.ts', "import { generateText } from 'ai'"],
    ['a contract suite imports an adapter', 'src/ledger/contract/a.ts', "import { M } from '../sqlite/m.ts'"],
    ['an adapter imports its neighbour', 'src/press/discord/a.ts', "import { x } from '../mastodon/b.ts'"],
    [
      'an adapter imports a far adapter',
      'src/press/timeline/a.ts',
      "import { x } from '../../social/sqlite/b.ts'",
    ],
    ['core code knows the wire', 'src/timeline/a.ts', "import { x } from '../../proto/gen/avion/user.ts'"],
    ['the command line goes past app', 'src/cli/a.ts', "import { run } from '../pipelines/runner.ts'"],
    ['the server goes past app', 'src/server/a.ts', "import { x } from '../social/sqlite/b.ts'"],
    [
      'the server knows an adapter’s types',
      'src/server/a.ts',
      "import type { X } from '../social/sqlite/b.ts'",
    ],
    ['a room knows the server', 'src/stream/a.ts', "import { x } from '../server/http.ts'"],
    [
      'a room knows the simulator',
      'src/press/discord/a.ts',
      "import { x } from '../../../simulator/discord.ts'",
    ],
    ['a file is called utils', 'src/press/utils.ts', ''],
    ['a folder is called helpers', 'simulator/helpers/a.ts', ''],
    ['a file is a manager', 'src/stream/connection-manager.ts', ''],
  ])('finds that %s', (_, file, text) => {
    const violations = plant(file, text);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(file);
  });

  it.each([
    ['domain code that imports domain code', 'src/item/a.ts', "import { SECOND } from '../time/duration.ts'"],
    [
      'a pipeline that knows ports',
      'src/pipelines/a.ts',
      "import type { Ledger } from '../ledger/ledger.ts'",
    ],
    [
      'an adapter with its SDK',
      'src/ledger/firestore/a.ts',
      "import { Firestore } from '@google-cloud/firestore'",
    ],
    ['an adapter with its own files', 'src/ledger/firestore/a.ts', "import { x } from './layouts/videos.ts'"],
    ['a room’s door', 'src/judge/create-judge.ts', "const { g } = await import('./gemini/b.ts')"],
    ['an adapter with a shared part', 'src/judge/gemini/a.ts', "import { ask } from '../remote/ask.ts'"],
    [
      'an adapter with the wire',
      'src/social/grpc/a.ts',
      "import { x } from '../../../proto/gen/avion/user.ts'",
    ],
    ['the server with the wire', 'src/server/a.ts', "import { x } from '../../proto/gen/avion/user.ts'"],
    ['an adapter with its port', 'src/press/discord/a.ts', "import type { P } from '../publisher.ts'"],
    [
      'the composition with everything',
      'src/app/app.ts',
      "import './ledger/sqlite/a.ts'; import '../simulator/b.ts'",
    ],
    ['the server with types of ports', 'src/server/a.ts', "import type { S } from '../social/services.ts'"],
    [
      'the server with inline types',
      'src/server/a.ts',
      "import { type S, type T } from '../social/services.ts'",
    ],
    ['the command line with app', 'src/cli/a.ts', "import { openApp } from '../app.ts'"],
    [
      'a test with whatever it needs',
      'src/outbox/dispatch.test.ts',
      "import './discord/a.ts'; import './mastodon/b.ts'",
    ],
    ['an import in a comment', 'src/item/a.ts', "// import { x } from '../ledger/sqlite/ledger.ts'"],
  ])('lets %s pass', (_, file, text) => {
    expect(plant(file, text)).toEqual([]);
  });
});
