import { resolve } from 'node:path';
import { type CertificateFiles, type CertificateReading, readCertificates } from '../tls/certificates.ts';
import type { RuleViolation } from './cross-rules.ts';
import { isGroup } from './schema/section.ts';

interface ConfiguredCertificates {
  /** What they are for, in words. */
  readonly what: string;
  readonly path: readonly string[];
  /** Certificates of our own ports. */
  readonly serves: boolean;
  readonly reading: CertificateReading;
}

const PLACES = [
  { what: 'HTTP', path: ['server', 'tls'], serves: true },
  { what: 'gRPC', path: ['server', 'grpc', 'tls'], serves: true },
  { what: 'Remote services', path: ['timelines', 'service_tls'], serves: false },
  { what: 'Redis', path: ['timelines', 'redis', 'tls'], serves: false },
  { what: 'Redis', path: ['engine', 'redis', 'tls'], serves: false },
] as const;

/** Reads the certificate files that the document names. Malformed and incomplete settings are skipped: others report them. */
export function configuredCertificates(document: unknown, folder: string): ConfiguredCertificates[] {
  return PLACES.flatMap(({ what, path, serves }) => {
    const tls = path.reduce<unknown>((value, key) => (isGroup(value) ? value[key] : undefined), document);
    const files = isGroup(tls) ? filesOf(tls, folder) : {};
    const incomplete = 'certificate' in files !== 'key' in files;
    if (incomplete || Object.keys(files).length === 0) return [];
    return [{ what, path, serves, reading: readCertificates(files) }];
  });
}

function filesOf(tls: Readonly<Record<string, unknown>>, folder: string): CertificateFiles {
  const { certificate, key, ca = tls.client_ca } = tls;
  const named = Object.entries({ certificate, key, ca }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
  );
  return Object.fromEntries(named.map(([name, path]) => [name, resolve(folder, path.trim())]));
}

/** Certificate files that cannot be used. */
export function certificateProblems(document: unknown, folder: string, willServe: boolean): RuleViolation[] {
  return configuredCertificates(document, folder).flatMap(({ path, serves, reading }) => {
    if (reading.ok || (serves && !willServe)) return [];
    return reading.problems.map(({ file, message }) => ({
      path: [...path, file === 'ca' && serves ? 'client_ca' : file],
      message,
    }));
  });
}
