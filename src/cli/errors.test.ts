import { describe, expect, it } from 'vitest';
import { ServerPortError } from '../server/server-port-error.ts';
import { StoreFullError } from '../storage/sqlite/connection.ts';
import { NewerSchemaError } from '../storage/sqlite/database.ts';
import { DatabaseFileError } from '../telemetry/errors.ts';
import { CommandError, describeError, EXIT, EXIT_DESCRIPTIONS, failuresOf } from './errors.ts';

function systemError(code: string, fields: object = {}): Error {
  return Object.assign(new Error(`${code}: something`), { code, syscall: 'x', ...fields });
}

function named(name: string, message: string, fields: object = {}): Error {
  return Object.assign(new Error(message), { name, ...fields });
}

describe('X12 errors in one sentence', () => {
  it.each([
    [
      systemError('EADDRINUSE', { address: '127.0.0.1', port: 8080 }),
      EXIT.unavailable,
      'port 127.0.0.1:8080 is in use',
    ],
    [systemError('EACCES', { path: '/srv/x' }), EXIT.cannotWrite, '/srv/x may not be written'],
    [systemError('EACCES', { address: '0.0.0.0', port: 80 }), EXIT.unavailable, 'use one above 1023'],
    [systemError('EROFS', { path: '/srv/x' }), EXIT.cannotWrite, 'a disk that cannot be written'],
    [systemError('ENOSPC', { path: '/srv/x' }), EXIT.diskFull, 'the disk is full (/srv/x)'],
    [systemError('ENOENT', { path: '/srv/x' }), EXIT.notFound, '/srv/x does not exist'],
    [systemError('ENOTDIR', { path: '/srv/x' }), EXIT.cannotWrite, 'is not a folder'],
    [
      new StoreFullError('a.db', 'The disk that holds a.db is full.', 13),
      EXIT.diskFull,
      'The disk that holds a.db is full.',
    ],
    [
      ServerPortError.from(systemError('EADDRINUSE'), '127.0.0.1', 80),
      EXIT.unavailable,
      'Port 80 on 127.0.0.1 is in use.',
    ],
    [
      new NewerSchemaError([{ path: 'a.db', schema: 9, known: 8 }]),
      EXIT.badData,
      'install the newer version',
    ],
    [named('E', 'database or disk is full', { errcode: 13 }), EXIT.diskFull, 'the disk is full'],
    [named('E', 'file is not a database', { errcode: 26 }), EXIT.badData, 'damaged, or not a database'],
    [new CommandError('no such thing', EXIT.notFound), EXIT.notFound, 'no such thing'],
    [new Error('surprise\nat line 2'), EXIT.failure, 'surprise (KAWARABAN_DEBUG=1 shows where)'],
    ['a string', EXIT.failure, 'a string'],
  ] as const)('X12 %s', (error, code, words) => {
    const described = describeError(error);
    expect(described.exitCode).toBe(code);
    expect(described.sentence).toContain(words);
    expect(described.sentence).not.toContain('\n');
  });

  it('X12 the cause is found below its wrappers', () => {
    const cause = systemError('ENOSPC');
    expect(describeError(new Error('outer', { cause: new Error('middle', { cause }) })).exitCode).toBe(
      EXIT.diskFull,
    );
    expect(describeError(new AggregateError([new Error('a'), cause])).exitCode).toBe(EXIT.diskFull);
  });

  it('X12 errors during disposal do not hide the error before them', async () => {
    const failedWith = async (original: Error): Promise<unknown> => {
      try {
        await using stack = new AsyncDisposableStack();
        for (const part of ['a', 'b']) stack.defer(() => Promise.reject(new Error(`${part} did not close`)));
        throw original;
      } catch (error) {
        return error;
      }
    };
    expect(describeError(await failedWith(systemError('ENOSPC'))).exitCode).toBe(EXIT.diskFull);
    expect(describeError(await failedWith(new Error('surprise'))).sentence).toContain('surprise');
    expect(failuresOf(await failedWith(new Error('surprise'))).map(String)).toEqual([
      'Error: surprise',
      'Error: b did not close',
      'Error: a did not close',
    ]);
  });

  it('X12 a database that cannot be opened names its file', () => {
    const cause = named('E', 'unable to open database file', { errcode: 14 });
    const error = new DatabaseFileError('the ledger', '/no/such/a.db', cause);
    expect(describeError(error)).toEqual({
      sentence:
        'the ledger (/no/such/a.db) cannot be opened: unable to open database file; check the folder named by `data:`',
      exitCode: EXIT.cannotWrite,
    });
  });

  it('X12 every exit code has a description', () => {
    for (const code of Object.values(EXIT)) expect(EXIT_DESCRIPTIONS[code]).toMatch(/\w+/);
  });
});
