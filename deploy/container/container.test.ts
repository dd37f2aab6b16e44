import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';

const root = join(import.meta.dirname, '../..');
const file = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const stages = file.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '));
const last = stages.at(-1) ?? '';
const ignored = readFileSync(join(import.meta.dirname, 'Dockerfile.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('**/'));

/** What a stage copies from the project: `[from, to]`. */
function copies(stage: string): [string, string][] {
  return [...stage.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words = '']) => {
    const names = words.trim().split(/\s+/);
    const to = names.pop() ?? '';
    return names.map((from): [string, string] => [
      from,
      names.length > 1 || to === './' ? join(to, from) : to,
    ]);
  });
}

describe('the container image', () => {
  it('X16 is built in stages, runs as an unprivileged user, and has a health check', () => {
    expect(stages.length).toBeGreaterThan(1);
    expect(/^USER (\d+):(\d+)$/m.exec(last)?.[1]).toBe('10001');
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect(last).toContain('ENTRYPOINT ["node"');
    expect(last).not.toMatch(/npm (ci|install)/);
    expect(stages[1]).toContain('--omit=dev');
  });

  it('X15 X16 lets a Prometheus in the same cluster or compose project read the metrics', () => {
    const [, ranges = ''] = /KAWARABAN_METRICS_FROM=(\S+)/.exec(last) ?? [];
    const text = readFileSync(join(root, 'deploy/kubernetes/overlays/single/kawaraban.yaml'), 'utf8');
    const loaded = parseConfig(text, 'kawaraban.yaml', { KAWARABAN_METRICS_FROM: ranges });
    const networks = loaded.ok ? loaded.config.telemetry.metricsFrom : [];
    expect(networks).toEqual(
      expect.arrayContaining([
        '127.0.0.0/8',
        '::1',
        '10.0.0.0/8',
        '172.16.0.0/12',
        '192.168.0.0/16',
        'fc00::/7',
      ]),
    );
  });

  it('X16 copies only files that exist and that .dockerignore allows', () => {
    const through = readFileSync(join(import.meta.dirname, 'Dockerfile.dockerignore'), 'utf8');
    for (const [from] of stages.flatMap(copies)) {
      expect(existsSync(join(root, from)), from).toBe(true);
      expect(through, from).toContain(`!${from}\n`);
    }
  });

  describe('with exactly its files', () => {
    let folder: string;
    let app: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-container-'));
      app = join(folder, 'app');
      for (const [from, to] of copies(last)) {
        mkdirSync(dirname(join(app, to)), { recursive: true });
        cpSync(join(root, from), join(app, to), { recursive: true });
      }
      for (const pattern of ignored)
        for (const found of globSync(pattern, { cwd: app }))
          rmSync(join(app, found), { recursive: true, force: true });
      symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const environment = (): NodeJS.ProcessEnv => {
      const set = [...last.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(
        ([, name = '', value = '']) => [name, value] as const,
      );
      return {
        PATH: process.env.PATH,
        ...Object.fromEntries(set.filter(([name]) => /^(NODE|KAWARABAN|MALLOC)/.test(name))),
      };
    };

    function start(env: NodeJS.ProcessEnv): ChildProcess {
      const [, ...args] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(last)?.[1] ?? '[]') as string[];
      const command = JSON.parse(/^CMD (.*)$/m.exec(last)?.[1] ?? '[]') as string[];
      const child = spawn(process.execPath, [...args, ...command, '--json'], {
        cwd: app,
        env: { ...environment(), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(process.getuid?.() === 0 && { uid: 10001, gid: 10001 }),
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    }

    it('X16 C24 it starts, is ready, writes nowhere but to /data and /tmp, and stops on SIGTERM', async () => {
      const data = join(folder, 'data');
      mkdirSync(data);
      writeFileSync(
        join(folder, 'kawaraban.yaml'),
        readFileSync(join(root, 'deploy/kubernetes/overlays/single/kawaraban.yaml')),
      );
      if (process.getuid?.() === 0) chownSync(data, 10001, 10001);
      chmodReadable(folder);
      const child = start({
        KAWARABAN_CONFIG: join(folder, 'kawaraban.yaml'),
        KAWARABAN_DATA: data,
        KAWARABAN_HOST: '127.0.0.1',
        KAWARABAN_PORT: '0',
      });
      let stderr = '';
      child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
      const [line] = (await Promise.race([
        once(child.stdout as NonNullable<typeof child.stdout>, 'data'),
        once(child, 'exit').then(() => {
          throw new Error(`It ended: ${stderr}`);
        }),
      ])) as [Buffer];
      const { url } = JSON.parse(String(line).split('\n')[0] ?? '') as { url: string };
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/metrics`)).status).toBe(200);
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code, stderr).toBe(0);
    }, 240_000);
  });
});

/** `mkdtemp` creates folders that only their owner may enter. */
function chmodReadable(folder: string): void {
  if (process.getuid?.() !== 0) return;
  for (const path of [folder]) chownSync(path, 10001, 10001);
}
