import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Liveness } from '../scheduler/health.ts';
import { errorMessage } from '../telemetry/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';

export interface SystemdDependencies {
  readonly env: NodeJS.ProcessEnv;
  /** What `systemctl status` shows. */
  readonly status: string;
  /** The check behind `/healthz`. */
  readonly liveness: () => Liveness;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted as soon as the program stops. */
  readonly signal: AbortSignal;
}

/** systemd-notify waits until systemd has read the message; a hung systemd must not delay the stop. */
const SEND_TIMEOUT_MS = 5000;

/**
 * Reports to systemd, where the program is a service with `Type=notify`: that it is ready, that it stops, and, if the
 * unit has a watchdog, twice in each of its intervals that no loop has hung. Without `NOTIFY_SOCKET` it does nothing.
 */
export function reportToSystemd(deps: SystemdDependencies): AsyncDisposable | null {
  const { env, signal } = deps;
  if (!env.NOTIFY_SOCKET) return null;
  const send = createSender(deps);
  const ended = new AbortController();
  const onStop = (): void => void send('STOPPING=1', 'STATUS=Stopping');
  const reporting = send('READY=1', `STATUS=${deps.status}`).then(() =>
    runWatchdog(deps, send, ended.signal),
  );
  if (signal.aborted) onStop();
  else signal.addEventListener('abort', onStop, { once: true });
  return {
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', onStop);
      ended.abort();
      await reporting;
      await send.idle();
    },
  };
}

interface Sender {
  (...assignments: string[]): Promise<void>;
  /** Resolves when everything is sent. */
  idle(): Promise<void>;
}

/** Sends one message after the other. Node has no datagram sockets of the Unix kind, so a program of systemd does it. */
function createSender({ env, log }: SystemdDependencies): Sender {
  let last: Promise<void> = Promise.resolve();
  let failing = false;
  const sendNow = async (assignments: readonly string[]): Promise<void> => {
    try {
      await promisify(execFile)('systemd-notify', assignments, { env, timeout: SEND_TIMEOUT_MS });
      failing = false;
    } catch (error) {
      if (!failing) log.warn('Failed to notify systemd', { detail: errorMessage(error) });
      failing = true;
    }
  };
  const send = (...assignments: string[]): Promise<void> => {
    last = last.then(() => sendNow(assignments));
    return last;
  };
  return Object.assign(send, { idle: () => last });
}

async function runWatchdog(
  { env, liveness, clock, log, status }: SystemdDependencies,
  send: Sender,
  signal: AbortSignal,
): Promise<void> {
  const intervalMs = watchdogIntervalMs(env);
  if (intervalMs === null) return;
  let wasAlive = true;
  while (!signal.aborted) {
    const { alive, hung = [] } = liveness();
    if (alive) await send('WATCHDOG=1', ...(wasAlive ? [] : [`STATUS=${status}`]));
    else if (wasAlive) {
      log.error('A loop has hung; systemd will restart the program', { hung });
      await send(`STATUS=Hung: ${hung.join(', ')}`);
    }
    wasAlive = alive;
    await clock.sleep(intervalMs / 2, signal).catch(() => {});
  }
}

/** The watchdog's interval, if it is meant for this process. */
function watchdogIntervalMs({ WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv): number | null {
  const interval = Number(WATCHDOG_USEC) / 1000;
  if (!(interval > 0)) return null;
  if (WATCHDOG_PID && Number(WATCHDOG_PID) !== process.pid) return null;
  return interval;
}
