import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { expect } from 'vitest';
import { DEBIAN_PYTHON } from './requirements.ts';

/** Node has no datagram sockets of the Unix kind. */
const LISTENER = `
import os, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print("", flush=True)
while True:
    print(listener.recv(65536).decode().replace("\\n", " "), flush=True)
`;

/** The socket of systemd to which services report: each message is a line, its assignments with blanks between. */
export class NotifySocket implements AsyncDisposable {
  readonly path: string;
  readonly messages: string[] = [];
  readonly #listener;

  private constructor(path: string) {
    this.path = path;
    this.#listener = spawn(DEBIAN_PYTHON, ['-c', LISTENER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  static async listen(path: string): Promise<NotifySocket> {
    const socket = new NotifySocket(path);
    const { stdout } = socket.#listener;
    await once(stdout, 'data');
    chmodSync(path, 0o777);
    let rest = '';
    stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      socket.messages.push(...lines);
    });
    return socket;
  }

  /** Resolves as soon as a message with this assignment has arrived. */
  async received(assignment: string): Promise<void> {
    await expect.poll(() => this.messages.join(' ')).toContain(assignment);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.kill('SIGKILL');
    if (this.#listener.exitCode === null && this.#listener.signalCode === null)
      await once(this.#listener, 'exit');
  }
}
