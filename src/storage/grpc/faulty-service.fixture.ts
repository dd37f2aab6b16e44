import { createServer as createTcpServer } from 'node:net';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';

/** One response of the service: raw bytes, a status, or none until the call is cancelled. */
export type FaultyAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly status: number; readonly details?: string }
  | 'silence';

export interface FaultyService extends AsyncDisposable {
  readonly address: string;
  /** Methods that were called, and those of them that the caller cancelled. */
  readonly calls: string[];
  readonly cancelled: string[];
  /** The metadata of the last call. */
  last(): Metadata | null;
  /** Responses from now on. */
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

/** A user and post service with scripted responses, on a real port. */
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
      const response = service.answer(method, calls.length);
      if (response === 'silence') call.once('cancelled', () => cancelled.push(method));
      else if ('bytes' in response) reply(null, Buffer.from(response.bytes));
      else reply({ code: response.status, details: response.details ?? '' });
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

/** A port without a listener. */
export async function unusedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export const UNAVAILABLE_ANSWER: FaultyAnswer = { status: status.UNAVAILABLE };
