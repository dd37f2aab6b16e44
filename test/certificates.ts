import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';

/** A certificate with its key, as files. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** A certificate authority of a test, in a folder of its own. */
export class TestAuthority {
  /** Its certificate: the file, and the text. */
  readonly ca: string;
  readonly pem: string;
  readonly #folder: string;
  #issued = 0;

  constructor(folder: string, name = 'authority') {
    this.#folder = join(folder, name);
    mkdirSync(this.#folder);
    this.ca = join(this.#folder, 'ca.pem');
    this.#openssl([...KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${name}`, '-days', '30']);
    this.pem = readFileSync(this.ca, 'utf8');
  }

  /** For clients too. By default for connections to this machine. */
  issue({ days = 20, names = ['DNS:localhost', 'IP:127.0.0.1'] } = {}): IssuedCertificate {
    const name = `issued-${++this.#issued}`;
    this.#openssl([
      ...['-CA', 'ca.pem', '-CAkey', 'ca.key', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.pem`],
      ...['-subj', `/CN=${name}`, '-days', `${days}`, '-addext', `subjectAltName=${names.join(',')}`],
      ...['-addext', 'basicConstraints=CA:FALSE'],
    ]);
    return { certificate: join(this.#folder, `${name}.pem`), key: join(this.#folder, `${name}.key`) };
  }

  #openssl(args: readonly string[]): void {
    execFileSync('openssl', ['req', '-x509', ...args], { cwd: this.#folder, stdio: 'pipe' });
  }
}

/** Common name in the certificate that the server at this address shows to a new connection. */
export function shownCertificate(host: string, port: number, alpn?: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host, port, ...(alpn !== undefined && { ALPNProtocols: [alpn] }) }, () => {
    resolve(String(socket.getPeerCertificate().subject.CN));
    socket.destroy();
  });
  socket.on('error', reject);
  return promise;
}
