import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type Emulator, type EmulatorKind, startEmulator } from './emulators.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Base URL that answers `GET /firestore` and `GET /pubsub` with the host and port of the run's emulator. */
    emulators: string;
  }
}

/**
 * Global set-up of the test run: one emulator of each kind for all test files, since a start of Java costs seconds.
 * An emulator starts on the first request for it, so a run without Firestore starts none. Projects keep the files apart.
 */
export default async function shareEmulators(project: TestProject): Promise<() => Promise<void>> {
  shared ??= openShared();
  const { url, close } = await shared;
  project.provide('emulators', url);
  return close;
}

interface SharedEmulators {
  readonly url: string;
  close(): Promise<void>;
}

/** Vitest calls the set-up for each of its projects, all of them before the first test, and the end after the last. */
let shared: Promise<SharedEmulators> | undefined;

async function openShared(): Promise<SharedEmulators> {
  const started = new Map<EmulatorKind, Promise<Emulator>>();
  const server = createServer((request, response) => {
    const kind = request.url === '/pubsub' ? 'pubsub' : 'firestore';
    const starting = started.get(kind) ?? startEmulator(kind);
    started.set(kind, starting);
    starting.then(
      ({ host }) => response.end(host),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      for (const starting of started.values())
        await starting.then((emulator) => emulator[Symbol.asyncDispose]()).catch(() => {});
    },
  };
}
