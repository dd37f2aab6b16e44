import * as grpc from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentEvents } from '../../telemetry/events.ts';
import { SECOND } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { FirestoreConnection } from './connection.ts';
import {
  errorActionFor,
  FirestoreError,
  FirestorePermissionError,
  FirestoreQuotaError,
  goNameOf,
  STATUS_NAMES,
  type StatusName,
} from './errors.ts';
import { serviceOf } from './relay.fixture.ts';
import { quotaDay } from './usage.ts';

vi.setConfig({ testTimeout: 240_000 });
// Needs no credentials, and does not detect any.
process.env.METADATA_SERVER_DETECTION = 'none';

const CODES = STATUS_NAMES.entries().filter(([, name]) => name !== 'OK');

describe('the policy for errors of Firestore', () => {
  it('A16 has a decision for every status code', () => {
    const answers = Object.fromEntries([...CODES].map(([, name]) => [name, errorActionFor(name, 1).do]));
    expect(answers).toEqual({
      CANCELLED: 'fail',
      UNKNOWN: 'fail',
      INVALID_ARGUMENT: 'fail',
      DEADLINE_EXCEEDED: 'try again',
      NOT_FOUND: 'go on',
      ALREADY_EXISTS: 'go on',
      PERMISSION_DENIED: 'stop the program',
      RESOURCE_EXHAUSTED: 'stop the run',
      FAILED_PRECONDITION: 'go on',
      ABORTED: 'go on',
      OUT_OF_RANGE: 'fail',
      UNIMPLEMENTED: 'fail',
      INTERNAL: 'fail',
      UNAVAILABLE: 'try again',
      DATA_LOSS: 'fail',
      UNAUTHENTICATED: 'fail',
    });
  });

  it('A17 A18 names codes as Go does', () => {
    expect(STATUS_NAMES.map(goNameOf)).toEqual([
      'OK',
      'Canceled',
      'Unknown',
      'InvalidArgument',
      'DeadlineExceeded',
      'NotFound',
      'AlreadyExists',
      'PermissionDenied',
      'ResourceExhausted',
      'FailedPrecondition',
      'Aborted',
      'OutOfRange',
      'Unimplemented',
      'Internal',
      'Unavailable',
      'DataLoss',
      'Unauthenticated',
    ]);
  });

  it('A16 waits 5, 15 and 45 seconds and then fails', () => {
    const waits = [1, 2, 3, 4].map((failures) => errorActionFor('UNAVAILABLE', failures));
    expect(waits).toEqual([
      { do: 'try again', afterMs: 5 * SECOND },
      { do: 'try again', afterMs: 15 * SECOND },
      { do: 'try again', afterMs: 45 * SECOND },
      { do: 'fail' },
    ]);
  });

  it('A19 the day of the quota ends at midnight in California', () => {
    expect(quotaDay(Date.UTC(2026, 0, 2, 7, 59))).toBe('2026-01-01');
    expect(quotaDay(Date.UTC(2026, 0, 2, 8, 0))).toBe('2026-01-02');
  });
});

/** A fake Firestore that answers every call with one code, and counts the calls. */
describe('a Firestore that answers with an error', () => {
  let server: grpc.Server;
  let address: string;
  let code = 0;
  let details = '';
  /** Codes of the next calls; `code` answers all later ones. */
  let codes: number[] = [];
  let calls = 0;
  /** No call is answered. */
  let isSilent = false;
  let clock: ManualClock;
  let connection: FirestoreConnection;
  const reported: (string | undefined)[] = [];
  /** Waits after conflicts, in milliseconds. */
  const pauses: number[] = [];

  beforeEach(async () => {
    calls = 0;
    isSilent = false;
    details = 'as the test says';
    codes = [];
    reported.length = 0;
    clock = new ManualClock();
    server = new grpc.Server();
    server.addService(serviceOf(), {
      Commit: unary,
      BeginTransaction: unary,
      Rollback: (_call: unknown, answer: grpc.sendUnaryData<Buffer>) => answer(null, Buffer.alloc(0)),
      BatchGetDocuments: streamed,
      RunQuery: streamed,
      RunAggregationQuery: streamed,
    });
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
    address = `127.0.0.1:${port}`;
    const events = {
      ...silentEvents,
      firestoreCalled: (event: { code?: string }) => reported.push(event.code),
    };
    pauses.length = 0;
    const pause = async (ms: number): Promise<void> => void pauses.push(ms);
    connection = new FirestoreConnection({ project: 'demo-errors', emulator: address, clock, events, pause });
  });
  afterEach(async () => {
    await connection[Symbol.asyncDispose]();
    server.forceShutdown();
  });

  function unary(_call: unknown, answer: grpc.sendUnaryData<Buffer>): void {
    calls += 1;
    if (isSilent) return;
    const now = codes.shift() ?? code;
    if (now === 0) answer(null, Buffer.alloc(0));
    else answer({ code: now, details });
  }
  function streamed(call: grpc.ServerWritableStream<Buffer, Buffer>): void {
    calls += 1;
    if (!isSilent) call.emit('error', { code, details });
  }

  const form = { collection: 'items', where: [], orderBy: [] };
  const doings: Record<string, () => Promise<unknown>> = {
    commit: () => connection.commit([{ do: 'set', at: ['items', 'a'], data: { a: 1 } }]),
    getAll: () => connection.getAll([['items', 'a']]),
    query: () => connection.query(form, { where: [] }),
    count: () => connection.count(form, []),
    transaction: () =>
      connection.transact('items', async (reads) => {
        await reads.getAll([['items', 'a']]);
        return { value: 1, writes: [] };
      }),
  };

  for (const [name, doing] of Object.entries(doings))
    for (const [number, status] of STATUS_NAMES.entries()) {
      const answer = errorActionFor(status, 1);
      if (status === 'OK' || answer.do === 'go on') continue;
      const tries = answer.do === 'try again' ? 4 : 1;
      it(`A16 ${status} to a ${name}: ${answer.do}, ${tries} calls in all`, async () => {
        code = number;
        const failed = doing().then(
          () => null,
          (error: unknown) => error,
        );
        if (tries === 4)
          for (const [nth, wait] of [5, 15, 45].entries()) {
            await vi.waitFor(() => expect(clock.sleeping).toBe(1), { timeout: 60_000 });
            expect(calls).toBe(nth + 1);
            await clock.advance(wait * SECOND - 1);
            expect(calls).toBe(nth + 1);
            await clock.advance(1);
          }
        const error = await failed;
        expect(calls).toBe(tries);
        expect(error).toBeInstanceOf(FirestoreError);
        expect(error).toMatchObject({ code: status, collection: 'items' });
        expect((error as Error).cause).toBeInstanceOf(Error);
        expect(reported.filter((one) => one === goNameOf(status))).toHaveLength(tries);
      });
    }

  it.each([
    ['PERMISSION_DENIED', FirestorePermissionError, 'roles/datastore.user'],
    ['RESOURCE_EXHAUSTED', FirestoreQuotaError, 'The run stops here'],
  ] as const)('A16 the error of %s says what to do', async (status: StatusName, type, words) => {
    code = STATUS_NAMES.indexOf(status);
    await expect(connection.get(['items', 'a'])).rejects.toThrow(type);
    await expect(connection.get(['items', 'a'])).rejects.toThrow(words);
  });

  it.each(['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'ABORTED', 'NOT_FOUND'] as const)(
    'A16 %s to a commit is an answer, not an error',
    async (status) => {
      code = STATUS_NAMES.indexOf(status);
      expect(await connection.commit([{ do: 'create', at: ['items', 'a'], data: {} }])).toBe('conflict');
      expect(calls).toBe(1);
    },
  );

  it('X12 once the program stops, a failed call is retried with short delays, and then not at all', async () => {
    code = STATUS_NAMES.indexOf('UNAVAILABLE');
    const failed = doings.commit?.().catch((error: unknown) => error);
    await vi.waitFor(() => expect(clock.sleeping).toBe(1), { timeout: 60_000 });
    connection.stopWithin(3 * SECOND);
    for (const tries of [2, 3]) {
      // The second sleeper is the end of that time.
      await vi.waitFor(() => expect([calls, clock.sleeping]).toEqual([tries, 2]), { timeout: 60_000 });
      await clock.advance(250);
    }
    expect(await failed).toMatchObject({ code: 'UNAVAILABLE' });
    expect(calls).toBe(4);
    await clock.advance(2.5 * SECOND);
    await expect(doings.getAll?.()).rejects.toThrow('The program is stopping');
    expect(calls).toBe(4);
  });

  it.each(['commit', 'getAll', 'query', 'transaction'])(
    'X12 a %s that is not answered ends with the time that a stop is given',
    async (name) => {
      isSilent = true;
      const failed = doings[name]?.().catch((error: unknown) => error);
      await vi.waitFor(() => expect(calls).toBe(1), { timeout: 60_000 });
      connection.stopWithin(3 * SECOND);
      await clock.advance(3 * SECOND);
      expect(await failed).toMatchObject({ code: 'CANCELLED' });
    },
  );

  it('A16 an aborted commit without a precondition is retried with backoff, and fails in the end', async () => {
    const aborted = STATUS_NAMES.indexOf('ABORTED');
    code = 0;
    codes = [aborted, aborted];
    const write = () => connection.commit([{ do: 'set', at: ['items', 'a'], data: {} }]);
    expect(await write()).toBe('committed');
    expect(calls).toBe(3);
    expect(pauses).toHaveLength(2);
    expect(pauses[0]).toBeLessThanOrEqual(pauses[1] ?? 0);
    code = aborted;
    await expect(write()).rejects.toMatchObject({ name: 'FirestoreContentionError', code: 'ABORTED' });
    expect(calls).toBe(13);
  });

  it.each(['mutate', 'transact'] as const)(
    'A16 %s fails after repeated conflicts with other writers',
    async (how) => {
      code = STATUS_NAMES.indexOf('ABORTED');
      const writes = [{ do: 'create', at: ['items', 'a'], data: {} }] as const;
      connection.get = async () => ({}) as never;
      const going =
        how === 'mutate'
          ? connection.mutate(['items', 'a'], () => ({ value: 1, writes }))
          : connection.transact('items', async () => ({ value: 1, writes }));
      await expect(going).rejects.toThrow(/Failed to write to items: .* changed the same document 60 times/);
      expect(calls).toBe(60);
    },
  );

  it('A16 mutate backs off from the second conflict on, and decides again after a partial write', async () => {
    const aborted = STATUS_NAMES.indexOf('ABORTED');
    code = 0;
    codes = [aborted, aborted, aborted];
    let reads = 0;
    connection.get = async () => ({ reads: ++reads }) as never;
    const seen: unknown[] = [];
    const writes = [{ do: 'create', at: ['items', 'a'], data: {} }] as const;
    const decide = (now: unknown) => ({ value: seen.push(now), writes, isPartial: seen.length === 4 });
    expect(await connection.mutate(['items', 'a'], decide, { first: true } as never)).toBe(5);
    expect(seen).toEqual([{ first: true }, { reads: 1 }, { reads: 2 }, { reads: 3 }, { reads: 4 }]);
    expect(pauses).toHaveLength(2);
    expect(pauses[0]).toBeLessThanOrEqual(pauses[1] ?? 0);
  });

  it.each(['getAll', 'query', 'count'])('A16 a %s never returns a conflict', async (name) => {
    for (const status of ['NOT_FOUND', 'FAILED_PRECONDITION', 'ABORTED'] as const) {
      code = STATUS_NAMES.indexOf(status);
      await expect(doings[name]?.()).rejects.toMatchObject({ code: status });
    }
  });

  it('A15 a missing index is reported as such, inside of a transaction too', async () => {
    code = STATUS_NAMES.indexOf('FAILED_PRECONDITION');
    details = 'The query requires an index. You can create it here: https://console.example/';
    await expect(doings.query?.()).rejects.toThrow('firestore.indexes.json');
    await expect(doings.transaction?.()).rejects.toThrow('firestore.indexes.json');
  });

  it('A19 a failed write of the usage meter fails no call and is retried later', async () => {
    codes = [0, 0, STATUS_NAMES.indexOf('UNAVAILABLE'), 0, 0];
    const write = () => connection.commit([{ do: 'set', at: ['items', 'a'], data: { a: 1 } }]);
    expect(await write()).toBe('committed');
    clock.jump(6 * 60 * SECOND);
    expect(await write()).toBe('committed');
    expect(calls).toBe(3);
    clock.jump(6 * 60 * SECOND);
    expect(await write()).toBe('committed');
    expect(calls).toBe(5);
    expect(connection.used.writes).toBe(4);
  });

  it('ends retry delays when it is closed', async () => {
    code = STATUS_NAMES.indexOf('UNAVAILABLE');
    const failed = connection.get(['items', 'a']).catch((error: unknown) => error);
    await vi.waitFor(() => expect(clock.sleeping).toBe(1), { timeout: 60_000 });
    await connection[Symbol.asyncDispose]();
    expect(await failed).toMatchObject({ message: 'The connection to Firestore was closed.' });
  });
});
