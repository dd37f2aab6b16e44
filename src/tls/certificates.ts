import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** The PEM files of one side of TLS. */
export interface CertificateFiles {
  /** Own certificate, followed by the intermediate ones. Always together with `key`. */
  readonly certificate?: string;
  readonly key?: string;
  /** Authorities that sign the certificates of the other side; those of the system when absent. */
  readonly ca?: string;
}

/** Contents of the files, under the names of `tls.createSecureContext`. */
export interface Certificates {
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
}

export interface CertificateProblem {
  readonly file: keyof CertificateFiles;
  /** What is wrong and what to do. Never contains a part of a key. */
  readonly message: string;
}

export type CertificateReading =
  | {
      readonly ok: true;
      readonly certificates: Certificates;
      /** Validity of the own certificate; `null` where there is none. */
      readonly valid: { readonly from: number; readonly until: number } | null;
    }
  | {
      readonly ok: false;
      readonly problems: readonly CertificateProblem[];
      /** Contents of the files that could be read, to tell one broken state from the next. */
      readonly certificates: Certificates;
    };

/** Reads the files and checks that TLS can use them: readable, PEM, and a key that belongs to the certificate. */
export function readCertificates(files: CertificateFiles): CertificateReading {
  const problems: CertificateProblem[] = [];
  const read = (file: keyof CertificateFiles): string | undefined => {
    const path = files[file];
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      problems.push({ file, message: `the file ${path} ${readProblem(error)}` });
      return undefined;
    }
  };
  const [cert, key, ca] = [read('certificate'), read('key'), read('ca')];
  const certificates = definedOnly({ cert, key, ca });
  const add = (file: keyof CertificateFiles, problem: string | null): void => {
    if (problem !== null) problems.push({ file, message: `the file ${files[file]} ${problem}` });
  };
  const own = cert === undefined ? null : parseCertificates(cert);
  if (own !== null) add('certificate', own.problem);
  if (ca !== undefined) add('ca', parseCertificates(ca).problem);
  const parsedKey = key === undefined ? null : parseKey(key);
  if (parsedKey !== null) add('key', parsedKey.problem);
  const leaf = own?.first ?? null;
  if (leaf !== null && parsedKey?.key && !leaf.checkPrivateKey(parsedKey.key))
    add('key', `does not belong to the certificate ${files.certificate}: name the key it was made with`);
  if (problems.length === 0) add(cert === undefined ? 'ca' : 'certificate', contextProblem(certificates));
  if (problems.length > 0) return { ok: false, problems, certificates };
  return {
    ok: true,
    certificates,
    valid: leaf && { from: leaf.validFromDate.getTime(), until: leaf.validToDate.getTime() },
  };
}

function readProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT') return 'does not exist: correct the path, or put the file there';
  if (code === 'EACCES') return 'may not be read by this user: change its owner or its mode';
  if (code === 'EISDIR') return 'is a folder: name a file inside it';
  return 'cannot be read';
}

const PEM_CERTIFICATE =
  /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;

function parseCertificates(pem: string): { first: X509Certificate | null; problem: string | null } {
  const blocks = pem.match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0)
    return {
      first: null,
      problem:
        'contains no certificate in PEM form (-----BEGIN CERTIFICATE-----): convert it, or name another',
    };
  try {
    const [first = null] = blocks.map((block) => new X509Certificate(block));
    return { first, problem: null };
  } catch {
    return { first: null, problem: 'contains a damaged certificate: write it again' };
  }
}

function parseKey(pem: string): { key: KeyObject | null; problem: string | null } {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem))
    return {
      key: null,
      problem: 'contains no private key in PEM form (-----BEGIN PRIVATE KEY-----): name the file of the key',
    };
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(pem))
    return {
      key: null,
      problem: 'is encrypted: store the key without a passphrase (openssl pkey), readable by this user alone',
    };
  try {
    return { key: createPrivateKey(pem), problem: null };
  } catch {
    // The cause could quote the key.
    return { key: null, problem: 'contains a damaged private key: write it again' };
  }
}

/** What OpenSSL refuses besides, such as a key that is too short. */
function contextProblem(certificates: Certificates): string | null {
  try {
    createSecureContext(certificates);
    return null;
  } catch (error) {
    return `is refused by OpenSSL (${error instanceof Error ? error.message : 'unknown reason'}): make another`;
  }
}

function definedOnly(all: Record<keyof Certificates, string | undefined>): Certificates {
  return Object.fromEntries(Object.entries(all).filter(([, content]) => content !== undefined));
}
