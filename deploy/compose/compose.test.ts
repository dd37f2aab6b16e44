import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { startSimulator } from '../../simulator/simulator.ts';
import { parseConfig } from '../../src/config/config.ts';
import { ROLES } from '../../src/scheduler/roles.ts';
import { Program } from '../../test/program.ts';

const here = import.meta.dirname;

interface Service {
  image: string;
  command?: string[];
  read_only?: boolean;
  user?: string;
  cap_drop?: string[];
  volumes?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas: number };
  healthcheck?: object;
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
}

const read = (name: string) =>
  parse(readFileSync(join(here, name), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
    volumes?: Record<string, unknown>;
  };

describe.each(['compose.yaml', 'compose.distributed.yaml'])('%s', (name) => {
  const { services, volumes = {} } = read(name);
  const own = Object.entries(services).filter(([, { image }]) => image === 'kawaraban');

  it('X16 mounts files that exist, or that its first lines tell the operator to create', () => {
    for (const [service, { volumes: mounts = [] }] of Object.entries(services))
      for (const mount of mounts) {
        const [from = ''] = mount.split(':');
        const there = from.startsWith('.')
          ? from === './kawaraban.yaml' || existsSync(resolve(here, from))
          : Object.keys(volumes).includes(from);
        expect(there, `${service}: ${from}`).toBe(true);
      }
  });

  it('X16 builds the image that the project describes, and restricts the container', () => {
    expect(own.length).toBeGreaterThan(0);
    for (const [, service] of own) {
      const { build } = service;
      expect(existsSync(resolve(here, build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
      expect(service).toMatchObject({ read_only: true, user: '10001:10001', cap_drop: ['ALL'] });
    }
  });

  it('X16 publishes ports on loopback alone', () => {
    for (const { ports = [] } of Object.values(services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('X16 waits for services that have a health check', () => {
    for (const { depends_on = {} } of Object.values(services))
      for (const other of Object.keys(depends_on)) expect(services[other]?.healthcheck, other).toBeDefined();
  });
});

describe('the newsroom on one machine', () => {
  it('R2 X16 lets its owner change sources on the page, with a configuration that it cannot write', async () => {
    const [config = '', data = ''] = read('compose.yaml').services.kawaraban?.volumes ?? [];
    expect([config.endsWith(':/etc/kawaraban/kawaraban.yaml:ro'), data.endsWith(':/data')]).toEqual([
      true,
      true,
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-compose-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const simulator = await startSimulator();
    onTestFinished(() => simulator[Symbol.asyncDispose]());
    const feed = simulator.feeds.create({ id: 'added', title: 'Added' });
    feed.publish({ title: 'Its first article' });
    const file = join(folder, 'kawaraban.yaml');
    const text = 'network: { allow: [127.0.0.1] }\nsources: {}\n';
    writeFileSync(file, text);
    chmodSync(file, 0o444);
    mkdirSync(join(folder, 'data'));
    // As the image: a user who owns nothing but the data. Root could write anywhere.
    const user = process.getuid?.() === 0 ? { uid: 10001, gid: 10001 } : {};
    if (user.uid !== undefined) chownSync(join(folder, 'data'), user.uid, user.gid);
    chmodSync(folder, 0o555);
    const env = { KAWARABAN_CONFIG: file, KAWARABAN_DATA: join(folder, 'data'), KAWARABAN_PORT: '0' };

    const start = async () => {
      const program = new Program(['start', '--json'], env, folder, user);
      onTestFinished(() => program.kill());
      const [line] = await program.waitForOutput(/^\{.*"url".*\}$/m);
      return { program, ...(JSON.parse(line) as { url: string; welcome: string | null }) };
    };
    const first = await start();
    const signedIn = await fetch(`${first.url}/api/v1/welcome`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        link: first.welcome?.split(/[#=/]/).at(-1),
        name: 'ann',
        password: 'a long enough password',
      }),
    });
    const { csrfToken } = (await signedIn.json()) as { csrfToken: string };
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const added = await fetch(`${first.url}/api/v1/sources`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, 'x-csrf-token': csrfToken },
      body: JSON.stringify({ address: feed.url, follow: false, folders: [] }),
    });
    expect(await added.json()).toMatchObject({ id: 'added' });
    first.program.child.kill('SIGTERM');
    await first.program.ended;

    const second = await start();
    const sources = await fetch(`${second.url}/api/v1/sources/added`, { headers: { cookie } });
    expect(await sources.json()).toMatchObject({ name: 'Added', origin: 'page' });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('the distributed newsroom on one machine', () => {
  const { services } = read('compose.distributed.yaml');

  it('C24 has two replicas of each role', () => {
    for (const role of Object.keys(ROLES))
      expect(services[role]).toMatchObject({ command: ['start', '--role', role], deploy: { replicas: 2 } });
  });

  it('X11 has a configuration that passes the check with its environment', () => {
    const text = readFileSync(join(here, 'kawaraban.distributed.yaml'), 'utf8');
    const loaded = parseConfig(text, '/etc/kawaraban/kawaraban.yaml', services.web?.environment ?? {});
    expect(loaded.ok ? loaded.config.engine : loaded.problems).toMatchObject({
      kind: 'distributed',
      firestore: { emulator: 'firestore:8200' },
      pubsub: { emulator: 'pubsub:8085' },
      redis: { nodes: ['redis:6379'] },
    });
  });
});
