import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import { OperationalError } from '../telemetry/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import {
  type CertificateFiles,
  type CertificateReading,
  type Certificates,
  readCertificates,
} from './certificates.ts';

/** Certificates that may be replaced while they are in use. */
export interface LiveCertificates {
  readonly current: Certificates;
  /** Called with each new set; connections that exist keep theirs. */
  onChange(listener: (certificates: Certificates) => void): void;
}

export interface CertificateWatchOptions {
  /** What they are for: the label in metrics and log. */
  readonly use: 'http' | 'grpc' | 'services' | 'redis';
  readonly files: CertificateFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'observe'>;
}

/** The files are read this often, for folders that report no changes (network mounts, replaced folders). */
const CHECK_INTERVAL_MS = MINUTE;
/** Certificate and key are two files: after a change both are written within this time. */
const SETTLE_MS = SECOND;

/** The certificate files cannot be used. */
export class CertificateError extends OperationalError {
  readonly kind = 'bad_config';
  override readonly name = 'CertificateError';
}

/**
 * Reads certificate files again when they change. A set that cannot be used is reported once and not applied: the one in
 * use stays. The folders are watched, not the files, because editors and Kubernetes replace files and links.
 */
export class CertificateWatch implements LiveCertificates, AsyncDisposable {
  readonly #options: CertificateWatchOptions;
  readonly #listeners: ((certificates: Certificates) => void)[] = [];
  readonly #watchers: FSWatcher[] = [];
  readonly #stop = new AbortController();
  readonly #wakeUp: WakeUpSignal;
  readonly #running: Promise<void>;
  #inUse: Extract<CertificateReading, { ok: true }>;
  #seen: string;

  /** Throws a `CertificateError` if the files cannot be used. */
  constructor(options: CertificateWatchOptions) {
    const { files, clock, metrics, use } = options;
    const reading = readCertificates(files);
    if (!reading.ok)
      throw new CertificateError(
        `Failed to read the TLS certificates: ${reading.problems.map(({ message }) => message).join('; ')}.`,
      );
    this.#options = options;
    this.#inUse = reading;
    this.#seen = JSON.stringify(reading.certificates);
    this.#wakeUp = new WakeUpSignal(clock);
    if (reading.valid !== null)
      metrics.observe('kawaraban_tls_certificate_expiry_seconds', () => [
        {
          value: Math.round(((this.#inUse.valid?.until ?? 0) - clock.now()) / SECOND),
          labels: { use },
        },
      ]);
    this.#watchFolders();
    this.#running = this.#run();
  }

  get current(): Certificates {
    return this.#inUse.certificates;
  }

  onChange(listener: (certificates: Certificates) => void): void {
    this.#listeners.push(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const watcher of this.#watchers) watcher.close();
    await this.#running;
  }

  #watchFolders(): void {
    const folders = new Set(Object.values(this.#options.files).map((path: string) => dirname(path)));
    for (const folder of folders)
      try {
        const watcher = watch(folder, { persistent: false }, () =>
          this.#wakeUp.wake(this.#options.clock.now() + SETTLE_MS),
        );
        // The regular check still finds changes.
        watcher.on('error', () => watcher.close());
        this.#watchers.push(watcher);
      } catch {
        // The same.
      }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#wakeUp.wait(CHECK_INTERVAL_MS, signal);
      if (!signal.aborted) this.#check();
    }
  }

  #check(): void {
    const { files, log, use } = this.#options;
    const reading = readCertificates(files);
    const found = JSON.stringify(reading.certificates);
    if (found === this.#seen) return;
    this.#seen = found;
    if (!reading.ok) {
      const reason = reading.problems.map(({ message }) => message).join('; ');
      log.warn('Failed to reload TLS certificates, keeping those in use', {
        use,
        reason,
        expires: dateOf(this.#inUse),
      });
      return;
    }
    this.#inUse = reading;
    for (const listener of this.#listeners) listener(reading.certificates);
    log.info('Reloaded TLS certificates', { use, expires: dateOf(reading) });
  }
}

function dateOf({ valid }: Extract<CertificateReading, { ok: true }>): string | undefined {
  return valid === null ? undefined : new Date(valid.until).toISOString();
}

/** TLS of outgoing connections. */
export interface OutgoingTls {
  /** Authorities, and the client certificate if there is one. */
  readonly context: SecureContext;
  /** Name in the certificate of the other side, if it differs from the host of its address. */
  readonly serverName?: string;
}

/** Settings as the configuration has them: `true` is TLS with the authorities of the system. */
export type OutgoingTlsSettings = boolean | (CertificateFiles & { readonly serverName?: string });

/** TLS with the certificates of the moment for each new connection; the files are watched until the stack is disposed. */
export function outgoingTls(
  settings: OutgoingTlsSettings,
  options: Omit<CertificateWatchOptions, 'files'>,
  stack: AsyncDisposableStack,
): boolean | OutgoingTls {
  if (typeof settings === 'boolean') return settings;
  const { serverName, ...files } = settings;
  const context = liveSecureContext(stack.use(new CertificateWatch({ ...options, files })));
  return { context, ...(serverName !== undefined && { serverName }) };
}

/** Clients take the context once, and Node takes its `context` for each new connection. */
function liveSecureContext(certificates: LiveCertificates): SecureContext {
  let secure = createSecureContext(certificates.current);
  certificates.onChange((changed) => {
    secure = createSecureContext(changed);
  });
  return {
    get context() {
      return secure.context;
    },
  };
}
