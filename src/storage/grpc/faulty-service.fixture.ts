import { createServer as createTcpServer } from 'node:net';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';

/** One answer of the service: bytes as they are, a status, or nothing at all until the call is cancelled. */
export type FaultyAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly status: number; readonly details?: string }
  | 'silence';

export interface FaultyService extends AsyncDisposable {
  readonly address: string;
  /** Names of the methods that were called, with the ones that were given up by the caller. */
  readonly calls: string[];
  readonly cancelled: string[];
  /** The metadata of the last call. */
  last(): Metadata | null;
  /** What is answered from now on. */
  answer: (method: string, call: number) => FaultyAnswer;
}

const METHODS = [
  'UserService/GetFollowingList',
  'UserService/GetFollowersList',
  'UserService/GetUser',
  'UserService/Follow',
  'UserService/CreateUser',
  'PostService/GetDropsByUserID',
  'PostService/CreateDrop',
];

/** A user and post service that answers whatever it is told to, on a real port. */
export async function startFaultyService(answer: FaultyService['answer'], port = 0): Promise<FaultyService> {
  const server = new Server();
  const calls: string[] = [];
  const cancelled: string[] = [];
  let metadata: Metadata | null = null;
  const service: Omit<FaultyService, 'address' | typeof Symbol.asyncDispose> = {
    calls,
    cancelled,
    last: () => metadata,
    answer,
  };
  const asIs = (bytes: Buffer): Buffer => bytes;
  for (const path of METHODS) {
    const [name = '', method = ''] = path.split('/');
    const definition = {
      path: `/avion.${name}/${method}`,
      requestStream: false as const,
      responseStream: false as const,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    };
    const handle = (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void => {
      calls.push(method);
      metadata = call.metadata;
      const told = service.answer(method, calls.length);
      if (told === 'silence') call.once('cancelled', () => cancelled.push(method));
      else if ('bytes' in told) reply(null, Buffer.from(told.bytes));
      else reply({ code: told.status, details: told.details ?? '' });
    };
    server.addService({ [method]: definition }, { [method]: handle });
  }
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  return Object.assign(service, {
    address: `127.0.0.1:${bound}`,
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  });
}

/** A port on which nobody listens. */
export async function unusedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export const UNAVAILABLE_ANSWER: FaultyAnswer = { status: status.UNAVAILABLE };
