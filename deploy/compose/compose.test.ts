import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/config.ts';
import { ROLES } from '../../src/scheduler/roles.ts';

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
