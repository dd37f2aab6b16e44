import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { reportToSystemd } from '../../src/cli/systemd.ts';
import type { Liveness } from '../../src/scheduler/health.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { NotifySocket } from '../../test/notify-socket.ts';
import { Program } from '../../test/program.ts';
import { requires } from '../../test/requirements.ts';

const UNIT = join(import.meta.dirname, 'kawaraban.service');
/** In tenths, as `systemd-analyze security --threshold` takes it. The unit has 1.3. */
const MAX_EXPOSURE = 15;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-systemd-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the systemd unit', () => {
  const unit = readFileSync(UNIT, 'utf8');

  it('I5 has a dynamic user, a read-only system, one state directory and a watchdog', () => {
    for (const setting of [
      'Type=notify',
      'WatchdogSec=60',
      'DynamicUser=yes',
      'StateDirectory=kawaraban',
      'ProtectSystem=strict',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
    ])
      expect(unit.split('\n')).toContain(setting);
  });

  requires('systemd')('for systemd', () => {
    it('I5 passes systemd-analyze verify without a warning', () => {
      const copy = join(folder, 'kawaraban.service');
      // The program of the package is not installed here.
      writeFileSync(copy, unit.replace('ExecStart=/usr/bin/kawaraban ', `ExecStart=${process.execPath} `));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    });

    it('I5 is rated as hardened by systemd-analyze security', () => {
      execFileSync('systemd-analyze', [
        'security',
        '--offline=yes',
        '--no-pager',
        `--threshold=${MAX_EXPOSURE}`,
        UNIT,
      ]);
    });
  });
});

requires('systemd')('a program that systemd started', () => {
  async function listen(): Promise<NotifySocket> {
    const socket = await NotifySocket.listen(join(folder, 'notify'));
    onTestFinished(() => socket[Symbol.asyncDispose]());
    return socket;
  }

  it('I5 reports readiness with its open port, answers the watchdog, and reports that it stops', async () => {
    const socket = await listen();
    writeFileSync(join(folder, 'kawaraban.yaml'), 'server: { port: 0 }\nsources: {}\n');
    const env = { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '200000' };
    const program = new Program(['start'], env, folder);
    onTestFinished(() => program.kill());
    await socket.received('READY=1');
    const [, url = ''] = /STATUS=Serving (\S+)/.exec(socket.messages.join(' ')) ?? [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await expect
      .poll(() => socket.messages.filter((each) => each === 'WATCHDOG=1').length)
      .toBeGreaterThan(2);
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0 });
    expect(socket.messages).toContain('STOPPING=1 STATUS=Stopping');
  });

  it('I5 a hung loop keeps the watchdog unanswered and is named in the status', async () => {
    const socket = await listen();
    const clock = new ManualClock();
    let liveness: Liveness = { alive: true };
    const reporting = reportToSystemd({
      env: { ...process.env, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '60000000' },
      status: 'Serving',
      liveness: () => liveness,
      clock,
      log: silentLogger,
      signal: new AbortController().signal,
    });
    await socket.received('WATCHDOG=1');
    await expect.poll(() => clock.sleeping).toBe(1);
    liveness = { alive: false, hung: ['retention'] };
    await clock.advance(30_000);
    await socket.received('STATUS=Hung: retention');
    await expect.poll(() => clock.sleeping).toBe(1);
    await clock.advance(120_000);
    await reporting?.[Symbol.asyncDispose]();
    expect(socket.messages.filter((each) => each.includes('WATCHDOG=1'))).toHaveLength(1);
  });

  it('I5 a watchdog of another process is not answered, and a missing systemd-notify stops nothing', async () => {
    const socket = await listen();
    const warnings: string[] = [];
    const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const report = (env: NodeJS.ProcessEnv): AsyncDisposable | null =>
      reportToSystemd({
        env,
        status: 'Serving',
        liveness: () => ({ alive: true }),
        clock: new ManualClock(),
        log,
        signal: new AbortController().signal,
      });
    const own = { ...process.env, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '60000000' };
    await report({ ...own, WATCHDOG_PID: '1' })?.[Symbol.asyncDispose]();
    expect(socket.messages).toContain('READY=1 STATUS=Serving');
    expect(socket.messages.join(' ')).not.toContain('WATCHDOG=1');
    expect(warnings).toEqual([]);
    await report({ ...own, PATH: folder })?.[Symbol.asyncDispose]();
    expect(warnings).toEqual(['Failed to notify systemd']);
    expect(report({})).toBeNull();
  });
});
