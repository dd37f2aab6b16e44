import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestAuthority } from '../../test/certificates.ts';
import { requires } from '../../test/requirements.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { silentMetrics } from '../telemetry/metrics.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { CertificateError, CertificateWatch } from './certificate-watch.ts';
import { type CertificateFiles, readCertificates } from './certificates.ts';

requires('openssl')('certificate files', () => {
  let folder: string;
  let authority: TestAuthority;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-certificates-'));
    authority = new TestAuthority(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const parts = { use: 'http', log: silentLogger, metrics: silentMetrics } as const;
  const problemsOf = (files: CertificateFiles) => {
    const reading = readCertificates(files);
    return reading.ok ? [] : reading.problems.map(({ file, message }) => `${file}: ${message}`);
  };

  it('I10 are read again each minute where the folder reports no change', async () => {
    // The folder above is replaced: the watched one, which has been renamed, reports nothing.
    const [first, second] = [authority.issue(), authority.issue()];
    mkdirSync(join(folder, 'a'));
    mkdirSync(join(folder, 'b'));
    for (const [name, issued] of [
      ['a', first],
      ['b', second],
    ] as const) {
      symlinkSync(issued.certificate, join(folder, name, 'tls.crt'));
      symlinkSync(issued.key, join(folder, name, 'tls.key'));
    }
    symlinkSync('a', join(folder, 'current'));
    const clock = new ManualClock();
    const files = {
      certificate: join(folder, 'current', 'tls.crt'),
      key: join(folder, 'current', 'tls.key'),
    };
    await using watch = new CertificateWatch({ ...parts, files, clock });
    const before = watch.current;
    const changes: unknown[] = [];
    watch.onChange((certificates) => changes.push(certificates));
    symlinkSync('b', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'current'));
    await clock.advance(30_000);
    expect(watch.current).toBe(before);
    await clock.advance(30_000);
    expect(watch.current).not.toEqual(before);
    expect(changes).toEqual([watch.current]);
    await clock.advance(120_000);
    expect(changes).toHaveLength(1);
  });

  it('I10 that cannot be used are refused with the reason, without a part of the key', async () => {
    const { certificate, key } = authority.issue();
    const other = authority.issue();
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const body = 'c2VjcmV0LXBhcnQtb2YtYS1rZXk=';
    const damaged = write('damaged.key', `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`);
    const locked = write(
      'locked.key',
      `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${body}\n-----END ENCRYPTED PRIVATE KEY-----\n`,
    );
    const halved = write('half.pem', `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`);
    expect(problemsOf({ certificate, key, ca: authority.ca })).toEqual([]);
    expect(problemsOf({ certificate, key: other.key })).toEqual([
      expect.stringMatching(/^key: .* does not belong to the certificate/),
    ]);
    expect(problemsOf({ certificate, key: certificate })).toEqual([
      expect.stringMatching(/^key: .* contains no private key in PEM form/),
    ]);
    expect(problemsOf({ certificate, key: locked })).toEqual([
      expect.stringMatching(/^key: .* is encrypted/),
    ]);
    const both = problemsOf({ certificate: halved, key: damaged, ca: folder });
    expect(both).toEqual([
      expect.stringMatching(/^ca: .* is a folder/),
      expect.stringMatching(/^certificate: .* damaged certificate/),
      expect.stringMatching(/^key: .* damaged private key/),
    ]);
    expect(both.join()).not.toContain(body);
    const clock = new ManualClock();
    expect(() => new CertificateWatch({ ...parts, files: { certificate, key: damaged }, clock })).toThrow(
      CertificateError,
    );
  });
});
