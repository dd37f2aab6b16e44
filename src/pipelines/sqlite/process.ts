import { hostname } from 'node:os';

/** A process as others on its machine see it. */
export interface Process {
  readonly host: string;
  readonly pid: number;
  /** Differs between two processes that had the same number, one after the other: in a container every one is number 1. */
  readonly life: string;
  /** Whether the process with this number still lives that life, as far as this machine can tell. */
  isAlive(pid: number, life: string): boolean;
}

export function thisProcess(): Process {
  const me = { host: hostname(), pid: process.pid, life: String(Math.round(performance.timeOrigin)) };
  return { ...me, isAlive: (pid, life) => (pid === me.pid ? life === me.life : exists(pid)) };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not allowed to signal it: so it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
