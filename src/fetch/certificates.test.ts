import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import { createFetcher } from './create-fetcher.ts';

const HOST = 'news.example';

/** Why these tests cannot run here, or null. */
function obstacle(): string | null {
  if (typeof setDefaultCACertificates !== 'function') return 'this Node cannot be given a root to trust';
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'there is no openssl here';
  }
}
const missing = obstacle();
if (missing !== null) console.log(`certificates are not tried: ${missing}`);

describe.skipIf(missing !== null)('certificates', { timeout: 240_000 }, () => {
  let folder: string;
  let trusted: string[];
  const servers: Server[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-tls-'));
    trusted = getCACertificates('default');
    for (const root of ['root', 'stranger'])
      openssl(
        'req',
        '-x509',
        ...KEY,
        '-keyout',
        `${root}.key`,
        '-out',
        `${root}.crt`,
        '-subj',
        `/CN=${root}`,
      );
    setDefaultCACertificates([...trusted, readFileSync(join(folder, 'root.crt'), 'utf8')]);
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    for (const server of servers) await new Promise((done) => server.close(done));
    rmSync(folder, { recursive: true, force: true });
  });

  const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const openssl = (...args: readonly string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });

  /** A certificate for a name, signed by a root or by itself. */
  function certificate(name: string, made: { host?: string; root?: string; days?: number } = {}) {
    const { host = HOST, root = 'root', days = 2 } = made;
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=DNS:${host}\n`);
    openssl('req', '-new', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${host}`);
    const signer =
      root === 'itself' ? ['-signkey', `${name}.key`] : ['-CA', `${root}.crt`, '-CAkey', `${root}.key`];
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, '-extfile', `${name}.ext`],
      ...[...signer, '-set_serial', '7', '-days', String(days)],
    );
    return {
      key: readFileSync(join(folder, `${name}.key`)),
      cert: readFileSync(join(folder, `${name}.crt`)),
    };
  }

  async function visit(shown: ReturnType<typeof certificate>) {
    let asked = 0;
    const server = createServer(shown, (_, response) => {
      asked++;
      response.end('hello');
    });
    servers.push(server);
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as AddressInfo;
    const fetcher = createFetcher({
      clock: systemClock,
      log: silentLogger,
      allow: ['127.0.0.1'],
      resolve: async () => ['127.0.0.1'],
      limits: { spacingMs: 0 },
    });
    try {
      return { outcome: await fetcher.fetch({ url: `https://${HOST}:${port}/` }), asked: () => asked };
    } finally {
      await fetcher[Symbol.asyncDispose]();
    }
  }

  it('X6 a valid one is accepted', async () => {
    const { outcome } = await visit(certificate('good'));
    expect(outcome).toMatchObject({ outcome: 'response', status: 200 });
  });

  it.each([
    ['signed by itself', { root: 'itself' }, 'its certificate is self-signed'],
    ['signed by an unknown authority', { root: 'stranger' }, 'its certificate is not trusted'],
    ['expired', { days: -1 }, 'its certificate has expired'],
    ['for another name', { host: 'other.example' }, 'its certificate is for another name'],
  ])('X6 one that is %s is never accepted, and no request is sent', async (name, made, words) => {
    const { outcome, asked } = await visit(certificate(name.replaceAll(' ', '-'), made));
    expect(outcome).toMatchObject({
      outcome: 'failed',
      why: 'tls',
      detail: expect.stringContaining(`${HOST}: ${words}`),
    });
    expect(asked()).toBe(0);
  });
});
